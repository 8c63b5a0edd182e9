import { test } from 'tap'
import { OrderedWrites } from '../../../src/jobs/run/ordered-writes.ts'

test('writes run one after the other, in the order in which they were added', async t => {
  const writes = new OrderedWrites()
  const gate = Promise.withResolvers<undefined>()
  const order: string[] = []
  const first = writes.add(async () => {
    await gate.promise
    order.push('first')
    return 1
  })
  const second = writes.add(async () => {
    order.push('second')
  })
  gate.resolve(undefined)
  t.equal(await first, 1)
  await second
  t.same(order, ['first', 'second'])
})

test('a write that fails holds up none after it', async t => {
  const writes = new OrderedWrites()
  const failed = writes.add(async () => {
    throw new Error('full')
  })
  const next = writes.add(async () => 2)
  await t.rejects(failed, { message: 'full' })
  t.equal(await next, 2)
})

test('it is idle when all that was added by then is over, whether or not that failed', async t => {
  const writes = new OrderedWrites()
  let isDone = false
  const failed = writes.add(async () => {
    isDone = true
    throw new Error('full')
  })
  failed.catch(() => {})
  await writes.idle()
  t.ok(isDone)
})
