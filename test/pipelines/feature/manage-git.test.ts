import { test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import type { FeatureWriter, JobContext } from '../../../src/jobs/job-context.ts'
import { createManageGit, type ManageGitDeps } from '../../../src/pipelines/feature/manage-git.ts'

const { signal } = new AbortController()
const COMMIT = 'c'.repeat(40)

/** A feature whose calls are noted, with a repository in which the branches of `taken` exist. */
function managed({
  taken = [],
  refusal = null,
  notAsked = null,
}: { taken?: string[]; refusal?: FaultlineError | null; notAsked?: string | null } = {}) {
  const calls: string[] = []
  const logged: string[] = []
  const audited: string[] = []
  const job = {
    id: 'j1',
    step: (_name: string, run: (signal: AbortSignal) => Promise<unknown>) => run(signal),
    log: (line: string) => logged.push(line),
    audit: async ({ action, target, outcome }: Record<string, string>) => {
      audited.push(`${action} ${target}: ${outcome}`)
    },
  } as unknown as JobContext
  const noted = async (name: string, branch: string): Promise<void> => {
    calls.push(`${name} ${branch}`)
    if (refusal !== null) throw refusal
  }
  const git = {
    branchesTaken: async ({ names }: { names: string[] }) => ({
      taken: names.filter(name => taken.includes(name)),
      notAsked,
    }),
    push: ({ branch }: { branch: string }) => noted('push', branch),
    deleteRemoteBranch: async ({ branch }: { branch: string }) => {
      await noted('delete remote', branch)
      return 'deleted'
    },
    deleteBranch: ({ branch }: { branch: string }) => noted('delete', branch),
  } as unknown as ManageGitDeps['git']
  const feature = {
    claim: async ({ branch }: { branch: string }) => {
      calls.push(`claim ${branch}`)
      return true
    },
    own: async () => null,
    update: async () => {},
  } as unknown as FeatureWriter
  const at = { projectName: 'shop', repository: 'shop', commit: COMMIT } as Parameters<typeof createManageGit>[2]['at']
  const of = { at, base: {} as never, baseBranch: 'main', rules: { commitStyle: 'plain' as const }, feature }
  return { calls, audited, logged, manage: createManageGit(job, { git }, of) }
}

test('each operation on a branch does what its name says, and nothing else', async t => {
  const { manage, calls, audited } = managed({ taken: ['feat/mean'] })
  const done = await manage({ action: 'create_branch', branchName: 'feat/mean' })
  t.match(done, { success: true, branch: 'feat/mean-v2' }, 'the next name that is free')
  t.same(calls.splice(0), ['claim feat/mean-v2'])
  t.match(await manage({ action: 'push', branchName: 'feat/mean-v2' }), { success: true, branch: 'feat/mean-v2' })
  t.same(calls.splice(0), ['push feat/mean-v2'])
  t.match(await manage({ action: 'delete_branch', branchName: 'feat/mean-v2' }), { success: true })
  t.same(calls.splice(0), ['delete remote feat/mean-v2', 'delete feat/mean-v2'])
  t.same(audited, [
    'feature.create_branch feat/mean-v2: done',
    'feature.push feat/mean-v2: done',
    'feature.delete_branch feat/mean-v2: done',
  ])
})

test('what a remote refuses is told and audited; a full disk ends the job', async t => {
  const refused = managed({ refusal: new FaultlineError('PUSH_REJECTED', 'It is protected.', 'Ask its owner.') })
  t.same(await refused.manage({ action: 'push', branchName: 'feat/mean' }), {
    success: false,
    message: 'It is protected. Ask its owner.',
  })
  t.same(refused.audited, ['feature.push feat/mean: refused'])
  const full = managed({ refusal: new FaultlineError('DISK_FULL', 'It is full.') })
  await t.rejects(full.manage({ action: 'push', branchName: 'feat/mean' }), { code: 'DISK_FULL' })
})

test('a remote that cannot be asked for its branches is no reason to stop, and is told', async t => {
  const asked = managed()
  await asked.manage({ action: 'create_branch', branchName: 'feat/mean' })
  t.same(asked.logged, ['The branch is feat/mean.'])
  const gone = managed({ notAsked: 'It does not answer.' })
  t.match(await gone.manage({ action: 'create_branch', branchName: 'feat/mean' }), {
    success: true,
    branch: 'feat/mean',
  })
  t.equal(gone.logged[0], 'The remote was not asked which branches it has. It does not answer.')
})

test('of a name that is taken fifty versions are tried', async t => {
  const versions = Array.from({ length: 49 }, (_, at) => `feat/mean-v${at + 2}`)
  const last = managed({ taken: ['feat/mean', ...versions.slice(0, -1)] })
  t.match(await last.manage({ action: 'create_branch', branchName: 'feat/mean' }), { branch: 'feat/mean-v50' })
  const none = managed({ taken: ['feat/mean', ...versions] })
  t.match(await none.manage({ action: 'create_branch', branchName: 'feat/mean' }), {
    success: false,
    message: 'The branch feat/mean is taken, and so are 49 versions of it.',
  })
  const base = managed()
  t.match(await base.manage({ action: 'create_branch', branchName: 'main' }), { branch: 'main-v2' }, 'the base')
})
