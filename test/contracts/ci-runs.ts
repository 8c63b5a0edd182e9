import type { Test } from 'tap'
import type { CiRun, CiRuns } from '../../src/resolutions/ci-runs.ts'

/** Opens an empty table for one test, and closes it in the test's teardown. */
type OpenCiRuns = (t: Test) => Promise<CiRuns>

const runOf = (jobId: string, more: Partial<CiRun> = {}): CiRun => ({
  jobId,
  at: '2026-01-01T00:00:00.000Z',
  commit: 'a'.repeat(40),
  fingerprints: ['ab'],
  sketch: [1, 2],
  ...more,
})

/** What every implementation of CiRuns must do. */
export function ciRunsContract(t: Test, open: OpenCiRuns): void {
  t.test('runs are kept once by their jobs, and told newest first, of one project', async t => {
    const runs = await open(t)
    const [first, second] = [runOf('1'), runOf('2', { commit: '', fingerprints: [], sketch: [0.5, -1] })]
    for (const run of [first, second]) await runs.record('Shop', run)
    await runs.record('shop', { ...first, commit: 'b' })
    await runs.record('api', runOf('3'))
    t.same(await runs.list('SHOP'), [second, first])
  })

  t.test('old runs are forgotten, and those of a project with it', async t => {
    const runs = await open(t)
    await runs.record('shop', runOf('1'))
    await runs.record('shop', runOf('2', { at: '2026-01-02T00:00:00.000Z' }))
    await runs.record('api', runOf('3', { at: '2026-01-02T00:00:00.000Z' }))
    await runs.removeBefore('2026-01-02T00:00:00.000Z')
    t.match(await runs.list('shop'), [{ jobId: '2' }])
    await runs.removeOfProject('SHOP')
    t.same(await runs.list('shop'), [])
    t.equal((await runs.list('api')).length, 1)
  })
}
