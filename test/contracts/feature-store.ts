import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { FeatureBranch } from '../../src/core/feature.ts'
import type { ClaimedJob, JobStore } from '../../src/jobs/store/job-store.ts'

/** Opens an empty store for one test, whose clock is `now`, and closes it in the test's teardown. */
type OpenJobStore = (t: Test, now: () => Date) => Promise<JobStore>
type Claimed = Parameters<JobStore['features']['claim']>[1]

const ROOM = { limit: 100, retryAfterS: () => 7 }

/** What every implementation of JobStore must do for the branches of features. */
export function featureStoreContract(t: Test, open: OpenJobStore): void {
  const fact = (name: string, run: (t: Test, store: JobStore) => Promise<void>) =>
    t.test(name, async t => run(t, await open(t, () => new Date('2026-01-01T00:00:00Z'))))
  const begin = async (store: JobStore, { seq }: { seq: number }): Promise<ClaimedJob> => {
    const run = await store.claim(seq)
    if (run === null) throw new Error('the job is not queued')
    return run
  }
  const makeRun = async (store: JobStore, projectName = 'shop'): Promise<ClaimedJob> => {
    const more = { exclusiveKey: null, keyName: null }
    const { job } = await store.create({ id: randomUUID(), type: 'feature', input: {}, projectName, ...more }, ROOM)
    return begin(store, job)
  }
  const branchOf = ({ id }: ClaimedJob, more: Partial<Claimed> = {}): Claimed => ({
    jobId: id,
    projectName: 'shop',
    repository: 'shop',
    branch: 'feat/x',
    baseBranch: 'main',
    baseCommit: 'b'.repeat(40),
    ...more,
  })
  const claim = (store: JobStore, run: ClaimedJob, more: Partial<Claimed> = {}): Promise<boolean> =>
    store.features.claim(run, branchOf(run, more))
  const openBranches = async (store: JobStore, ...of: Parameters<JobStore['features']['open']>): Promise<string[]> =>
    (await store.features.open(...of)).map(({ branch }) => branch)

  fact('a branch that is claimed is open, holds nothing, and is found by its job', async (t, store) => {
    const run = await makeRun(store)
    t.equal(await store.features.find(run.id), null)
    t.same(await store.features.open(), [])
    t.equal(await claim(store, run), true)
    const branch: FeatureBranch = {
      ...branchOf(run),
      commit: null,
      isPushed: false,
      pushedCommit: null,
      requestNumber: null,
      state: 'open',
    }
    t.same(await store.features.find(run.id), branch)
    t.same(await store.features.open(), [branch])
    t.equal(await store.features.find('another'), null)
  })

  fact('names and texts are given back as they were', async (t, store) => {
    const run = await makeRun(store)
    const hostile = { branch: "feat/'; DROP TABLE features; --", baseBranch: 'größe/✓', repository: 'a%_' }
    await claim(store, run, hostile)
    t.match(await store.features.find(run.id), hostile)
    t.equal(await claim(store, await makeRun(store), { repository: 'aXY', branch: hostile.branch }), true)
  })

  fact('of two features one gets the branch of a clone, whose name has no capital letters', async (t, store) => {
    const runs = [await makeRun(store), await makeRun(store)] as const
    const claims = [claim(store, runs[0]), claim(store, runs[1], { repository: 'SHOP' })]
    const isFirst = await Promise.race(claims.map(async (one, place) => ((await one) ? place === 0 : place === 1)))
    t.same((await Promise.all(claims)).sort(), [false, true])
    const second = runs[isFirst ? 1 : 0]
    t.equal(await store.features.find(second.id), null, 'what was refused is not kept')
    t.equal(await claim(store, second, { projectName: 'api' }), false, 'two projects share a clone')
    t.equal(await claim(store, second, { branch: 'feat/X' }), true, 'git tells names of branches apart by their case')
    t.equal(await claim(store, await makeRun(store), { repository: 'api' }), true)
  })

  fact('a job may claim its own branch again, which then stays as it is', async (t, store) => {
    const run = await makeRun(store)
    await claim(store, run)
    const made = { commit: 'a'.repeat(40), isPushed: true, pushedCommit: 'a'.repeat(40), requestNumber: 7 }
    await store.features.update(run, made)
    t.equal(await claim(store, run), true)
    t.match(await store.features.find(run.id), { ...made, state: 'open' })
  })

  fact('another one takes its place, holds nothing, and the first is free', async (t, store) => {
    const [run, other] = [await makeRun(store), await makeRun(store)]
    await claim(store, run)
    await store.features.update(run, {
      commit: 'a'.repeat(40),
      isPushed: true,
      pushedCommit: 'a'.repeat(40),
      requestNumber: 7,
    })
    t.equal(await claim(store, other), false)
    t.equal(await claim(store, run, { branch: 'feat/y', baseBranch: 'next' }), true)
    t.same(await store.features.find(run.id), {
      ...branchOf(run, { branch: 'feat/y', baseBranch: 'next' }),
      commit: null,
      isPushed: false,
      pushedCommit: null,
      requestNumber: null,
      state: 'open',
    })
    t.equal(await claim(store, other), true)
    t.equal(await claim(store, run), false, 'one that somebody took meanwhile')
    t.match(await store.features.find(run.id), { branch: 'feat/y' })
    t.equal(await claim(store, run, { branch: 'feat/y', repository: 'api' }), true)
    t.match(await store.features.find(run.id), { repository: 'api' }, 'the same name in another clone')
  })

  fact('a run changes what it names of its own branch', async (t, store) => {
    const [run, other] = [await makeRun(store), await makeRun(store)]
    await claim(store, run)
    await claim(store, other, { branch: 'feat/y' })
    await store.features.update(run, { commit: 'a'.repeat(40) })
    await store.features.update(run, { isPushed: true, commit: undefined })
    await store.features.update(run, { requestNumber: 7, pushedCommit: 'a'.repeat(40) })
    await store.features.update(run, {})
    const made = {
      commit: 'a'.repeat(40),
      isPushed: true,
      pushedCommit: 'a'.repeat(40),
      requestNumber: 7,
      state: 'open',
    }
    t.match(await store.features.find(run.id), made)
    await store.features.update(run, { isPushed: false, requestNumber: null, commit: null })
    t.match(await store.features.find(run.id), { commit: null, isPushed: false, requestNumber: null })
    t.match(await store.features.find(other.id), { commit: null, isPushed: false, requestNumber: null })
  })

  fact('a run that lost its job, or has no branch, changes nothing', async (t, store) => {
    const run = await makeRun(store)
    await t.rejects(store.features.update(run, { isPushed: true }), /no branch of a feature/)
    await claim(store, run)
    await store.recover()
    const next = await begin(store, run)
    await t.rejects(store.features.update(run, { isPushed: true }), /another run/)
    await t.rejects(claim(store, run, { branch: 'feat/y' }), /another run/)
    t.match(await store.features.find(run.id), { branch: 'feat/x', isPushed: false })
    await store.features.update(next, { isPushed: true })
    t.match(await store.features.find(run.id), { isPushed: true })
  })

  fact('an end is kept: its branch is free, and no later one changes it', async (t, store) => {
    const ends = ['delivered', 'deployed', 'aborted'] as const
    for (const state of ends) {
      const [run, other] = [await makeRun(store), await makeRun(store)]
      await claim(store, run, { branch: state })
      t.equal(await claim(store, other, { branch: state }), false)
      if (state === 'aborted') await store.features.end(run.id, state)
      else await store.features.update(run, { state })
      t.match(await store.features.find(run.id), { state })
      for (const later of ends) await store.features.end(run.id, later)
      t.match(await store.features.find(run.id), { state }, 'what was delivered is not aborted')
      t.equal(await claim(store, other, { branch: state }), true)
      await store.features.end(other.id, 'aborted')
    }
    t.same(await store.features.open(), [])
    await store.features.end('another', 'aborted')
  })

  fact('open ones are told in the order of their jobs, of all, of one clone or of one project', async (t, store) => {
    const runs = [await makeRun(store), await makeRun(store), await makeRun(store), await makeRun(store)]
    const [first, second, third, fourth] = runs
    if (first === undefined || second === undefined || third === undefined || fourth === undefined) return
    await claim(store, third, { branch: 'c' })
    await claim(store, first, { branch: 'd', projectName: 'SHOP', repository: 'Shop' })
    await claim(store, second, { branch: 'b', projectName: 'api' })
    await claim(store, fourth, { branch: 'a', repository: 'other' })
    t.same(await openBranches(store), ['d', 'b', 'c', 'a'])
    t.same(await openBranches(store, { repository: 'SHOP' }), ['d', 'b', 'c'], 'two projects share a clone')
    t.same(await openBranches(store, { projectName: 'Shop' }), ['d', 'c', 'a'])
    await store.features.end(third.id, 'aborted')
    t.same(await openBranches(store, { projectName: 'shop' }), ['d', 'a'])
    t.same(await openBranches(store, { repository: 'x' }), [])
  })

  fact('branches outlive their jobs, and go with their project', async (t, store) => {
    const [deleted, purged, other] = [await makeRun(store), await makeRun(store), await makeRun(store, 'api')]
    await claim(store, deleted, { branch: 'a' })
    await claim(store, purged, { branch: 'b', projectName: 'SHOP' })
    await claim(store, other, { branch: 'c', projectName: 'api' })
    for (const run of [deleted, purged]) await store.endRun(run, 'succeeded')
    await store.retention.remove([deleted.seq])
    await store.retention.purge([purged])
    t.same(await openBranches(store), ['a', 'b', 'c'])
    await store.features.removeOfProject('Shop')
    t.same(await openBranches(store), ['c'])
    t.equal(await store.features.find(deleted.id), null)
    await store.features.removeOfProject('shop')
  })
}
