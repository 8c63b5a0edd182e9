import { t as file, test, type Test } from 'tap'
import type { FeatureBranch } from '../../../src/core/feature.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { featureConflicts } from '../../../src/pipelines/feature/conflicts.ts'
import { FEATURE_FILES, planned, REQUEST, TOOL, TOOL_PATH, written, wrote } from '../../helpers/feature-project.ts'
import { buildForgeProject, type ForgeProject } from '../../helpers/forge-project.ts'
import { inJail } from '../../helpers/sandbox.ts'
import { fsck } from '../../helpers/task-project.ts'

file.setTimeout(240_000)

const BODY = { request: REQUEST, project_name: 'shop', push: true, merge: true }
const [FIRST, SECOND] = ['feat/add-characters-v1', 'feat/add-characters-v2']
const OTHERS = { [TOOL_PATH]: "export const addCharacter = () => 'theirs'\n" }

async function settled({ app }: ForgeProject, id: string) {
  for (let waits = 0; waits < 3; waits++) {
    const job = (await app.inject(`/jobs/${id}?wait=60`)).json()
    if (job.status !== 'queued' && job.status !== 'running') return job
  }
  throw new Error('the feature did not get there')
}

async function reply(project: ForgeProject, id: string, body: object) {
  await project.app.inject({ method: 'POST', url: `/jobs/${id}/reply`, body })
  return settled(project, id)
}

const remoteBranches = ({ repository }: ForgeProject): string[] =>
  repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')

/** Two features that write the same file in other words; the default branch gets it, too, while the second is coded. */
async function twoFeatures(t: Test, options: Parameters<typeof buildForgeProject>[3] = {}) {
  const { promise: heldUntil, resolve: release } = Promise.withResolvers<void>()
  const [schema, , tests] = written()
  if (schema === undefined || tests === undefined) throw new Error('the coder writes three files')
  const tool = wrote({ [TOOL_PATH]: TOOL.replace('name is empty', 'the name is empty') })
  const chat = [planned(), ...written(), planned(), schema, { ...tool, heldUntil }, tests]
  const project = await buildForgeProject(t, FEATURE_FILES, chat, options)
  t.teardown(release)
  project.forge.state.tipOf = branch => project.repository.git('rev-parse', branch)
  project.forge.state.merge = () => null // as a forge answers that finds a conflict
  const begin = async () => (await project.app.inject({ method: 'POST', url: '/features', body: BODY })).json().id
  const first = await settled(project, await begin())
  const second = await begin()
  await project.model.waitForRequest(7)
  const main = project.repository.commit(OTHERS, { message: 'Theirs' })
  release()
  return { project, first, second: await settled(project, second), main }
}

/** What is refused is told, and changes nothing but the state of the job that asks. */
async function refusedAndAborted(
  t: Test,
  { project, first, second, main }: Awaited<ReturnType<typeof twoFeatures>>,
  problem: RegExp,
) {
  const { repository } = project
  for (const { id } of [first, second]) {
    const tried = await reply(project, id, { decision: 'approve' })
    t.match(tried, { status: 'waiting', request: { kind: 'approve_delivery', problem } }, JSON.stringify(tried.request))
    t.match(tried.result, { merged: false, merge_commit: null, deployment: null, outcome: null })
  }
  t.equal(repository.git('rev-parse', 'main'), main, 'the base is untouched')
  t.same(remoteBranches(project).sort(), [FIRST, SECOND, 'main'])
  t.match((await reply(project, second.id, { decision: 'reject' })).result, { outcome: 'aborted' })
  t.same(remoteBranches(project).sort(), [FIRST, 'main'], 'the other feature is left alone')
  t.equal(repository.git('show', `main:${TOOL_PATH}`), OTHERS[TOOL_PATH]?.trim())
  t.same([fsck(project.gitDir), fsck(repository.dir)], ['', ''])
}

test(
  'conflicts with another feature and with a default branch that moved are told before the approval',
  inJail,
  async t => {
    const made = await twoFeatures(t)
    const { first, second } = made
    t.match(first.request, { branch: FIRST, conflicts: [] }, JSON.stringify(first.error))
    t.match(second.request, { branch: SECOND, problem: null }, JSON.stringify(second.error))
    const paths = [TOOL_PATH]
    const conflicts = [
      { with: 'main', job_id: null, paths },
      { with: FIRST, job_id: first.id, paths },
    ]
    t.same(second.request.conflicts, conflicts)
    t.same(second.result.conflicts, conflicts)
    t.same(second.result.notes, [])
    t.match((await made.project.app.inject(`/jobs/${second.id}/events`)).body, /It conflicts with main in src/)
    await refusedAndAborted(t, made, /merge|conflict/i)
  },
)

test('without a forge a merge that conflicts is refused by us, with the paths', inJail, async t => {
  const made = await twoFeatures(t, { token: null })
  t.match(made.second.request.conflicts, [{ with: 'main' }, { with: FIRST }], JSON.stringify(made.second.error))
  await refusedAndAborted(
    t,
    made,
    /conflicts with what came to "main" meanwhile, in "src\/dynamic\/tools\/add_character\.ts"/,
  )
})

test('features of other projects on the same clone are compared, and not named', async t => {
  const [ours, theirs] = ['a'.repeat(40), 'b'.repeat(40)]
  const other = (projectName: string, branch: string): FeatureBranch => ({
    jobId: branch,
    projectName,
    repository: 'shop',
    branch,
    baseBranch: 'main',
    baseCommit: null,
    commit: theirs,
    isPushed: false,
    pushedCommit: null,
    requestNumber: null,
    state: 'open',
  })
  const logged: string[] = []
  const job = {
    step: async <T>(_name: string, work: (signal: AbortSignal) => Promise<T>) => work(new AbortController().signal),
    log: (text: string) => logged.push(text),
    feature: { others: async () => [other('Shop', 'feat/mine'), other('api', 'feat/x'), other('api', 'feat/y')] },
  } as unknown as JobContext
  const deps = {
    git: {
      fetchBase: async () => ({ commit: theirs, branch: 'main', notes: [] }),
      findConflicts: async ({ with: all }: { with: ReadonlyArray<{ branch: string }> }) => ({
        conflicts: all.filter(({ branch }) => branch !== 'feat/y').map(({ branch }) => ({ branch, paths: ['a'] })),
        notCompared: ['feat/y'],
      }),
    },
  }
  const at = { projectName: 'shop', repository: 'shop', commit: ours }
  const { conflicts, notes } = await featureConflicts(job, deps as never, { at, baseBranch: 'main', commit: ours })
  const unnamed = 'another feature of this repository'
  t.same(conflicts, [
    { with: 'main', jobId: null, paths: ['a'] },
    { with: 'feat/mine', jobId: 'feat/mine', paths: ['a'] },
    { with: unnamed, jobId: null, paths: ['a'] },
  ])
  t.same(notes, [`It was not compared with ${unnamed}.`])
  t.notMatch(logged.join('\n'), /feat\/[xy]/)
  t.match(logged.join('\n'), /conflicts with another feature of this repository in a/)
})
