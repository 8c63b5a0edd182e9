import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { t as file, test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { startModelServer, type Reply } from '../../fakes/model-server.ts'
import { buildApp, listen } from '../../helpers/build-app.ts'
import {
  FEATURE_FILES,
  PLAN,
  planned,
  REQUEST,
  TOOL,
  TOOL_PATH,
  written,
  wrote,
} from '../../helpers/feature-project.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { eventually } from '../../helpers/processes.ts'
import { buildProject } from '../../helpers/project-with-model.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { inJail } from '../../helpers/sandbox.ts'
import { stateOf } from '../../helpers/task-project.ts'
import { testFolder } from '../../helpers/test-folder.ts'

file.setTimeout(240_000)

/** A server with a project and a scripted model, and a person at a terminal. */
async function setUp(t: Test, replies: Reply[] = [planned(), ...written()]) {
  const project = await buildProject(t, FEATURE_FILES, replies)
  const url = await listen(t, project)
  const branches = () =>
    project
      .git('for-each-ref', '--format=%(refname:short)', 'refs/heads')
      .split('\n')
      .filter(name => name.startsWith('feat/'))
  return { ...project, cli: createCli(project.root), args: ['feature', REQUEST, '--server', url], url, branches }
}

test('a person reads the plan and the result, and approves both', inJail, async t => {
  const { cli, args, branches, repository } = await setUp(t)
  const before = stateOf(repository.dir)
  const { exitCode, stdout, stderr, asked } = await cli.converse(
    [...args, '--review', 'plan'],
    [
      [
        /Is this plan right\?\n.*Character.* in characters: name: varchar\(200\), role\?: .*add_character.*Branch: feat\/add-characters-v1\n.*Build it by this plan\? \[y\/N\] $/s,
        'y',
      ],
      [/feat\/add-characters-v1.*\+export function addCharacter.*Approve it\? \[y\/N\] $/s, 'yes'],
    ],
  )
  t.match({ exitCode, asked }, { exitCode: EXIT.done, asked: 2 }, stderr)
  for (const step of ['planning', 'scaffolding', 'coding', 'verifying', 'delivering', 'awaiting_approval']) {
    t.match(stderr, `${step}: `)
  }
  t.match(stderr, /(?:^|\[y\/N\] )delivered$/m)
  t.notMatch(stderr, /deployed/)
  t.match(
    stdout,
    /^Delivered: Store characters with a name, a role and an age\.\n1 attempt:\n {2}attempt 1 {2}passed\n/,
  )
  t.match(stdout, /\n {2}migrate +passed .*\n {2}typecheck +passed .*\n {2}lint +not run .*\n {2}test +passed /)
  t.match(stdout, /\nCommitted as [0-9a-f]{7,12} to feat\/add-characters-v1 in the clone/)
  t.match(stdout, /\nNext:\n {2}faultline jobs diff [-0-9a-f]{36}\n {2}faultline jobs patch [-0-9a-f]{36} \| git am\n$/)
  t.same(branches(), ['feat/add-characters-v1'])
  t.same(stateOf(repository.dir), before)
})

test('a plan that is rejected with a comment is made again; without one nothing is built', inJail, async t => {
  const other = { ...PLAN, understood: 'Store characters without an age.', branchName: 'feat/other' }
  const { cli, args, branches, sent } = await setUp(t, [planned(), planned(other)])
  const { exitCode, stdout, stderr, asked } = await cli.converse(
    [...args, '--review', 'plan'],
    [
      [/Build it by this plan\? \[y\/N\] $/, 'n'],
      [/^What should be different\? .*\(Enter: end without a feature\): $/, 'No age, please'],
      [/Store characters without an age\..*Build it by this plan\? \[y\/N\] $/s, ''],
      [/What should be different\?/, ''],
    ],
  )
  t.match({ exitCode, asked }, { exitCode: EXIT.failed, asked: 4 }, stderr)
  t.match(sent(1).at(-1)?.content, 'No age, please')
  t.match(stdout, /^Aborted: Store characters without an age\.\n/)
  t.notMatch(stdout, /Next:/)
  t.same(branches(), [])
})

test('a result that is rejected with a comment goes back to the coder; without one it is deleted', inJail, async t => {
  const changed = wrote({ [TOOL_PATH]: TOOL.replace('name is empty', 'the name is empty') })
  const { cli, args, branches, sent } = await setUp(t, [planned(), ...written(), changed])
  const { exitCode, stdout, stderr, asked } = await cli.converse(args, [
    [/Approve it\? \[y\/N\] $/, 'n'],
    [/^What should be different\? .*\(Enter: abort it\): $/, 'Say "the name"'],
    [/the name is empty.*Approve it\? \[y\/N\] $/s, 'n'],
    [/What should be different\?/, ''],
  ])
  t.match({ exitCode, asked }, { exitCode: EXIT.failed, asked: 4 }, stderr)
  t.match(sent(4).at(-1)?.content, /Say "the name"/)
  t.match(stdout, /^Aborted: .*\n2 attempts:\n/)
  t.match(stdout, /\nNothing of it is left but its diff\.\n/)
  t.same(branches(), [])
})

test('without a terminal it waits and says how it is answered; --yes asks nobody', inJail, async t => {
  const { cli, args, app, branches } = await setUp(t, [planned(), ...written(), planned(), ...written()])
  const waiting = await cli.call(args)
  t.match(waiting, { exitCode: EXIT.failed, stdout: '' })
  const [, id = ''] =
    /The job ([-0-9a-f]{36}) waits for a reply, and there is no terminal to ask on: /.exec(waiting.stderr) ?? []
  t.match(waiting.stderr, new RegExp(`\\nfix: faultline jobs reply ${id} .*--approve.*--yes, with the first command`))
  const done = await cli.call(['jobs', 'reply', id, '--approve', ...args.slice(2)])
  t.match(done.exitCode, EXIT.done, done.stderr)
  t.match((await app.inject(`/jobs/${id}?wait=30`)).json(), { status: 'succeeded', result: { outcome: 'delivered' } })
  const yes = await cli.call([...args, '--yes', '--review', 'plan', '--project', 'shop'])
  t.match(yes, { exitCode: EXIT.done, stdout: /^Delivered: / }, yes.stderr)
  t.same(branches(), ['feat/add-characters-v1', 'feat/add-characters-v2'])
})

test('a feature that fails says why and where to look', inJail, async t => {
  const { cli, args, branches } = await setUp(t, [{ text: 'I cannot.' }, { text: 'I still cannot.' }])
  const failed = await cli.call(args)
  t.match(failed, { exitCode: EXIT.failed, stdout: '' })
  t.match(
    failed.stderr,
    /\nfaultline: The planner gave no plan that can be used\. .*\nfix: Say in the request what is to be stored/,
  )
  t.same(branches(), [])
})

test('Ctrl-C ends the feature, leaves no branch and the checkout as it was', inJail, async t => {
  const root = testFolder(t)
  const { promise: heldUntil, resolve: release } = Promise.withResolvers<void>()
  t.teardown(release)
  const model = await startModelServer({ chat: [planned(), { heldUntil }] })
  t.teardown(() => model.close())
  const checkout = createGitRepository(join(root, 'stories'), { files: FEATURE_FILES, worktree: true })
  const clonesDir = join(root, 'cloned_repos')
  const env = {
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    DATA_DIR: join(root, 'data'),
    VECTOR_STORE_DIR: join(root, 'vector_store'),
    CLONED_REPOS_DIR: clonesDir,
  }
  const before = stateOf(checkout.dir)
  const cli = createCli(root)
  const child = cli.start(['feature', REQUEST, '--repo', '.'], { cwd: checkout.dir, env })
  child.stdin?.end()
  await model.waitForRequest(2)
  child.kill('SIGINT')
  const { exitCode, stderr } = await child.finished
  t.equal(exitCode, EXIT.interrupted, stderr)
  t.match(stderr, /\nfaultline: Interrupted: the feature was cancelled, and its branch is deleted\.\n/)
  t.match(stderr, /\nfix: "faultline jobs retry [-0-9a-f]{36}" begins it again\./)
  const heads = () =>
    execFileSync('git', [`--git-dir=${join(clonesDir, 'stories')}`, 'for-each-ref', 'refs/heads']).toString()
  t.equal(heads(), '')
  t.same(stateOf(checkout.dir), before)
})

test('Ctrl-C beside a server says how the cancelled feature is followed', inJail, async t => {
  const { promise: heldUntil, resolve: release } = Promise.withResolvers<void>()
  t.teardown(release)
  const { cli, args, model, branches } = await setUp(t, [planned(), { heldUntil }])
  const child = cli.start(args)
  child.stdin?.end()
  await model.waitForRequest(2)
  child.kill('SIGINT')
  const { exitCode, stderr } = await child.finished
  t.equal(exitCode, EXIT.interrupted, stderr)
  t.match(stderr, /\nfaultline: Interrupted: the feature was cancelled; the server deletes its branch\.\n/)
  t.match(stderr, /\nfix: "faultline jobs show [-0-9a-f]{36}" says how it ended, .*"faultline jobs retry /)
  t.ok(await eventually(() => branches().length === 0))
})

test('the mistakes of a beginner are told with the next step', async t => {
  const built = await buildApp(t, { env: { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'm' } })
  const url = await listen(t, built)
  const cli = createCli(built.root)
  const server = ['--server', url]
  const none = await cli.call(['feature', 'Store characters', ...server])
  t.equal(none.exitCode, EXIT.usage)
  t.match(none.stderr, /^faultline: .*no (?:indexed )?project.*\nfix: .*(?:faultline clone|--repo)/im)
  const unknown = await cli.call(['feature', 'Store characters', '--project', 'nope', ...server])
  t.match(unknown, { exitCode: EXIT.usage, stderr: /"nope"[^]*\nfix: / })
  for (const words of ['', '   ']) {
    const empty = await cli.call(['feature', words, '--project', 'shop', ...server])
    t.match(
      empty,
      { exitCode: EXIT.usage, stderr: /fix: .*faultline feature "Store characters/ },
      JSON.stringify(words),
    )
  }
  const silent = await cli.call(['feature', '--project', 'shop', ...server])
  t.match(silent, { exitCode: EXIT.usage, stderr: /faultline feature "/ }, 'nothing to ask on')
  t.match(await cli.call(['feature', 'x', '--max-retries', '11', ...server]), {
    exitCode: EXIT.usage,
    stderr: /--max-retries.*0 to 10/,
  })
  t.match(await cli.call(['feature', 'x', '--review', 'all', ...server]), { exitCode: EXIT.usage, stderr: /--review/ })
  t.match(await cli.call(['feature', 'x', '--coder', 'me', ...server]), { exitCode: EXIT.usage, stderr: /--coder/ })
  const both = await cli.call(['feature', 'x', '--repo', '.', '--repository', 'y', ...server])
  t.match(both, { exitCode: EXIT.usage, stderr: /fix: Leave one of them out/ })
})

test('without a model it is said how one is configured; merge needs push', async t => {
  const built = await buildApp(t)
  const url = await listen(t, built)
  const cli = createCli(built.root)
  const repository = createGitRepository(join(built.reposDir, 'shop'), { files: { 'a.ts': 'export {}\n' } })
  const server = ['--server', url]
  t.match(await cli.call(['clone', repository.dir, ...server]), { exitCode: EXIT.done })
  const { exitCode, stderr } = await cli.call(['feature', 'Store characters', ...server])
  t.equal(exitCode, EXIT.missing)
  t.match(stderr, /^faultline: .*model.*\nfix: .*LLM_BASE_URL/im)
})

test('the help says what is asked, what is deleted and which exit codes there are', async t => {
  const { stdout, exitCode } = await createCli(testFolder(t)).call(['feature', '--help'])
  t.equal(exitCode, EXIT.done)
  for (const option of [
    '--repo',
    '--project',
    '--repository',
    '--review',
    '--max-retries',
    '--push',
    '--merge',
    '--draft',
    '--coder',
    '--yes',
  ]) {
    t.match(stdout, new RegExp(`^ +${option}\\b`, 'm'))
  }
  t.match(stdout, /aborts and deletes the branch/)
  t.match(stdout, /Exit code 0 when it was delivered, 1 when it failed or was\naborted/)
  t.ok(stdout.split('\n').every(line => line.length <= 120))
})
