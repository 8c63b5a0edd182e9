import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { checkMergeTarget, mergeIntoCheckout } from '../../../src/services/checkout-merge.ts'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { DATE, signal } from '../objects/commit-to.ts'
import { oldGit } from '../old-git.ts'
import { testRepos } from '../test-repos.ts'

const BRANCH = 'ai/task-1-attempt-1'
const MESSAGE = 'Merge task 1: Say mine'
const FILES: TestFiles = { 'a.txt': 'one\ntwo\nthree\n', 'src/b.txt': 'b\n', '.gitignore': 'ignored\nignored-*\n' }
/** Where git keeps objects, which may stay, and what it last fetched. */
const UNSEEN = /^\.git\/(?:objects|logs)\//

/** Everything in a checkout and of its repository, byte for byte, but for objects. */
function bytesOf(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter(name => !UNSEEN.test(name) && statSync(join(dir, name)).isFile())
    .sort()
  return Object.fromEntries(names.map(name => [name, readFileSync(join(dir, name), 'base64')]))
}

async function setup(t: Test, changed: Record<string, string | null> = { 'a.txt': 'one\nmine\nthree\n' }) {
  const { remotes, repos } = testRepos(t)
  const checkout = createGitRepository(join(remotes, 'shop'), { files: FILES, worktree: true })
  const { dir } = checkout
  const run = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' }).toString().trim()
  run('config', 'user.name', 'Ada')
  run('config', 'user.email', 'ada@example.com')
  run('config', 'commit.gpgSign', 'false')
  const { commit: base, gitDir } = await repos.sync({ url: dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  const of = { repository: 'shop', projectName: 'shop' }
  const { commit: tip } = await repos.commitFiles(
    { ...of, base, branch: BRANCH, files: changed, message: 'Mine\n', date: DATE },
    signal,
  )
  const merge = (path = dir) =>
    mergeIntoCheckout({ path, cloneDir: gitDir, branch: BRANCH, into: 'main', message: MESSAGE })
  const write = (path: string, text: string) => writeFileSync(join(dir, path), text)
  const commit = (path: string, text: string) => {
    write(path, text)
    run('add', '-f', path)
    run('commit', '--quiet', '-m', 'Theirs')
    return run('rev-parse', 'HEAD')
  }
  /** That a merge is refused, and what it leaves. */
  const isRefused = async (expected: { code: string; message: RegExp; fix?: RegExp }, what: string) => {
    const before = bytesOf(dir)
    await t.rejects(merge(), expected, what)
    t.same(bytesOf(dir), before, `${what}: nothing changed`)
  }
  const isWhole = () => t.equal(run('fsck', '--no-dangling', '--no-progress'), '')
  return { dir, repos, run, merge, base, tip, gitDir, write, commit, isRefused, isWhole }
}

test('a branch is merged into the checkout as its person', async t => {
  const { dir, run, merge, base, tip, write, isWhole } = await setup(t, { 'a.txt': 'mine\n', 'src/new.txt': 'new\n' })
  write('untracked', 'stays\n')
  t.same(await checkMergeTarget(dir), { root: dir, branch: 'main', commit: base })
  const made = await merge()
  t.same(made, { commit: run('rev-parse', 'main') })
  t.equal(run('log', '-1', '--format=%P|%an|%ae|%B'), `${base} ${tip}|Ada|ada@example.com|${MESSAGE}`)
  t.equal(readFileSync(join(dir, 'src/new.txt'), 'utf8'), 'new\n')
  t.equal(run('status', '--porcelain'), '?? untracked')
  t.same(await merge(join(dir, 'src')), made, 'once, however often, from any folder')
  isWhole()
  t.equal(run('for-each-ref', '--format=%(refname)'), 'refs/heads/main')
  t.notOk(existsSync(join(dir, '.git', 'FETCH_HEAD')))
})

test('what came to the checkout meanwhile is merged, and a conflict leaves everything as it was', async t => {
  const { dir, run, merge, commit, write, tip, base, isWhole } = await setup(t)
  run('config', 'rerere.enabled', 'true')
  write('a.txt', 'stashed\n')
  run('stash')
  const theirs = commit('a.txt', 'one\ntheirs\nthree\n')
  write('untracked', 'stays\n')
  const before = bytesOf(dir)
  t.same(await merge(), { conflicts: ['a.txt'] })
  t.same(bytesOf(dir), before)
  t.equal(run('rev-parse', 'HEAD'), theirs)
  isWhole()
  run('reset', '--quiet', '--hard', base)
  const other = commit('src/b.txt', 'theirs\n')
  const made = await merge()
  t.same(made, { commit: run('rev-parse', 'HEAD') })
  t.equal(run('log', '-1', '--format=%P'), `${other} ${tip}`)
  t.equal(run('stash', 'list').split('\n').length, 1)
  isWhole()
})

test('a checkout that is not ready is refused, with the command that helps', async t => {
  const { dir, run, commit, write, isRefused, base } = await setup(t)
  const refuses = async (message: RegExp, fix: RegExp, undo: () => void) => {
    await isRefused({ code: 'CHECKOUT_NOT_READY', message, fix }, message.source)
    undo()
  }
  write('a.txt', 'changed\n')
  await refuses(/changes that are not committed: "a\.txt"\./, /git stash/, () => run('add', 'a.txt'))
  await refuses(/"a\.txt"/, /git stash/, () => run('reset', '--quiet', '--hard'))
  run('switch', '--quiet', '-c', 'feature')
  await refuses(/at "feature", and the merge goes into "main"/, /^git switch main/, () => {})
  run('switch', '--quiet', '--detach')
  await refuses(/detached HEAD/, /^git switch main/, () => run('switch', '--quiet', '--orphan', 'fresh'))
  await refuses(/"fresh" of the checkout has no commit/, /Commit/, () => run('switch', '--quiet', 'feature'))
  commit('a.txt', 'one\nfeature\nthree\n')
  run('switch', '--quiet', 'main')
  commit('a.txt', 'one\nother\nthree\n')
  for (const [what, ...args] of [
    ['A rebase', 'rebase', '--quiet', 'feature'],
    ['A merge', 'merge', '--quiet', 'feature'],
    ['A cherry-pick', 'cherry-pick', 'feature'],
    ['A revert', 'revert', '--no-edit', base],
  ] as const) {
    t.throws(() => run(...args))
    await refuses(new RegExp(`^${what} is under way`), /--abort/, () => run(args[0], '--abort'))
  }
  t.match(await checkMergeTarget(dir), { branch: 'main' })
  await t.rejects(checkMergeTarget(join(dir, 'none')), { code: 'CHECKOUT_NOT_READY' })
  await t.rejects(checkMergeTarget(join(dir, '.git')), { code: 'CHECKOUT_NOT_READY', message: /no checkout/ })
  await t.rejects(checkMergeTarget(dir, 'develop'), { message: /goes into "develop"/ })
})

test('the branch to merge into is that of origin, then main, then master, then what is checked out', async t => {
  const { dir, run } = await setup(t)
  t.match(await checkMergeTarget(dir), { branch: 'main' })
  run('branch', 'develop')
  run('update-ref', 'refs/remotes/origin/develop', 'develop')
  run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop')
  await t.rejects(checkMergeTarget(dir), { code: 'CHECKOUT_NOT_READY', fix: /^git switch develop/ })
  run('symbolic-ref', '-d', 'refs/remotes/origin/HEAD')
  run('branch', '-m', 'main', 'trunk')
  t.match(await checkMergeTarget(dir), { branch: 'trunk' })
  run('branch', 'master')
  await t.rejects(checkMergeTarget(dir), { code: 'CHECKOUT_NOT_READY', fix: /^git switch master/ })
})

test('files that git does not track are never written over, be they ignored', async t => {
  const { dir, isRefused, write, merge } = await setup(t, {
    'new.txt': 'n\n',
    ignored: 'i\n',
    'folder/x.txt': 'x\n',
    'ignored-file/y.txt': 'y\n',
    'ignored-folder': 'z\n',
  })
  const isInTheWay = async (path: string) => {
    await isRefused({ code: 'CHECKOUT_NOT_READY', message: new RegExp(`in the way of the merge: "${path}`) }, path)
    rmSync(join(dir, path), { recursive: true })
  }
  for (const path of ['new.txt', 'ignored', 'folder', 'ignored-file']) {
    write(path, 'precious\n')
    await isInTheWay(path)
  }
  mkdirSync(join(dir, 'ignored-folder'))
  write('ignored-folder/precious', 'x\n')
  await isInTheWay('ignored-folder')
  mkdirSync(join(dir, 'folder'))
  write('folder/beside', 'x\n')
  t.match(await merge(), { commit: /^[0-9a-f]{40}$/ })
})

test('a hook that refuses leaves the checkout as it was', async t => {
  const { dir, run, merge, base } = await setup(t)
  mkdirSync(join(dir, '.git', 'hooks'), { recursive: true })
  const hook = join(dir, '.git', 'hooks', 'commit-msg')
  writeFileSync(hook, '#!/bin/sh\necho "no ticket in the message" >&2\nexit 1\n', { mode: 0o755 })
  const listed = run('ls-files', '--stage')
  await t.rejects(merge(), { code: 'MERGE_FAILED', message: /no ticket in the message/ })
  t.equal(run('rev-parse', 'HEAD'), base)
  t.equal(run('status', '--porcelain'), '')
  t.equal(run('ls-files', '--stage'), listed)
  t.equal(run('for-each-ref', '--format=%(refname)'), 'refs/heads/main')
  rmSync(hook)
  t.match(await merge(), { commit: /^[0-9a-f]{40}$/ })
})

test('a clone without the branch, and a git without an identity, are told', async t => {
  const { dir, run, merge, gitDir, base } = await setup(t)
  run('config', 'user.name', '')
  await t.rejects(merge(), { code: 'MERGE_FAILED', message: /empty ident name/ })
  t.equal(run('rev-parse', 'HEAD'), base)
  t.equal(run('status', '--porcelain'), '')
  const request = { path: dir, cloneDir: gitDir, branch: 'ai/none', into: 'main', message: MESSAGE }
  await t.rejects(mergeIntoCheckout(request), { code: 'MERGE_FAILED', message: /git fetch did not work/ })
})

test('a branch that begins at what origin has, ahead of the checkout, brings that along', async t => {
  const { dir, repos, run, gitDir } = await setup(t)
  const origin = createGitRepository(join(dir, '..', 'origin.git'))
  run('remote', 'add', 'origin', origin.dir)
  run('push', '--quiet', 'origin', 'main')
  const theirs = origin.commit({ 'c.txt': 'theirs\n' }, { parent: run('rev-parse', 'main') })
  const of = { repository: 'shop', projectName: 'shop' }
  const { commit: base } = await repos.fetchBase(of, signal)
  t.equal(base, theirs)
  const branch = 'ai/task-2-attempt-1'
  await repos.commitFiles({ ...of, base, branch, files: { 'd.txt': 'd\n' }, message: 'D\n', date: DATE }, signal)
  const made = await mergeIntoCheckout({ path: dir, cloneDir: gitDir, branch, into: 'main', message: MESSAGE })
  t.match(made, { commit: run('rev-parse', 'main') })
  t.same(
    ['c.txt', 'd.txt'].map(name => existsSync(join(dir, name))),
    [true, true],
  )
})

test('a git that cannot foresee a conflict takes the merge back', async t => {
  const { dir, run, merge, commit, isWhole } = await setup(t)
  const theirs = commit('a.txt', 'one\ntheirs\nthree\n')
  const [listed, { PATH }] = [run('ls-files', '--stage'), process.env]
  process.env.PATH = oldGit(join(dir, '..'))
  t.teardown(() => {
    process.env.PATH = PATH
  })
  t.same(await merge(), { conflicts: ['a.txt'] })
  t.equal(run('rev-parse', 'HEAD'), theirs)
  t.equal(run('ls-files', '--stage'), listed)
  t.equal(run('status', '--porcelain'), '')
  t.equal(readFileSync(join(dir, 'a.txt'), 'utf8'), 'one\ntheirs\nthree\n')
  isWhole()
})
