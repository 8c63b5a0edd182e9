import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { FaultlineError } from '../../../src/core/errors.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { attemptBranch } from '../../../src/core/task.ts'
import { buildApp, listen } from '../../helpers/build-app.ts'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'
import { stateOf } from '../../helpers/task-project.ts'
import { testFolder } from '../../helpers/test-folder.ts'

type Task = (context: JobContext, clonesDir: string) => Promise<unknown>

const WORDS = 'Refuse an empty e-mail address'
const FILES: TestFiles = { 'mail.js': 'export const isMail = text => true\n', 'README.md': '# Shop\n' }
const MENDED = "export const isMail = text => text !== ''\n"

/** Commits a file to a branch of a clone, without a work tree. */
function commitTo(clone: string, branch: string, content: string): { commit: string; base: string } {
  const git = (args: string[], input = '') =>
    execFileSync('git', [`--git-dir=${clone}`, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
      .toString()
      .trim()
  const base = git(['for-each-ref', '--format=%(objectname)', 'refs']).split('\n')[0] ?? ''
  const blob = git(['hash-object', '-w', '--stdin'], content)
  const others = git(['ls-tree', base])
    .split('\n')
    .filter(line => !line.endsWith('\tmail.js'))
  const tree = git(['mktree'], [...others, `100644 blob ${blob}\tmail.js`].join('\n') + '\n')
  const commit = git(['commit-tree', tree, '-p', base, '-m', 'fix: it'])
  git(['update-ref', `refs/heads/${branch}`, commit])
  return { commit, base }
}

/** What a pipeline does whose second attempt passes. */
async function secondTry({ task, progress, log, input }: JobContext, clonesDir: string) {
  const number = await task.number()
  const total = Number(input.max_attempts ?? 3)
  const at = (step: string, done: number, message: string) => progress({ step, done, total, message })
  at('pending', 0, 'begins')
  at('coding', 0, 'The coder writes')
  at('reviewing', 0, 'The reviewer reads')
  log('Attempt 1 of 3: The reviewer sent it back. Divides by zero.')
  at('coding', 1, 'The coder writes')
  at('reviewing', 1, 'The reviewer reads')
  at('testing', 1, 'Lint and tests')
  const branch = attemptBranch(number, 2)
  const [repository = ''] = readdirSync(clonesDir).filter(name => /^[a-z]/.test(name))
  const { commit, base } = commitTo(join(clonesDir, repository), branch, MENDED)
  await task.update({ attempt: 2, branchName: branch })
  await task.log('code', {
    agent: 'coder',
    action: 'generate',
    inputSummary: `Task: ${WORDS}`,
    outputSummary: '1 file',
    tokensUsed: 12,
    durationMs: 5,
  })
  at('done', total, `Branch ready: ${branch}`)
  const attempt = { base_branch: 'main', base_commit: base, notes: [], commit_message: 'fix: it', tests: null }
  return {
    taskNumber: number,
    repository,
    branch,
    baseBranch: 'main',
    baseCommit: base,
    commit,
    diff: 'diff --git a/mail.js b/mail.js\n',
    merged: false,
    mergeCommit: null,
    testsRan: false,
    pullRequestUrl: null,
    compareUrl: null,
    attempts: [
      { ...attempt, number: 1, branch: '', commit: null, diff: '', failure: { stage: 'reviewing', message: 'No.' } },
      { ...attempt, number: 2, branch, commit, diff: '', review: null, failure: null },
    ],
  }
}

async function usedUp({ progress }: JobContext): Promise<never> {
  progress({ step: 'failed', done: 3, total: 3, message: 'The reviewer sent it back' })
  throw new FaultlineError('TASK_FAILED', 'All 3 attempts failed.', 'Retry with more max_attempts.')
}

/** A server that holds the data folders, with a pipeline of the test, and a person's checkout. */
async function setUp(t: Test, run: Task, files = FILES) {
  const root = testFolder(t)
  const clonesDir = join(root, 'cloned_repos')
  const built = await buildApp(t, {
    root,
    env: { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'm' },
    definitions: {
      task: scriptedJob(context => run(context, clonesDir)),
    },
  })
  const { app, services, reposDir } = built
  const url = await listen(t, built)
  services.announce(url)
  const checkout = createGitRepository(join(reposDir, 'shop'), { files, worktree: true })
  checkout.git('config', 'user.name', 'Ada')
  checkout.git('config', 'user.email', 'ada@example.com')
  const data = [
    ...['--data-dir', join(root, 'data')],
    ...['--vector-store-dir', join(root, 'vector_store')],
    ...['--cloned-repos-dir', clonesDir],
  ]
  const cli = createCli(root)
  const call = (...args: string[]) => cli.call([...args, ...data], { cwd: checkout.dir })
  const inputOf = async (id: string) => (await app.inject(`/jobs/${id}/transcript`)).json().data[0].body
  return { ...built, url, checkout, call, cli, data, clonesDir, inputOf }
}

const jobIn = (stderr: string): string => /Task #\d+, job (\S+)/.exec(stderr)?.[1] ?? ''

test('a task shows its states, ends with its branch, and is listed and shown', async t => {
  const { call, checkout, inputOf, clonesDir } = await setUp(t, secondTry)
  const before = stateOf(checkout.dir)
  const done = await call('run', WORDS, '--repo', '.', '--model', 'big', '--max-attempts', '4', '--push')
  t.equal(done.exitCode, EXIT.done, done.stderr)
  const states = [
    'pending: begins',
    'coding (attempt 1/4): The coder writes',
    'reviewing: The reviewer reads',
    'Attempt 1 of 3: The reviewer sent it back. Divides by zero.',
    'coding (attempt 2/4): The coder writes',
    'reviewing: The reviewer reads',
    'testing: Lint and tests',
    'done: Branch ready: ai/task-1-attempt-2',
  ]
  const lines = done.stderr.split('\n')
  t.same(
    lines.filter(line => states.includes(line)),
    states,
  )
  t.match(done.stdout, /^Task #1: 2 attempts\n {2}attempt 1 {2}reviewing: No\.\n {2}attempt 2 {2}passed\nCommitted as /)
  t.match(done.stdout, /\nNobody ran a linter or tests over it\.\n/)
  const { project_name: name, ...body } = await inputOf(jobIn(done.stderr))
  t.match(name, /^shop-[0-9a-f]{8}$/)
  t.match(body, { description: WORDS, model: 'big', max_attempts: 4, push: true, auto_merge: false })
  const merging = `git fetch ${join(clonesDir, 'shop')} ai/task-1-attempt-2 && git merge --no-ff FETCH_HEAD`
  t.ok(done.stdout.includes(`\nNext:\n  faultline jobs diff ${jobIn(done.stderr)}\n  ${merging}\n`), done.stdout)
  t.same(stateOf(checkout.dir), before, 'the checkout is not touched')
  execFileSync('bash', ['-c', merging], { cwd: checkout.dir, stdio: 'ignore' })
  t.equal(readFileSync(join(checkout.dir, 'mail.js'), 'utf8'), MENDED, 'the commands that are named work')

  for (const backend of [[], ['--no-server']]) {
    t.match(await call('tasks', ...backend), {
      exitCode: EXIT.done,
      stdout: `─\n Tasks\n${'─'.repeat(60)}\n #1 [done] ${WORDS}\n`,
    })
    t.match(await call('tasks', '--status', 'failed', ...backend), { stdout: /\n No tasks\.\n$/ })
    t.match(await call('tasks', '--json', '--limit', '1', ...backend), { stdout: /"number": 1,/ })
    const shown = await call('show', '1', ...backend)
    t.match(shown, { exitCode: EXIT.done, stderr: /"faultline jobs show \S+" has its attempts/ })
    t.match(shown.stdout, /\n {2}Status: {6}done\n {2}Repository: {2}\/.*\n {2}Branch: {6}ai\/task-1-attempt-2\n/)
    t.match(shown.stdout, /\] coder\/generate\n {4}Input: {2}Task: Refuse.*\n {4}Output: 1 file\n {4}Tokens: 12\n/)
  }
})

test('a number is a task and an id a job; each command names the other', async t => {
  const { call } = await setUp(t, secondTry)
  const { stderr } = await call('run', WORDS, '--repo', '.')
  const id = jobIn(stderr)
  t.match(await call('jobs', 'show', '1'), {
    exitCode: EXIT.usage,
    stderr: `1 is the number of a task, and this command takes the id of a job.\nfix: "faultline show 1" shows the task, "faultline jobs show ${id}" its job.`,
  })
  t.match(await call('jobs', 'show', '12'), {
    exitCode: EXIT.usage,
    stderr: /no job "12"[^]*"faultline show <number>"/,
  })
  t.match(await call('show', '12'), { exitCode: EXIT.usage, stderr: /no task 12[^]*"faultline jobs show <id>"/ })
  t.match(await call('show', id), { exitCode: EXIT.usage, stderr: /not the number[^]*"faultline jobs show <id>"/ })
  t.match(await call('retry', id), { exitCode: EXIT.usage, stderr: /not the number[^]*"faultline jobs retry <id>"/ })
  t.match(await call('show', '#1'), { exitCode: EXIT.done })
  t.match(await call('jobs', 'show', id), { exitCode: EXIT.done, stdout: /Task #1: 2 attempts/ })
})

test('a task that failed says why and what to type next; only such ones are tried again', async t => {
  let runs: Task[] = [usedUp, secondTry, secondTry, usedUp]
  const { call, inputOf, checkout, app } = await setUp(t, (...args) => (runs.shift() ?? usedUp)(...args))
  const failed = await call('run', WORDS, '--repo', '.', '--max-attempts', '2', '--allow-paths', '.npmrc')
  t.match(failed, {
    exitCode: EXIT.failed,
    stdout: '',
    stderr:
      /failed: The reviewer sent it back\n[^]*All 3 attempts failed\.\nfix: .*--max-attempts\. "faultline show 1" says/,
  })
  t.match(failed.stderr, '"faultline retry 1" tries again.')
  t.match(await call('show', '1'), { stdout: /Status: {6}failed\n[^]*\n {2}Error: {7}All 3 attempts failed\.\n/ })

  const again = await call('retry', '1', '--model', 'big', '--max-attempts', '5')
  t.match(again, { exitCode: EXIT.done, stdout: /^Task #2: / }, again.stderr)
  t.match(await inputOf(jobIn(again.stderr)), {
    description: WORDS,
    max_attempts: 5,
    model: 'big',
    allow_paths: ['.npmrc'],
  })
  t.match(await call('retry', '2'), {
    exitCode: EXIT.usage,
    stderr: /Task #2 is done: only failed tasks are tried again\.\nfix: "faultline show 2"/,
  })
  await app.inject({ method: 'DELETE', url: `/jobs/${jobIn(failed.stderr)}` })
  const forgotten = await call('retry', '1', '--repo', checkout.dir)
  t.match(forgotten, { exitCode: EXIT.done, stdout: /^Task #3: / }, forgotten.stderr)
  t.match(await inputOf(jobIn(forgotten.stderr)), { description: WORDS, max_attempts: 2 })
  const known = await call('retry', '1', '--json')
  t.equal(known.exitCode, EXIT.failed)
  t.match(JSON.parse(known.stdout), { type: 'task', status: 'failed', error: { code: 'TASK_FAILED' } })
  runs = []
})

test('--auto-merge merges in the checkout, which is looked at before anything begins', async t => {
  const { call, checkout, inputOf, app, url, cli } = await setUp(t, secondTry)
  const jobs = async () => (await app.inject('/jobs')).json().data.length
  writeFileSync(join(checkout.dir, 'README.md'), '# Mine\n')
  const dirty = await call('run', WORDS, '--repo', '.', '--auto-merge')
  t.match(dirty, { exitCode: EXIT.failed, stdout: '', stderr: /not committed: "README\.md"\.\nfix: .*git stash/ })
  t.equal(await jobs(), 0)
  const remote = await cli.call(['run', WORDS, '--repo', checkout.dir, '--auto-merge', '--server', url])
  t.match(remote, { exitCode: EXIT.usage, stderr: /from a clone on this machine[^]*Leave --server out/ })
  t.equal(await jobs(), 0)
  checkout.git('-C', checkout.dir, 'checkout', '-q', '--', '.')

  const merged = await call('run', WORDS, '--repo', '.', '--auto-merge', '--json')
  t.equal(merged.exitCode, EXIT.done, merged.stderr)
  const { id, result } = JSON.parse(merged.stdout)
  t.match(result, { merged: true, merge_commit: checkout.git('rev-parse', 'HEAD').trim() })
  t.match(await inputOf(id), { auto_merge: true, merge_by: 'client' })
  t.equal(readFileSync(join(checkout.dir, 'mail.js'), 'utf8'), MENDED)
  t.match(checkout.git('log', '-1', '--format=%an %s'), `Ada Merge task 1: ${WORDS}`)
  t.equal(checkout.git('rev-list', '--parents', '-1', 'HEAD').trim().split(' ').length, 3, 'a merge commit')
})

test('a conflict leaves the checkout as it was and names the commands', async t => {
  let change = () => {}
  const { call, checkout, clonesDir } = await setUp(t, async (context, folder) => {
    const result = await secondTry(context, folder)
    change()
    return result
  })
  let before: unknown
  change = () => {
    writeFileSync(join(checkout.dir, 'mail.js'), 'export const isMail = text => text.length > 3\n')
    checkout.git('-C', checkout.dir, 'commit', '-qam', 'Other')
    before = stateOf(checkout.dir)
  }
  const conflict = await call('run', WORDS, '--repo', '.', '--auto-merge')
  t.match(conflict, {
    exitCode: EXIT.failed,
    stdout: '',
    stderr:
      /ai\/task-1-attempt-2 conflicts with main in mail\.js\. The checkout is as it was before\.\nfix: Merge it by hand: cd /,
  })
  t.ok(conflict.stderr.includes(`git fetch ${clonesDir}`))
  const withoutObjects = (state: unknown) =>
    Object.entries(state as object).filter(([path]) => !path.startsWith('.git/objects'))
  t.same(withoutObjects(stateOf(checkout.dir)), withoutObjects(before))
})

test('what makes no sense is refused before anything begins', async t => {
  const { call, cli } = await setUp(t, secondTry)
  const refused = async (...args: string[]) => {
    const { exitCode, stderr } = await call('run', ...args)
    return { exitCode, stderr }
  }
  t.match(await refused(WORDS, '--repo', '/nonexistent'), { exitCode: EXIT.usage, stderr: /no git repository/ })
  t.match(await refused(WORDS, '--repo', '.', '--project', 'x'), { exitCode: EXIT.usage, stderr: /exclude each other/ })
  t.match(await refused(WORDS, '--repo', '.', '--repository', 'x'), { exitCode: EXIT.usage, stderr: /Leave one/ })
  t.match(await refused(WORDS, '--max-attempts', '11'), { exitCode: EXIT.usage, stderr: /from 1 to 10/ })
  t.match(await refused('  ', '--repo', '.'), { exitCode: EXIT.usage, stderr: /There is no prompt/ })
  t.match(await refused(WORDS), { exitCode: EXIT.usage, stderr: /There is no project yet/ })
  t.match(await cli.call(['run', '--help']), { exitCode: EXIT.done, stdout: /Exit code 0 when the task is done, 1/ })
})
