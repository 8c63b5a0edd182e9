import type { Test } from 'tap'
import type { SessionStore } from '../../src/jobs/store/session-store.ts'

/** Opens an empty store for one test, whose clock is `now`, and closes it in the test's teardown. */
type OpenSessionStore = (t: Test, now: () => Date) => Promise<SessionStore>

const HOUR_MS = 3_600_000
const LASTS_MS = 12 * HOUR_MS

/** What every implementation of SessionStore must do. */
export function sessionStoreContract(t: Test, open: OpenSessionStore): void {
  const fact = (name: string, run: (t: Test, store: SessionStore, clock: { now: Date }) => Promise<void>) =>
    t.test(name, async t => {
      const clock = { now: new Date('2026-01-01T00:00:00Z') }
      await run(t, await open(t, () => clock.now), clock)
    })

  fact('a session is found as it was added, with its time', async (t, store) => {
    await store.add({ id: 'a1', keyName: 'ada', keyHash: 'k' }, LASTS_MS)
    t.same(await store.find('a1', LASTS_MS), {
      ...{ id: 'a1', keyName: 'ada', keyHash: 'k' },
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    t.equal(await store.find('a2', LASTS_MS), null)
  })

  fact('it lasts as long as it is asked for, to the millisecond', async (t, store, clock) => {
    await store.add({ id: 'a1', keyName: 'ada', keyHash: 'k' }, LASTS_MS)
    clock.now = new Date(clock.now.getTime() + LASTS_MS - 1)
    t.ok(await store.find('a1', LASTS_MS))
    clock.now = new Date(clock.now.getTime() + 1)
    t.equal(await store.find('a1', LASTS_MS), null)
  })

  fact('the next one makes room of those that are over, and of no others', async (t, store, clock) => {
    await store.add({ id: 'old', keyName: 'ada', keyHash: 'k' }, LASTS_MS)
    clock.now = new Date(clock.now.getTime() + HOUR_MS)
    await store.add({ id: 'young', keyName: 'ada', keyHash: 'k' }, LASTS_MS)
    clock.now = new Date(clock.now.getTime() + LASTS_MS - HOUR_MS)
    await store.add({ id: 'new', keyName: 'ben', keyHash: 'k' }, LASTS_MS)
    t.equal(await store.find('old', 10 * LASTS_MS), null)
    t.ok(await store.find('young', 10 * LASTS_MS))
  })

  fact('one that has ended is not found, others are', async (t, store) => {
    for (const id of ['a1', 'a2']) await store.add({ id, keyName: 'ada', keyHash: 'k' }, LASTS_MS)
    await store.end('a1')
    await store.end('never there')
    t.equal(await store.find('a1', LASTS_MS), null)
    t.ok(await store.find('a2', LASTS_MS))
  })
}
