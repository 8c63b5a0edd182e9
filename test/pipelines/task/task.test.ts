import assert from 'node:assert/strict'
import { t as file, test } from 'tap'
import type { TaskResultAnswer } from '../../../src/contract/task.ts'
import { buildProject, type ProjectWithModel } from '../../helpers/project-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'
import {
  BROKEN,
  coded,
  DESCRIPTION,
  fsck,
  MENDED,
  mend,
  NODE_FILES,
  reviewed,
  stateOf,
  TABBED,
  THINKING,
} from '../../helpers/task-project.ts'

file.setTimeout(240_000)

const BODY = { description: DESCRIPTION, project_name: 'shop' }
/** Posts a task and waits for its end, also on a busy machine; without a push the remote stays as it was. */
async function run({ app, repository }: ProjectWithModel, body: object) {
  const before = stateOf(repository.dir)
  const { id } = (await app.inject({ method: 'POST', url: '/tasks', body })).json()
  for (let waits = 0; waits < 3; waits++) {
    const job = (await app.inject(`/jobs/${id}?wait=60`)).json()
    const isOver = job.status !== 'queued' && job.status !== 'running'
    if (isOver && !('push' in body)) assert.deepEqual(stateOf(repository.dir), before)
    if (isOver) return job
  }
  throw new Error('the task did not end')
}
const branchesOf = ({ git }: ProjectWithModel) =>
  git('for-each-ref', '--format=%(refname:short)', 'refs/heads')
    .split('\n')
    .filter(name => name !== '')
const textOf = (project: ProjectWithModel, request: number) =>
  project
    .sent(request)
    .map(({ content }) => content)
    .join('\n')

test('what the reviewer approves and the checks pass is a branch, and nothing else is touched', inJail, async t => {
  const project = await buildProject(t, NODE_FILES, [mend(), reviewed('approve')])
  const before = stateOf(project.repository.dir)
  const job = await run(project, BODY)
  t.match(job, { type: 'task', status: 'succeeded' })
  const result: TaskResultAnswer = job.result
  t.match(result, {
    task_number: 1,
    branch: 'ai/task-1-attempt-1',
    base_branch: 'main',
    base_commit: project.commit,
    merged: false,
    merge_commit: null,
    tests_ran: true,
    attempts: [{ number: 1, review: { decision: 'approve', issues: [], summary: 'Clean.' }, failure: null }],
  })
  t.match(result.attempts[0]?.tests, {
    passed: true,
    summary: 'All checks passed',
    checks: [
      { name: 'lint', status: 'passed', exit_code: 0 },
      { name: 'test', status: 'passed', exit_code: 0 },
    ],
  })
  t.equal(project.git('show', `${result.branch}:src/mean.js`), MENDED.trim())
  t.equal(project.git('rev-parse', `${result.branch}^`), project.commit)
  t.equal(project.git('log', '-1', '--format=%s', result.branch ?? ''), 'feat: give 0 for nothing')
  t.match(await project.applied(job.id, 'src/mean.js'), { apply: MENDED, am: MENDED })
  t.same(stateOf(project.repository.dir), before)
  t.same(branchesOf(project), [result.branch])
  t.equal(fsck(project.gitDir), '')

  const asked = textOf(project, 1)
  for (const secret of ['zebra', THINKING, 'give 0 for nothing', 'Task:']) t.notOk(asked.includes(secret), secret)
  t.ok(asked.includes('list.length === 0 ? 0'))

  const task = (await project.app.inject('/tasks/1')).json()
  t.match(task, { number: 1, job_id: job.id, status: 'done', title: DESCRIPTION, attempt: 1, max_attempts: 3 })
  t.match(
    task.logs.map(({ agent, action }: { agent: string; action: string }) => `${agent}/${action}`),
    ['coder/generate', 'reviewer/review', 'tester/test', 'pipeline/complete'],
  )
  t.ok(task.logs[0].tokens_used > 0)
  t.match((await project.app.inject('/tasks?status=done')).json(), { data: [{ number: 1 }] })
})

