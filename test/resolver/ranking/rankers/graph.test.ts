import { test } from 'tap'
import { rankCart } from './rank-cart.ts'

test('what the failing line calls is found where it is defined, and the evidence says where it is used', t => {
  t.match(rankCart().callees[0], {
    path: 'app/money.py',
    why: 'defines round_price, used at app/cart.py:6',
    lines: [{ startLine: 1, endLine: 2 }],
  })
  t.end()
})

test('who uses the type of the frame is found outside of the trace', t => {
  const { users } = rankCart()
  t.match(users[0], { path: 'app/gift.py', why: 'uses Cart of app/cart.py' })
  t.notOk(users.some(({ path }) => path === 'app/cart.py'))
  t.end()
})

test('a text without frames leads nowhere', t => {
  t.ok(Object.values(rankCart('the total is wrong')).every(list => list.length === 0))
  t.end()
})
