import { test, type Test } from 'tap'
import type { FeatureBranch } from '../../src/core/feature.ts'
import { FaultlineError } from '../../src/core/errors.ts'
import { baseHold } from '../../src/pipelines/steps/base/fresh-base.ts'
import type { OwnBranch } from '../../src/repos/clone/own-branches.ts'
import { createFeatureTidying } from '../../src/services/feature-tidying.ts'

const COMMIT = 'a'.repeat(40)

/** A feature whose job has ended, and whose remote answers as the test says. */
function setUp(t: Test) {
  const branch: FeatureBranch = {
    jobId: 'one',
    projectName: 'shop',
    repository: 'shop',
    branch: 'feat/x',
    baseBranch: 'main',
    baseCommit: 'b'.repeat(40),
    commit: COMMIT,
    isPushed: true,
    pushedCommit: COMMIT,
    requestNumber: null,
    state: 'open',
  }
  const closing = new AbortController()
  t.teardown(() => closing.abort())
  const seen = { warnings: [] as string[], entries: [] as string[], delays: [] as number[], tries: 0, atOnce: 0 }
  const deleted: OwnBranch[] = []
  const own: OwnBranch[] = []
  const remote = { error: null as FaultlineError | null }
  let atOnce = 0
  let next: (() => void) | undefined
  const tidying = createFeatureTidying({
    features: {
      find: async () => ({ ...branch }),
      open: async () => (branch.state === 'open' ? [{ ...branch }] : []),
      async end(_id: string, state: 'aborted') {
        branch.state = state
      },
    } as never,
    jobs: { find: async () => null },
    audit: {
      add: async ({ outcome, target }: { outcome: string; target: string }) =>
        seen.entries.push(`${outcome}: ${target}`),
    } as never,
    git: {
      ownBranches: async () => own,
      async deleteBranch(of: OwnBranch) {
        deleted.push(of)
      },
      async deleteRemoteBranch() {
        seen.tries++
        seen.atOnce = Math.max(seen.atOnce, ++atOnce)
        await Promise.resolve()
        atOnce--
        if (remote.error !== null) throw remote.error
        return 'deleted'
      },
    },
    findForge: async () => null,
    log: { info() {}, error() {}, warn: (_context: object, message: string) => seen.warnings.push(message) },
    closing: closing.signal,
    later(work, ms) {
      seen.delays.push(ms)
      next = work
      return setTimeout(() => {}, 0)
    },
  })
  const again = async () => {
    next?.()
    await tidying.idle()
  }
  return { tidying, seen, deleted, own, remote, branch, again }
}

const DEAD = new FaultlineError('REPOSITORY_UNREACHABLE', 'The remote did not answer.')

test('what a dead remote keeps is tried ever more rarely, and told once', async t => {
  const { tidying, seen, remote, branch, again } = setUp(t)
  remote.error = DEAD
  tidying.sweep()
  await tidying.idle()
  for (let tries = 0; tries < 9; tries++) await again()
  t.equal(seen.tries, 10)
  t.same(seen.warnings, ['The remote did not answer.'])
  const minutes = seen.delays.map(ms => ms / 60_000)
  t.same(minutes, [5, 10, 20, 40, 80, 160, 320, 360, 360, 360])
  remote.error = null
  await again()
  t.equal(branch.state, 'aborted')
  t.equal(seen.delays.length, 10)
  t.same(seen.entries, ['done: feat/x (job one)'])
})

test('a project that is deleted waits for what is left of its features, and tells what stays', async t => {
  const { tidying, seen, remote, branch } = setUp(t)
  tidying.ended({ id: 'one', projectName: 'shop' })
  await tidying.settle('shop')
  t.match(branch, { state: 'aborted' })
  await tidying.idle()
  t.same([seen.entries, seen.warnings, seen.atOnce], [['done: feat/x (job one)'], [], 1])

  branch.state = 'open'
  remote.error = DEAD
  await tidying.settle('shop')
  t.equal(seen.entries.at(-1), 'left: feat/x (job one)')
  t.match(seen.warnings.at(-1), /the project is deleted, and this branch or its pull request may stay/)
})

test('a clone that is gone is no reason to be silent about what was pushed', async t => {
  const { tidying, seen, remote, branch } = setUp(t)
  remote.error = new FaultlineError('NOT_FOUND', 'There is no such clone.')
  tidying.sweep()
  await tidying.idle()
  t.equal(branch.state, 'aborted', 'nothing can be done any more')
  t.match(seen.warnings, [/"feat\/x" may still be on the remote: the clone that it was pushed from is gone/])
})

test('of a feature that ended by itself only the branch that holds its base goes', async t => {
  const { tidying, seen, deleted, branch } = setUp(t)
  branch.state = 'delivered'
  tidying.ended({ id: 'one', projectName: 'shop' })
  await tidying.idle()
  t.same(deleted, [{ projectName: 'shop', repository: 'shop', branch: baseHold('one') }])
  t.match(seen, { tries: 0, entries: [] })
})

test('of the branches of a project only the one that holds the base of the ended job goes', async t => {
  const { tidying, deleted, own, branch } = setUp(t)
  branch.state = 'delivered'
  const of = { projectName: 'shop', repository: 'api' }
  own.push({ ...of, branch: baseHold('two') }, { ...of, branch: baseHold('one') }, { ...of, branch: 'faultline/one' })
  tidying.ended({ id: 'one', projectName: 'shop' })
  await tidying.idle()
  t.same(deleted, [
    { ...of, branch: baseHold('one') },
    { ...of, repository: 'shop', branch: baseHold('one') },
  ])
  deleted.length = 0
  tidying.ended({ id: 'one', projectName: null })
  await tidying.idle()
  t.same(
    deleted.map(({ repository }) => repository),
    ['shop'],
    'a job of no project has none',
  )
})
