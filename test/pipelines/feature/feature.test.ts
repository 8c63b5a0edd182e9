import { t as file, test } from 'tap'
import type { FeatureResultAnswer } from '../../../src/contract/feature.ts'
import {
  FEATURE_FILES,
  PLAN,
  planned,
  REQUEST,
  TEST_PATH,
  TESTS,
  TOOL,
  TOOL_PATH,
  written,
  wrote,
} from '../../helpers/feature-project.ts'
import { eventually } from '../../helpers/processes.ts'
import { buildProject, type ProjectWithModel } from '../../helpers/project-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'
import { fsck, stateOf } from '../../helpers/task-project.ts'

file.setTimeout(600_000)

const BODY = { request: REQUEST, project_name: 'shop' }

/** Waits until a job waits or has ended, also on a busy machine. */
async function settled({ app }: ProjectWithModel, id: string) {
  for (let waits = 0; waits < 3; waits++) {
    const job = (await app.inject(`/jobs/${id}?wait=60`)).json()
    if (job.status !== 'queued' && job.status !== 'running') return job
  }
  throw new Error('the feature did not get there')
}
async function run(project: ProjectWithModel, body: object = {}) {
  const made = await project.app.inject({ method: 'POST', url: '/features', body: { ...BODY, ...body } })
  return settled(project, made.json().id)
}
async function reply(project: ProjectWithModel, id: string, body: object) {
  await project.app.inject({ method: 'POST', url: `/jobs/${id}/reply`, body })
  return settled(project, id)
}
const branchesOf = ({ git }: ProjectWithModel) =>
  git('for-each-ref', '--format=%(refname:short)', 'refs/heads')
    .split('\n')
    .filter(name => name !== '' && !name.endsWith('-base'))

test('a request becomes a checked branch that waits, and an approval delivers it', inJail, async t => {
  const project = await buildProject(t, FEATURE_FILES, [planned(), ...written()])
  const before = stateOf(project.repository.dir)
  const waiting = await run(project)
  t.match(
    waiting,
    {
      type: 'feature',
      status: 'waiting',
      progress: { step: 'awaiting_approval' },
      request: { kind: 'approve_delivery', branch: 'feat/add-characters-v1', problem: null, deploys_by: null },
    },
    JSON.stringify(waiting.error),
  )
  t.match(waiting.request.checks, [
    { check: 'migrate', passed: true },
    { check: 'typecheck', passed: true, exit_code: 0 },
    { check: 'lint', passed: null },
    { check: 'test', passed: true, exit_code: 0 },
  ])
  const { result, status } = await reply(project, waiting.id, { decision: 'approve' })
  t.equal(status, 'succeeded')
  const feature: FeatureResultAnswer = result
  t.match(feature, {
    outcome: 'delivered',
    plan: { understood: PLAN.understood, branch_name: 'feat/add-characters-v1' },
    branch: 'feat/add-characters-v1',
    base_commit: project.commit,
    migrations: ['migrations/0001.sql', 'migrations/journal.json'],
    scaffolded: ['src/dynamic/schema/characters.ts', TOOL_PATH, TEST_PATH],
    attempts: [{ number: 1, error: null }],
    conflicts: [],
    deployment: null,
  })
  t.equal(project.git('show', `${feature.branch}:${TOOL_PATH}`), TOOL.trim())
  t.match(project.git('show', `${feature.branch}:migrations/0001.sql`), /CREATE TABLE characters/)
  t.equal(
    project.git('log', '-1', '--format=%s', feature.branch ?? ''),
    'feat: store characters with a name, a role and an age',
  )
  t.match(project.git('log', '-1', '--format=%B', feature.branch ?? ''), new RegExp(`Faultline-Job: ${waiting.id}`))
  t.same(stateOf(project.repository.dir), before, 'the remote is untouched')
  t.same(branchesOf(project), ['feat/add-characters-v1'])
  t.equal(fsck(project.gitDir), '')
  const { data } = (await project.app.inject('/audit?action=feature')).json()
  const actions = new Set(data.map(({ action }: { action: string }) => action))
  for (const action of ['create_branch', 'scaffold', 'code', 'migration', 'check', 'commit']) {
    t.ok(actions.has(`feature.${action}`), action)
  }
})

test('a rejection aborts it: no branch is left, and the diff stays', inJail, async t => {
  const project = await buildProject(t, FEATURE_FILES, [planned(), ...written()])
  const { id } = await run(project)
  const job = await reply(project, id, { decision: 'reject' })
  t.match(job, { status: 'succeeded', progress: { step: 'aborted' }, result: { outcome: 'aborted' } })
  t.ok(await eventually(() => branchesOf(project).length === 0))
  t.match(job.result.diff, /add_character/)
  const { data } = (await project.app.inject('/audit?action=feature.abort')).json()
  t.match(data, [{ target: 'feat/add-characters-v1', outcome: 'done' }])
})

