import type { Test } from 'tap'
import type { NewAuditEntry } from '../../src/core/audit.ts'
import type { AuditStore } from '../../src/jobs/store/audit-store.ts'

/** Opens an empty log for one test, whose clock is `now`, and closes it in the test's teardown. */
type OpenAuditStore = (t: Test, now: () => Date) => Promise<AuditStore>

const DAY_MS = 86_400_000

const entry = (more: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  key: 'ada',
  action: 'project.change',
  projectName: 'Shop',
  target: 'checks',
  outcome: 'done',
  requestId: 'req_1',
  ...more,
})

/** What every implementation of AuditStore must do. */
export function auditStoreContract(t: Test, open: OpenAuditStore): void {
  const fact = (name: string, run: (t: Test, store: AuditStore, clock: { now: Date }) => Promise<void>) =>
    t.test(name, async t => {
      const clock = { now: new Date('2026-01-01T00:00:00Z') }
      await run(t, await open(t, () => clock.now), clock)
    })
  const targets = async (store: AuditStore, ...[filter, limit = 100, before = null]: Parameters<AuditStore['list']>) =>
    (await store.list(filter, limit, before)).map(({ target }) => target)

  fact('an entry is kept as it was given, with its time', async (t, store) => {
    await store.add(entry())
    await store.addQuickly(entry({ key: null, projectName: null, target: null, requestId: null, outcome: 'X' }))
    t.match(await store.list({}, 10, null), [
      { at: '2026-01-01T00:00:00.000Z', key: null, projectName: null, target: null, requestId: null, outcome: 'X' },
      { ...entry(), at: '2026-01-01T00:00:00.000Z' },
    ])
  })

  fact('the newest come first, in pages, also those of the same moment', async (t, store) => {
    for (const target of ['1', '2', '3']) await store.add(entry({ target }))
    const first = await store.list({}, 2, null)
    t.same(
      first.map(({ target }) => target),
      ['3', '2'],
    )
    t.same(await targets(store, {}, 2, first[1]?.seq ?? 0), ['1'])
  })

  fact('a list is filtered by project, key and action, or by what actions begin with', async (t, store) => {
    await store.add(entry({ target: 'a', action: 'reply.approve' }))
    await store.add(entry({ target: 'b', action: 'reply.reject', key: 'ben', projectName: 'shop' }))
    await store.add(entry({ target: 'c', action: 'replyish', projectName: null }))
    t.same(await targets(store, { projectName: 'SHOP' }, 10, null), ['b', 'a'])
    t.same(await targets(store, { key: 'ada' }, 10, null), ['c', 'a'])
    t.same(await targets(store, { action: 'reply.approve' }, 10, null), ['a'])
    t.same(await targets(store, { action: 'reply' }, 10, null), ['b', 'a'])
    t.same(await targets(store, { action: 'reply', key: 'ben', projectName: 'shop' }, 10, null), ['b'])
    t.same(await targets(store, { action: '%' }, 10, null), [])
  })

  fact('who sees some projects sees their entries, and of no project those of the own key', async (t, store) => {
    await store.add(entry({ target: 'a', projectName: 'SHOP', key: 'ben' }))
    await store.add(entry({ target: 'b', projectName: 'api' }))
    await store.add(entry({ target: 'c', projectName: null }))
    await store.add(entry({ target: 'd', projectName: null, key: null }))
    t.same(await targets(store, { visibleTo: { projects: ['shop'], keyName: 'ada' } }, 10, null), ['c', 'a'])
    t.same(await targets(store, { visibleTo: null }, 10, null), ['d', 'c', 'b', 'a'])
  })

  fact('what is older is forgotten', async (t, store, clock) => {
    await store.add(entry({ target: 'old' }))
    clock.now = new Date(clock.now.getTime() + DAY_MS)
    await store.add(entry({ target: 'new' }))
    await store.forget(DAY_MS)
    t.same(await targets(store, {}, 10, null), ['new', 'old'], 'not yet')
    clock.now = new Date(clock.now.getTime() + 1)
    await store.forget(DAY_MS)
    t.same(await targets(store, {}, 10, null), ['new'])
  })

  fact('one entry takes the place of all of a project, but not of those of its kind', async (t, store) => {
    const purge = entry({ action: 'project.purge' })
    await store.add(entry({ target: 'a' }))
    await store.add(entry({ target: 'b', projectName: 'api' }))
    await store.replace('shop', { ...purge, target: 'first' })
    await store.add(entry({ target: 'c', projectName: 'SHOP' }))
    await store.replace('Shop', { ...purge, target: 'second' })
    t.same(await targets(store, {}, 10, null), ['second', 'first', 'b'])
  })
}
