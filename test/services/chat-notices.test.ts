import { test } from 'tap'
import type { Notification } from '../../src/jobs/store/notification-store.ts'
import { BotApiError } from '../../src/outbound/telegram/bot-api.ts'
import { createChatNotices } from '../../src/services/chat-notices.ts'
import { eventually } from '../helpers/processes.ts'

test('a clock that is set back while Telegram is left alone holds no message up', async t => {
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  const row: Notification = {
    id: 1,
    jobId: 'a',
    event: 'waiting',
    channel: 'telegram',
    asked: 'question',
    at: new Date().toISOString(),
    isOpen: true,
    messageId: null,
  }
  let pending = [row]
  let calls = 0
  const closing = new AbortController()
  t.teardown(() => closing.abort())
  const lane = createChatNotices({
    jobs: {
      find: async () => ({ id: 'a' }) as never,
      notifications: {
        pending: async () => pending,
        find: async () => row,
        outdated: async () => [],
        async sent() {
          pending = []
        },
      },
    },
    chat: {
      async send() {
        calls++
        if (calls > 1) return 1
        throw new BotApiError('sendMessage: it cannot be reached', null)
      },
      removeButtons: async () => {},
      start: () => {},
      close: async () => {},
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    closing: closing.signal,
    cutOff: closing.signal,
    onError: t.error,
  })
  lane.run()
  await lane.idle()
  t.equal(calls, 1)
  Date.now = () => now() - 3_600_000
  t.ok(await eventually(() => calls === 2 && pending.length === 0))
})
