import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { replyOf, resultOf, say } from '../../src/threads/task.ts'

test('a task answers with its result, or with its error as plain data', async t => {
  t.equal(resultOf(await replyOf(async () => 7)), 7)
  const reply = await replyOf(async () => {
    throw new FaultlineError('NOT_FOUND', 'There is none.', 'Make one.')
  })
  t.throws(() => resultOf(structuredClone(reply)), new FaultlineError('NOT_FOUND', 'There is none.', 'Make one.'))
  const bug = await replyOf(() => {
    throw new TypeError('before it began')
  })
  t.throws(() => resultOf(structuredClone(bug)), { message: 'before it began' })
})

test('a task says on its port what it does', async t => {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  const heard = once(port1, 'message')
  say(port2, 'opens')
  t.same(await heard, [{ state: 'opens' }])
})
