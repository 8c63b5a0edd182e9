import { test } from 'tap'
import type { Notification } from '../../src/jobs/store/notification-store.ts'
import { createCallbackNotices } from '../../src/services/callback-notices.ts'

const ROW: Notification = {
  id: 1,
  jobId: 'a',
  event: 'waiting',
  channel: 'callback',
  asked: 'question',
  at: new Date().toISOString(),
  isOpen: true,
  messageId: null,
}

test('a job that cannot be read is left for later, not tried again at once', async t => {
  let reads = 0
  const errors: unknown[] = []
  const { signal } = new AbortController()
  const lane = createCallbackNotices({
    jobs: {
      find: async () => ({ seq: 1, id: 'a' }) as never,
      async input() {
        reads++
        if (reads <= 50) throw new Error('the input is damaged')
        return {}
      },
      notifications: {
        pending: async () => (reads > 50 ? [] : [ROW]),
        find: async () => ROW,
        outdated: async () => [],
        sent: async () => {},
      },
    },
    deliver: async () => ({ delivered: true, status: 200, tries: 1 }),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    closing: signal,
    cutOff: signal,
    onError: error => errors.push(error),
  })
  lane.run()
  await lane.idle()
  await new Promise(setImmediate)
  await lane.idle()
  t.equal(reads, 1)
  t.match(errors, [/damaged/])
  lane.run()
  await lane.idle()
  t.equal(reads, 2, 'the next round looks again')
})