test('what the reviewer rejects goes back to the coder with the issues; the first branch goes', inJail, async t => {
  const project = await buildProject(t, NODE_FILES, [mend(BROKEN), reviewed('reject'), mend(), reviewed('approve')])
  const { result } = await run(project, BODY)
  t.match(result, { branch: 'ai/task-1-attempt-2', attempts: [{ failure: { stage: 'reviewing' } }, { failure: null }] })
  t.match(result.attempts[0].diff, /list\.length \+ 1/, 'the diff of the failed attempt stays')
  t.same(branchesOf(project), ['ai/task-1-attempt-2'])
  t.match(textOf(project, 2), /Divides by zero\./)
  t.notMatch(textOf(project, 0), /Divides by zero\./)
  t.equal(project.git('rev-parse', 'ai/task-1-attempt-2^'), project.commit, 'each begins on the default branch')
})

test('what breaks a test or the linter goes back with its output', inJail, async t => {
  const replies = [mend(BROKEN), reviewed('approve'), mend(TABBED), reviewed('approve'), mend(), reviewed('approve')]
  const project = await buildProject(t, NODE_FILES, replies)
  const { result } = await run(project, BODY)
  t.match(result.attempts, [
    { failure: { stage: 'testing' }, tests: { passed: false, test_output: /some/ } },
    { failure: { stage: 'testing' }, tests: { passed: false, lint_output: /a tab/ } },
    { failure: null, tests: { passed: true } },
  ])
  t.match(textOf(project, 2), /not ok|✖|some/)
  t.match(textOf(project, 4), /src\/mean\.js: a tab/)
})

test('a task whose attempts are used up fails, with all of them and no branch', inJail, async t => {
  const project = await buildProject(t, NODE_FILES, [
    mend(BROKEN),
    reviewed('reject'),
    mend(BROKEN),
    reviewed('reject'),
  ])
  const before = stateOf(project.repository.dir)
  const job = await run(project, { ...BODY, max_attempts: 2 })
  t.match(job, {
    status: 'failed',
    error: { code: 'TASK_FAILED', message: /All 2 attempts failed.*Divides by zero/s },
    result: { branch: null, attempts: [{ diff: /length \+ 1/ }, { diff: /length \+ 1/ }] },
  })
  t.same(branchesOf(project), [])
  t.equal(fsck(project.gitDir), '')
  t.same(stateOf(project.repository.dir), before)
  t.match((await project.app.inject('/tasks/1')).json(), {
    status: 'failed',
    attempt: 2,
    error_message: /All 2 attempts failed/,
    reviewer_feedback: /Divides by zero/,
  })
})

test('an answer that is no JSON is asked about once, then costs the attempt and not the job', inJail, async t => {
  const replies = [{ text: 'Sure!' }, { text: '{"files": 7}' }, mend(), { text: 'Fine.' }, reviewed('approve')]
  const project = await buildProject(t, NODE_FILES, replies)
  const job = await run(project, BODY)
  t.match(job, {
    status: 'succeeded',
    result: { branch: 'ai/task-1-attempt-2', attempts: [{ failure: { stage: 'coding' }, commit: null, diff: '' }, {}] },
  })
})

test('a project without scripts is reviewed, and the result says that nobody ran it', inJail, async t => {
  const files = { 'notes.md': 'one\n' }
  const answer = coded([{ path: 'notes.md', action: 'update', content: 'one\ntwo\n' }])
  const project = await buildProject(t, files, [answer, reviewed('approve')])
  const { result } = await run(project, BODY)
  t.match(result, {
    tests_ran: false,
    attempts: [{ tests: { passed: null, checks: [{ status: 'skipped' }, { status: 'skipped' }] } }],
  })
})

test('what failed before the change rejects nothing', inJail, async t => {
  const files = {
    ...NODE_FILES,
    'test/old.test.js': "import { test } from 'node:test'\ntest('old', () => { throw new Error('old') })\n",
  }
  const project = await buildProject(t, files, [mend(), reviewed('approve')])
  const { result } = await run(project, BODY)
  t.match(result.attempts, [{ failure: null, tests: { passed: false, checks: [{}, { status: 'failed_before' }] } }])
})