test('a rejection with a comment goes back to the coder, and is one more commit', inJail, async t => {
  const better = TOOL.replace('is empty', 'is empty, sorry')
  const project = await buildProject(t, FEATURE_FILES, [planned(), ...written(), wrote({ [TOOL_PATH]: better })])
  const { id } = await run(project)
  const again = await reply(project, id, { decision: 'reject', comment: 'Be polite' })
  t.match(again, { status: 'waiting', request: { kind: 'approve_delivery', reworks_left: 9 } })
  t.match(
    project
      .sent(4)
      .map(({ content }) => content)
      .join('\n'),
    /Be polite/,
  )
  const { result } = await reply(project, id, { decision: 'approve' })
  t.match(result, { outcome: 'delivered', attempts: [{ number: 1 }, { number: 2 }] })
  t.equal(project.git('rev-list', '--count', `${project.commit}..${result.branch}`), '2')
  t.match(project.git('show', `${result.branch}:${TOOL_PATH}`), /sorry/)
  t.equal(
    project.git('log', '--format=%s', `${project.commit}..${result.branch}`),
    'feat: change what the review asked for: Be polite\nfeat: store characters with a name, a role and an age',
  )
  const { data } = (await project.app.inject('/audit?action=feature.migration')).json()
  t.ok(data.some(({ target }: { target: string }) => target.startsWith('rollback: migrations/0001.sql,')))
})

test('red tests go back with their output, and the next try passes', inJail, async t => {
  const wrong = TESTS.replace('INSERT INTO characters', 'DELETE FROM characters')
  const [schema, tool] = written()
  const project = await buildProject(t, FEATURE_FILES, [
    planned(),
    ...(schema === undefined || tool === undefined ? [] : [schema, tool]),
    wrote({ [TEST_PATH]: wrong }),
    wrote({ [TEST_PATH]: TESTS }),
  ])
  const job = await run(project)
  t.match(job, { status: 'waiting', result: { attempts: [{ error: /DELETE FROM/ }, { error: null }] } })
  t.match(
    project
      .sent(4)
      .map(({ content }) => content)
      .join('\n'),
    /Previous attempt failed with error:[\s\S]*DELETE FROM/,
  )
})

test('what a failed task kept from being done is done in the next attempt', inJail, async t => {
  const [schema, tool, tests] = written()
  const broken = { text: `--- a/${TOOL_PATH}\n+++ b/${TOOL_PATH}\n@@ -1,1 +1,1 @@\n-no such line\n+x\n` }
  const replies = [planned(), schema, broken, tool, tests].filter(one => one !== undefined)
  const project = await buildProject(t, FEATURE_FILES, replies)
  const job = await run(project, { max_retries: 1 })
  t.match(job, { status: 'waiting' }, JSON.stringify(job.error))
})

test('a project without a command for migrations is told that there is none', inJail, async t => {
  const files = { ...FEATURE_FILES, '.faultline.toml': '[features]\ntemplates = "templates"\n' }
  const project = await buildProject(t, files, [planned(), ...written()])
  const { request } = await run(project)
  t.match(request.checks[0], { check: 'migrate', passed: null, output: /no command that generates migrations/ })
})

test('the same error twice ends it as stuck, and nothing is left', inJail, async t => {
  const wrong = TESTS.replace('INSERT INTO characters', 'DELETE FROM characters')
  const [schema, tool] = written()
  const project = await buildProject(t, FEATURE_FILES, [
    planned(),
    ...(schema === undefined || tool === undefined ? [] : [schema, tool]),
    wrote({ [TEST_PATH]: wrong }),
    wrote({ [TOOL_PATH]: `${TOOL}// still the same\n` }),
  ])
  const job = await run(project)
  t.match(job, {
    status: 'failed',
    error: { code: 'FEATURE_FAILED', message: /stuck/ },
    result: { outcome: 'aborted' },
  })
  t.same(branchesOf(project), [])
})

test('an edit outside of the allowed paths is told once, and then ends it', inJail, async t => {
  const outside = wrote({ 'src/main.ts': 'export const stories = [1]\n' })
  const project = await buildProject(t, FEATURE_FILES, [planned(), outside, outside])
  const job = await run(project)
  t.match(job, { status: 'failed', error: { code: 'OUT_OF_SCOPE', message: /src\/main\.ts is outside/ } })
  const { data } = (await project.app.inject('/audit?action=feature.code')).json()
  t.match(data, [{ target: /src\/main\.ts is outside/, outcome: 'refused' }])
  t.match(
    project
      .sent(2)
      .map(({ content }) => content)
      .join('\n'),
    /is outside of what a feature may change/,
  )
  t.same(branchesOf(project), [])
})

test('a bad plan is asked for once more, and then it fails', inJail, async t => {
  const project = await buildProject(t, FEATURE_FILES, [planned({ understood: 'x' }), planned({ understood: 'x' })])
  t.match(await run(project), { status: 'failed', error: { code: 'PLAN_INVALID', message: /makes nothing/ } })
})

test('a plan waits where it is to be reviewed, and is made again with a comment', inJail, async t => {
  const other = { ...PLAN, branchName: 'feat/heroes' }
  const project = await buildProject(t, FEATURE_FILES, [planned(), planned(other), ...written()])
  const first = await run(project, { review: 'plan' })
  t.match(first, {
    status: 'waiting',
    request: { kind: 'review_plan', plan: { branch_name: 'feat/add-characters-v1' } },
  })
  const second = await reply(project, first.id, { decision: 'reject', comment: 'Call them heroes' })
  t.match(second, { status: 'waiting', request: { kind: 'review_plan', plan: { branch_name: 'feat/heroes' } } })
  t.equal(second.progress.message, 'waiting for the plan to be approved')
  const third = await reply(project, first.id, { decision: 'approve' })
  t.match(third, { status: 'waiting', request: { kind: 'approve_delivery', branch: 'feat/heroes' } })
})
