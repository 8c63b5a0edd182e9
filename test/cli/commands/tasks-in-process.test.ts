import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { t as file, test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { taskTitle } from '../../../src/core/task.ts'
import { startModelServer, type Reply } from '../../fakes/model-server.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { inJail } from '../../helpers/sandbox.ts'
import { BROKEN, DESCRIPTION, MENDED, mend, NODE_FILES, reviewed, stateOf } from '../../helpers/task-project.ts'
import { testFolder } from '../../helpers/test-folder.ts'

file.setTimeout(240_000)

/** A person's checkout, a scripted model and no server: each command is a process of its own. */
async function setUp(t: Test, replies: Reply[]) {
  const root = testFolder(t)
  const model = await startModelServer({ chat: replies })
  t.teardown(() => model.close())
  const checkout = createGitRepository(join(root, 'mean'), { files: NODE_FILES, worktree: true })
  checkout.git('config', 'user.name', 'Ada')
  checkout.git('config', 'user.email', 'ada@example.com')
  const clonesDir = join(root, 'cloned_repos')
  const env = {
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    DATA_DIR: join(root, 'data'),
    VECTOR_STORE_DIR: join(root, 'vector_store'),
    CLONED_REPOS_DIR: clonesDir,
  }
  const cli = createCli(root)
  const call = (...args: string[]) => cli.run(args, { cwd: checkout.dir, env })
  const start = (...args: string[]) => cli.start(args, { cwd: checkout.dir, env })
  /** But for the one that is checked out. */
  const branches = () =>
    execFileSync('git', [`--git-dir=${join(clonesDir, 'mean')}`, 'branch', '--format=%(refname:short)'])
      .toString()
      .trim()
      .split('\n')
      .filter(name => /^(?:ai|faultline)\//.test(name))
  return {
    call,
    start,
    checkout,
    model,
    branches,
    read: (path: string) => readFileSync(join(checkout.dir, path), 'utf8'),
  }
}

test('Ctrl-C ends the task, leaves no branch, and says how to go on', inJail, async t => {
  const { promise: heldUntil, resolve: release } = Promise.withResolvers<void>()
  const { start, checkout, model, branches } = await setUp(t, [{ heldUntil }])
  t.teardown(release)
  const before = stateOf(checkout.dir)
  const child = start('run', DESCRIPTION, '--repo', '.')
  child.stdin?.end()
  await model.waitForRequest(1)
  child.kill('SIGINT')
  const { exitCode, stderr } = await child.finished
  t.equal(exitCode, EXIT.interrupted)
  t.match(stderr, /\nfaultline: Interrupted: task #1 was cancelled\.\nfix: "faultline retry 1" begins it again\.\n$/)
  t.same(branches(), [])
  t.same(stateOf(checkout.dir), before)
})

const lengthOfLongest = (text: string): number => Math.max(...text.split('\n').map(line => line.length))

test('run, show and retry without a server leave the checkout byte for byte as it was', inJail, async t => {
  const { call, checkout, branches, read } = await setUp(t, [
    mend(BROKEN),
    reviewed('reject'),
    mend(BROKEN),
    reviewed('approve'),
    mend(),
    reviewed('approve'),
  ])
  const before = stateOf(checkout.dir)

  const failed = await call('run', DESCRIPTION, '--repo', '.', '--max-attempts', '2')
  t.match(failed, { exitCode: EXIT.failed, stdout: '' }, failed.stderr)
  const lines = failed.stderr.split('\n')
  for (const line of [
    'coding (attempt 1/2): bringing the default branch up to date',
    'reviewing: the reviewer reads the diff',
    'Attempt 1 of 2 failed. The reviewer rejected the change. A bug.',
    '- [critical] src/mean.js:2: Divides by zero.',
    'coding (attempt 2/2): bringing the default branch up to date',
    'testing: lint and tests run',
    'lint without the change:',
    'test without the change:',
    'lint with the change:',
    'test with the change:',
    'Attempt 2 of 2 failed. `npm test`: test failed (exit code 1): 1 test passed without the change, and not with it.',
    '- test/mean.test.js > some',
  ]) {
    t.ok(lines.includes(line), line)
  }
  t.match(
    lines.filter(line => line.startsWith('faultline: ')),
    [
      /^faultline: All 2 attempts failed\. The last one: `npm test`: test failed \(exit code 1\): [^`]*with it\. .*> some$/,
    ],
  )
  t.ok(lengthOfLongest(failed.stderr) < 300, 'no line holds what a program printed')
  t.same(stateOf(checkout.dir), before)
  t.same(branches(), [])

  const shown = await call('show', '1')
  t.match(shown.stdout, /\n {2}Branch: {6}ai\/task-1-attempt-2 \(deleted\)\n {2}Attempt: {5}2\/2\n/)
  t.match(shown.stdout, /\n {2}Error: {7}All 2 attempts failed\. [^]*\n {2}Feedback: {4}`npm test`: test failed/)
  t.match(shown.stdout, /commit: feat: give 0 for nothing\n/)
  t.notMatch(shown.stdout, / \n/, 'no line ends in a blank')

  const done = await call('retry', '1')
  t.match(done, { exitCode: EXIT.done, stdout: /^Task #2: 1 attempt\n {2}attempt 1 {2}passed\n/ }, done.stderr)
  t.match(await call('tasks'), { stdout: ` #2 [done] ${DESCRIPTION}\n #1 [failed] ${DESCRIPTION}\n` })
  t.same(stateOf(checkout.dir), before)
  t.same(branches(), ['ai/task-2-attempt-1'])

  const merging = done.stdout.split('\n').find(line => line.startsWith('  git fetch ')) ?? 'false'
  execFileSync('bash', ['-c', merging], { cwd: checkout.dir, stdio: 'ignore' })
  t.equal(read('src/mean.js'), MENDED)
})

test('--auto-merge begins anew where the branch moved in between, and merges', inJail, async t => {
  const { call, checkout, model, read } = await setUp(t, [mend()])
  const git = (...args: string[]) => checkout.git('-C', checkout.dir, ...args)
  const [mine, both] = ['export const mean = list => list.length\n', `// mine\n${MENDED}`]
  model.answerBy(() => {
    writeFileSync(join(checkout.dir, 'src/mean.js'), MENDED.replace('? 0 :', '? NaN :'))
    git('commit', '-qam', 'Other')
    model.answerBy(() => ({ status: 400, body: {} }))
    model.push(mend(both), reviewed('approve'))
    return reviewed('approve')
  })
  const wide = `${DESCRIPTION} ${'🦓'.repeat(200)}`
  const merged = await call('run', wide, '--repo', '.', '--auto-merge')
  t.match(merged, { exitCode: EXIT.done }, merged.stderr)
  t.match(merged.stdout, /^Task #1: 2 attempts\n {2}attempt 1 {2}merging: .*src\/mean\.js.*\n {2}attempt 2 {2}passed\n/)
  t.match(merged.stdout, /\nMerged ai\/task-1-attempt-2 into main as [0-9a-f]{10}\.\n/)
  t.equal(read('src/mean.js'), both)
  t.equal(git('log', '-1', '--format=%an %s').trim(), `Ada Merge task 1: ${taskTitle(wide)}`)
  t.notMatch((await call('show', '1')).stdout, '\ufffd', 'no character is cut in two')
  t.equal(git('status', '--porcelain'), '')

  writeFileSync(join(checkout.dir, 'src/mean.js'), mine)
  const before = stateOf(checkout.dir)
  const asked = model.requests.length
  const dirty = await call('run', DESCRIPTION, '--repo', '.', '--auto-merge')
  t.match(dirty, { exitCode: EXIT.failed, stderr: /not committed: "src\/mean\.js"\.\nfix: .*git stash/ })
  t.equal(model.requests.length, asked)
  t.same(stateOf(checkout.dir), before)
})