test('a project of Python with its own test runner', inJail, async t => {
  const files = {
    'mean.py': 'def mean(items):\n    return sum(items) / len(items)\n',
    'test_mean.py':
      'import unittest\n\nfrom mean import mean\n\n\nclass Mean(unittest.TestCase):\n' +
      '    def test_some(self):\n        self.assertEqual(mean([2, 4]), 3)\n',
    '.faultline.toml': '[checks]\ninstall = "true"\ntest = "python3 -m unittest -v"\n',
  }
  const code = 'def mean(items):\n    return sum(items) / len(items) if items else 0\n'
  const broken = 'def mean(items):\n    return sum(items)\n'
  const update = (content: string) => coded([{ path: 'mean.py', action: 'update', content }])
  const project = await buildProject(t, files, [update(broken), reviewed('approve'), update(code), reviewed('approve')])
  const { result } = await run(project, BODY)
  t.match(result.attempts, [
    { failure: { stage: 'testing' }, tests: { broken: [/test_some/] } },
    { failure: null, tests: { passed: true } },
  ])
})

test('the branch is pushed when that is asked for; auto_merge needs it', inJail, async t => {
  const project = await buildProject(t, NODE_FILES, [mend(), reviewed('approve')])
  const refused = await project.post('/tasks', { ...BODY, auto_merge: true })
  t.match(refused.json(), { status: 422, code: 'MERGE_NEEDS_PUSH', fix: /"push": true/ })
  const { result } = await run(project, { ...BODY, push: true })
  t.equal(project.repository.git('rev-parse', 'ai/task-1-attempt-1'), result.commit)
})

test('auto_merge makes a merge commit on the default branch of the remote', inJail, async t => {
  const project = await buildProject(t, NODE_FILES, [mend(), reviewed('approve')])
  const { result } = await run(project, { ...BODY, auto_merge: true, push: true })
  t.match(result, { merged: true, commit: /./ })
  t.equal(project.repository.git('rev-parse', 'main'), result.merge_commit)
  t.equal(project.repository.git('rev-parse', 'main^1'), project.commit)
  t.equal(project.repository.git('rev-parse', 'main^2'), result.commit)
  t.equal(fsck(project.gitDir), '')
})

test('a conflict with what the default branch holds by then begins the next attempt there', inJail, async t => {
  const held = Promise.withResolvers<null>()
  const other = MENDED.replace('? 0', '? Number.NaN')
  const again = MENDED.replace('? 0', '? -0')
  const first = { ...reviewed('approve'), slowTokensUntil: held.promise }
  const project = await buildProject(t, NODE_FILES, [mend(), first, mend(again), reviewed('approve')])
  const running = run(project, { ...BODY, auto_merge: true, push: true })
  await project.model.waitForRequest(2)
  const moved = project.repository.commit({ 'src/mean.js': other })
  held.resolve(null)
  const { result } = await running
  t.match(result, {
    merged: true,
    attempts: [{ failure: { stage: 'merging', message: /src\/mean\.js/ } }, { failure: null }],
  })
  t.equal(result.base_commit, moved)
  t.match(textOf(project, 2), /Number\.NaN/, 'the coder sees the new state')
  t.equal(project.repository.git('rev-parse', 'main^1'), moved)
})

test('two tasks of one repository at the same time do not disturb each other', inJail, async t => {
  const answers = (request: Record<string, unknown>) => {
    const text = JSON.stringify(request.messages)
    if (text.includes('first.txt') && text.includes('+one')) return reviewed('approve')
    if (text.includes('second.txt') && text.includes('+two')) return reviewed('approve')
    if (text.includes('Write the first')) return coded([{ path: 'first.txt', action: 'create', content: 'one\n' }])
    return coded([{ path: 'second.txt', action: 'create', content: 'two\n' }])
  }
  const project = await buildProject(t, NODE_FILES, [])
  project.model.answerBy(answers)
  const jobs = await Promise.all(
    ['Write the first', 'Write the other'].map(description =>
      run(project, { ...BODY, description, push: true, auto_merge: true }),
    ),
  )
  t.match(jobs, [{ status: 'succeeded' }, { status: 'succeeded' }])
  const { git } = project.repository
  t.match(git('ls-tree', '--name-only', 'main').split('\n'), /first\.txt/)
  t.match(git('ls-tree', '--name-only', 'main').split('\n'), /second\.txt/)
  t.equal(fsck(project.gitDir), '')
})
