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

test('sixteen receivers are told at once, each of a row once, and idle is when all were', async t => {
  const rows = Array.from({ length: 20 }, (_, at) => ({ ...ROW, id: at + 1, jobId: `job${at + 1}` }))
  const marked = new Set<number>()
  const waiting: Array<() => void> = []
  const warnings: Array<[object, string]> = []
  const told: string[] = []
  const { signal } = new AbortController()
  const job = { seq: 1, type: 'fix', status: 'waiting', request: null, attempts: [], usage: {} }
  const lane = createCallbackNotices({
    jobs: {
      find: async id => ({ ...job, id, input: {} }) as never,
      input: async () => ({ callback_url: 'https://example.com/hook' }),
      notifications: {
        pending: async () => rows.filter(({ id }) => !marked.has(id)),
        find: async (id: number) => rows.find(row => row.id === id) ?? null,
        outdated: async () => [],
        async sent(id: number) {
          marked.add(id)
        },
      } as never,
    },
    async deliver({ id }) {
      told.push(id)
      await new Promise<void>(resolve => waiting.push(resolve))
      return told.length > 16
        ? { delivered: true, status: 200, tries: 1 }
        : { delivered: false, tries: 3, reason: 'gone' }
    },
    log: {
      info: () => {},
      warn: (context: object, message: string) => warnings.push([context, message]),
      error: () => {},
    },
    closing: signal,
    cutOff: signal,
    onError: error => {
      throw error
    },
  })
  const turns = async () => {
    for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  }
  lane.run()
  lane.run()
  await turns()
  t.equal(told.length, 16)
  t.equal(told[0], 'waiting-job1-1')
  let isIdle = false
  const idle = lane.idle().then(() => {
    isIdle = true
  })
  await turns()
  t.notOk(isIdle, 'they have not answered')
  for (const answer of waiting.splice(0, 1)) answer()
  await turns()
  t.equal(told.length, 17, 'the end of one begins the next')
  while (told.length < 20 || waiting.length > 0) {
    for (const answer of waiting.splice(0)) answer()
    await turns()
  }
  await idle
  await lane.idle()
  t.equal(new Set(told).size, 20)
  t.equal(told.length, 20)
  t.equal(marked.size, 20, 'one that cannot be told is not told for ever')
  t.match(warnings[0], [{ job: /^job/, tries: 3 }, 'callback_url was not told that the job waits: gone'])
})
