import { SHOP_TRACE } from './sample-repository.ts'

/** A fault in no code of the shop. */
export const FOREIGN_TRACE = [
  'Traceback (most recent call last):',
  '  File "/usr/lib/python3.11/socket.py", line 851, in create_connection',
  '    sock.connect(sa)',
  'ConnectionRefusedError: [Errno 111] Connection refused',
].join('\n')

const SECOND_TRACE = [
  'Traceback (most recent call last):',
  '  File "/app/shop/cart.py", line 9, in summary',
  '    return {"average": average(self.items)}',
  '  File "/app/shop/prices.py", line 5, in <genexpr>',
  '    total = sum(item["price"] for item in items)',
  "KeyError: 'price'",
].join('\n')

/** The log of a step with two faults of the shop, and one in no code of it. */
export const SHOP_LOG = ['collected 3 items', SHOP_TRACE, '', SECOND_TRACE, '', FOREIGN_TRACE, '3 failed', ''].join(
  '\n',
)

/** The log of a step that went well. */
export const CLEAN_LOG = 'collected 3 items\n3 passed\n'
