import { test } from 'tap'
import { rejectedBy } from '../../src/core/rejected-by.ts'

test('a signal rejects with its reason when it fires, and at once if it has', async t => {
  const controller = new AbortController()
  const rejected = rejectedBy(controller.signal)
  controller.abort(new Error('gone'))
  await t.rejects(rejected, { message: 'gone' })
  await t.rejects(rejectedBy(controller.signal), { message: 'gone' })
})
