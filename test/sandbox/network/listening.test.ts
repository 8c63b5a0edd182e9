import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'tap'
import { isListening } from '../../../src/sandbox/network/listening.ts'

test('a port at which this process listens is found without connecting to it', async t => {
  const server = createServer(() => t.fail('connected'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  t.equal(isListening(process.pid, port, true), true)
  t.equal(isListening(process.pid, port, false), true, 'the socket is its own')
  server.close()
  await once(server, 'close')
  t.equal(isListening(process.pid, port, true), false)
})

test('nothing listens for a process that is gone', async t => {
  t.equal(isListening(2 ** 22, 80, true), false)
})
