import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { NotifyEvent } from '../../src/contract/primitives.ts'
import type { ClaimedJob, JobStore } from '../../src/jobs/store/job-store.ts'
import type { Notification } from '../../src/jobs/store/notification-store.ts'

/** Opens an empty store for one test, whose clock is `now`, and closes it in the test's teardown. */
type OpenJobStore = (t: Test, now: () => Date) => Promise<JobStore>

const ROOM = { limit: 1000, retryAfterS: () => 7 }
const BOTH = ['waiting', 'done'] as const
const NOW = '2026-01-01T00:00:00.000Z'

/** What every implementation of JobStore must do for notifications. */
export function notificationStoreContract(t: Test, open: OpenJobStore): void {
  const fact = (name: string, run: (t: Test, store: JobStore) => Promise<void>) =>
    t.test(name, async t => run(t, await open(t, () => new Date(NOW))))

  const begin = async (store: JobStore, { seq }: { seq: number }): Promise<ClaimedJob> => {
    const run = await store.claim(seq)
    if (run === null) throw new Error('the job is not queued')
    return run
  }
  async function makeRun(store: JobStore, notify?: readonly NotifyEvent[], projectName = 'shop'): Promise<ClaimedJob> {
    const more = { exclusiveKey: null, keyName: null, notify }
    const { job } = await store.create({ id: randomUUID(), type: 'self_heal', input: {}, projectName, ...more }, ROOM)
    return begin(store, job)
  }
  const ask = (store: JobStore, run: ClaimedJob, asked = 'q'): Promise<boolean> =>
    store.endRun(run, 'waiting', { suspension: { asked, request: { kind: 'clarification', question: 'Which?' } } })
  async function reply(store: JobStore, { id }: ClaimedJob): Promise<void> {
    const job = await store.find(id)
    if (job !== null) await store.answer(job, { reply: 1, budget: null, note: '', entries: [] })
  }
  const pending = async (store: JobStore, channel: Notification['channel'] = 'telegram') =>
    (await store.notifications.pending(channel)).map(({ jobId, event, asked }) => ({ jobId, event, asked }))
  async function only(store: JobStore, channel: Notification['channel'] = 'telegram'): Promise<Notification> {
    const [row, ...more] = await store.notifications.pending(channel)
    if (row === undefined || more.length > 0) throw new Error(`there are ${more.length} more`)
    return row
  }

  fact('a question is kept for both channels with the status, an end for the chat alone', async (t, store) => {
    const run = await makeRun(store, BOTH)
    for (const channel of ['callback', 'telegram'] as const) t.same(await pending(store, channel), [])
    await ask(store, run)
    for (const channel of ['callback', 'telegram'] as const) {
      const { id, ...row } = await only(store, channel)
      t.same(row, { jobId: run.id, event: 'waiting', channel, asked: 'q', at: NOW, isOpen: true, messageId: null })
      t.same(await store.notifications.find(id), { id, ...row })
      await store.notifications.sent(id, null)
    }
    await reply(store, run)
    await store.endRun(await begin(store, run), 'succeeded')
    t.same(await pending(store, 'callback'), [])
    t.match(await only(store), { event: 'done', asked: null, at: NOW, isOpen: false, messageId: null })
  })

  fact('each job notifies when it was made to, and of nothing else', async (t, store) => {
    for (const notify of [undefined, [], ['waiting'], ['done']] as const) {
      const run = await makeRun(store, notify)
      await ask(store, run)
      await reply(store, run)
      await store.endRun(await begin(store, run), 'failed', { error: { code: 'INTERNAL', message: '', step: null } })
      const events = (await pending(store)).filter(({ jobId }) => jobId === run.id).map(({ event }) => event)
      t.same(events, notify ?? [])
    }
  })

  fact('an end counts however it comes, a restart does not', async (t, store) => {
    const [cancelled, lost] = [await makeRun(store, BOTH), await makeRun(store, BOTH)]
    await store.cancel(cancelled.seq)
    t.match(await only(store), { jobId: cancelled.id, event: 'done' })
    await store.cancel(cancelled.seq)
    await store.recover()
    await begin(store, lost)
    await ask(store, lost)
    await store.endRun(lost, 'succeeded')
    t.match(await only(store), { jobId: cancelled.id }, 'nor what a run says that lost its job')
  })

  fact('what was sent is not pending any more, and stays as it is', async (t, store) => {
    await ask(store, await makeRun(store, BOTH))
    const row = await only(store)
    await store.notifications.sent(row.id, 4711)
    t.same(await pending(store), [])
    t.same(await store.notifications.find(row.id), { ...row, messageId: 4711 })
    t.equal((await pending(store, 'callback')).length, 1, 'each channel has its own')
    await store.notifications.sent(999, 1)
    t.equal(await store.notifications.find(999), null)
  })

  fact('a question is open until it is answered, also by a later one or by the end', async (t, store) => {
    const run = await makeRun(store, BOTH)
    await ask(store, run, 'first')
    const first = await only(store)
    const isOpen = async ({ id }: Notification) => (await store.notifications.find(id))?.isOpen
    t.equal(await isOpen(first), true)
    await reply(store, run)
    t.equal(await isOpen(first), false)
    await ask(store, await begin(store, run), 'second')
    t.equal(await isOpen(first), false, 'the job waits again, with another question')
    await store.notifications.sent(first.id, null)
    const second = await only(store)
    t.match(second, { asked: 'second', isOpen: true })
    await store.cancel(run.seq)
    t.equal(await isOpen(second), false)
  })

  fact('a question that is asked again under its name is another one', async (t, store) => {
    const run = await makeRun(store, ['waiting'])
    await ask(store, run, 'budget')
    await reply(store, run)
    await ask(store, await begin(store, run), 'budget')
    const rows = await store.notifications.pending('telegram')
    t.same(
      rows.map(({ asked, isOpen }) => ({ asked, isOpen })),
      [
        { asked: 'budget', isOpen: false },
        { asked: 'budget', isOpen: true },
      ],
    )
  })

  fact('messages with buttons are outdated once their question is, until the buttons are gone', async (t, store) => {
    const [asked, silent] = [await makeRun(store, ['waiting']), await makeRun(store, ['waiting'])]
    for (const run of [asked, silent]) await ask(store, run)
    const [first, second] = await store.notifications.pending('telegram')
    if (first === undefined || second === undefined) throw new Error('nothing is pending')
    await store.notifications.sent(first.id, 10)
    await store.notifications.sent(second.id, null)
    t.same(await store.notifications.outdated(), [])
    for (const run of [asked, silent]) await reply(store, run)
    t.same(await store.notifications.outdated(), [{ ...first, isOpen: false, messageId: 10 }])
    await store.notifications.sent(first.id, null)
    t.same(await store.notifications.outdated(), [])
  })

  fact('the oldest come first, and no more than 200 at once', async (t, store) => {
    const runs = []
    for (let n = 0; n < 203; n++) runs.push(await makeRun(store, ['waiting']))
    for (const run of runs.toReversed()) await ask(store, run)
    const ids = (await pending(store)).map(({ jobId }) => jobId)
    t.same(
      ids,
      runs
        .toReversed()
        .slice(0, 200)
        .map(({ id }) => id),
    )
    for (const { id } of await store.notifications.pending('telegram')) await store.notifications.sent(id, id)
    t.equal((await pending(store)).length, 3)
    for (const run of runs) await store.cancel(run.seq)
    t.equal((await store.notifications.outdated()).length, 200)
  })

  fact('notifications go with their job, however it goes; no number is given twice', async (t, store) => {
    const [removed, purged, kept] = [await makeRun(store, BOTH), await makeRun(store, BOTH), await makeRun(store, BOTH)]
    for (const run of [removed, purged, kept]) await ask(store, run)
    const rows = await store.notifications.pending('telegram')
    for (const { id } of rows) await store.notifications.sent(id, id)
    for (const run of [removed, purged]) await store.cancel(run.seq)
    await store.retention.remove([removed.seq])
    await store.retention.purge([purged])
    t.same(await pending(store), [])
    t.same(await store.notifications.outdated(), [])
    t.same(await pending(store, 'callback'), [{ jobId: kept.id, event: 'waiting', asked: 'q' }])
    const found = await Promise.all(rows.map(({ id }) => store.notifications.find(id)))
    t.same(
      found.map(row => row?.jobId ?? null),
      [null, null, kept.id],
    )
    await store.cancel(kept.seq)
    await store.retention.remove([kept.seq])
    await ask(store, await makeRun(store, ['waiting']))
    const [next] = await store.notifications.pending('callback')
    t.ok((next?.id ?? 0) > Math.max(...rows.map(({ id }) => id)) + 2)
  })
}
