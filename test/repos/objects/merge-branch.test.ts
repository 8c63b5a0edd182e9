import { join } from 'node:path'
import { test, type Test } from 'tap'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { oldGit } from '../old-git.ts'
import { openRepos } from '../test-repos.ts'
import { DATE, fileAt, git, setup as setUp, signal } from './commit-to.ts'

const BRANCH = 'ai/task-1-attempt-1'

const FILES: TestFiles = {
  'a.py': 'one\ntwo\nthree\n',
  'src/b.py': 'x = 1\ny = 2\nz = 3\n',
  module: { submodule: '1'.repeat(40) },
}

async function setup(t: Test, files = FILES) {
  const made = await setUp(t, { files })
  const { repos, sync, remote } = made
  const merge = (onto: string, more: { since?: string; branch?: string; date?: number } = {}) =>
    repos.mergeBranch(
      { repository: 'shop', projectName: 'shop', branch: BRANCH, onto, message: 'Merge\n', date: DATE, ...more },
      signal,
    )
  /** What somebody else commits, in the clone. */
  const moved = async (changed: TestFiles) => {
    remote.commit(changed)
    return (await sync()).commit
  }
  return { ...made, merge, moved }
}

const NO_COMMIT = 'e'.repeat(40)

test('a branch is merged into the commit that it began with, the same however often', async t => {
  const { gitDir, base, commitTo, merge } = await setup(t)
  const { commit: tip } = await commitTo({ 'a.py': 'mine\n' }, { branch: BRANCH })
  const made = await merge(base)
  t.same(await merge(base), made)
  if (!('commit' in made)) return t.fail('there is no conflict')
  t.equal(
    git(gitDir, 'show', '-s', '--format=%P|%an|%ae|%cn|%at|%s', made.commit).trim(),
    [`${base} ${tip}`, 'Faultline', 'faultline@localhost', 'Faultline', String(DATE), 'Merge'].join('|'),
  )
  t.equal(git(gitDir, 'diff', '--name-only', base, made.commit).trim(), 'a.py')
  t.same(await merge(made.commit), { ...made, isThere: true }, 'what holds the branch is not merged again')
  t.equal(git(gitDir, 'fsck', '--connectivity-only', '--no-dangling').trim(), '')

  await t.rejects(merge(NO_COMMIT), { code: 'NOT_FOUND' })
  await t.rejects(merge('main'), { code: 'NOT_FOUND' }, 'only a commit id is taken')
  await t.rejects(merge(base, { branch: 'main' }), { code: 'NOT_FOUND' })
  await t.rejects(merge(base, { since: '--help' }), { code: 'NOT_FOUND' })
})

test('a shallow clone fetches what is missing of the past; renames are followed', async t => {
  const { gitDir, base, commitTo, merge, moved } = await setup(t)
  const { commit: tip } = await commitTo({ 'src/b.py': 'x = 1\ny = 2\nz = 4\n' }, { branch: BRANCH })
  for (let i = 0; i < 3; i++) await moved({ 'c.py': `${i}\n` })
  const onto = await moved({ 'src/b.py': null, 'lib/b.py': 'x = 1\ny = 2\nz = 3\n' })
  t.throws(() => git(gitDir, 'merge-base', onto, tip), 'nothing is known between the two')
  const made = await merge(onto, { since: base })
  if (!('commit' in made)) return t.fail('there is no conflict')
  t.equal(fileAt(gitDir, made.commit, 'lib/b.py'), 'x = 1\ny = 2\nz = 4\n')
  t.equal(git(gitDir, 'merge-base', onto, tip).trim(), base)
  t.equal(git(gitDir, 'for-each-ref', 'refs/faultline-fetch').trim(), '', 'nothing of the fetch is left')
})

test('what both sides changed is a conflict, files and submodules alike, and nothing is committed', async t => {
  const { gitDir, commitTo, merge, moved, remote, sync } = await setup(t)
  await commitTo({ 'a.py': 'one\nmine\nthree\n', 'src/b.py': null }, { branch: BRANCH })
  const before = git(gitDir, 'for-each-ref')
  const onto = await moved({
    'a.py': 'one\ntheirs\nthree\n',
    'src/b.py': 'changed\n',
    module: { submodule: '2'.repeat(40) },
  })
  t.same(await merge(onto), { conflicts: ['a.py', 'src/b.py'] })
  t.equal(
    git(gitDir, 'for-each-ref', 'refs/heads').trim(),
    before.split('\n').find(line => line.endsWith(BRANCH)),
  )
  remote.commit({ 'a.py': 'one\ntwo\nthree\n', 'src/b.py': 'x = 1\ny = 2\nz = 3\n' })
  const { commit: back } = await sync()
  const made = await merge(back)
  if (!('commit' in made)) return t.fail('there is no conflict')
  t.match(git(gitDir, 'ls-tree', made.commit, 'module'), /^160000 commit 2{40}/, 'their submodule stays')
})

test('what the remote merged already is found behind what came later', async t => {
  const { base, commitTo, merge, repos, remote, sync } = await setup(t)
  await commitTo({ 'a.py': 'mine\n' }, { branch: BRANCH })
  const made = await merge(base)
  if (!('commit' in made)) return t.fail('there is no conflict')
  const move = { repository: 'shop', projectName: 'shop', commit: made.commit, branch: 'main', expected: base }
  t.equal(await repos.pushOnto(move, signal), 'pushed')
  for (let i = 0; i < 3; i++) remote.commit({ 'c.py': `${i}\n` }, i === 0 ? { parent: made.commit } : {})
  const { commit: onto } = await sync()
  t.same(await merge(onto, { since: base, date: DATE + 60 }), { ...made, isThere: true })
})

test('a branch that was rewritten is not merged into, nor a history without a common past', async t => {
  const { base, commitTo, merge, remote, sync } = await setup(t)
  await commitTo({ 'a.py': 'mine\n' }, { branch: BRANCH })
  remote.commit({ 'a.py': 'another\n' }, { orphan: true })
  const { commit: onto } = await sync()
  t.same(await merge(onto, { since: base }), { conflicts: [], isRewritten: true })
  t.same(await merge(onto), { conflicts: [], isRewritten: true })
})

test('a clone with its history needs no network for a merge', async t => {
  const { root } = await setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'deep.git'), { files: FILES })
  const server = await startGitHttpServer(join(root, 'remotes'))
  t.teardown(() => server.close())
  const repos = openRepos(t, { clonedReposDir: join(root, 'deep-clones'), allowPrivateHosts: true })
  const of = { repository: 'deep', projectName: 'shop' }
  const sync = () =>
    repos.sync({ url: `${server.url}/deep.git`, projectName: 'shop' }, { signal, onProgress: () => {} })
  const { commit: base, gitDir } = await sync()
  await repos.fetchHistory({ ...of, signal })
  await repos.commitFiles(
    { ...of, base, branch: BRANCH, files: { 'a.py': 'mine\n' }, message: 'Mine\n', date: DATE },
    signal,
  )
  remote.commit({ 'c.py': '1\n' })
  remote.commit({ 'c.py': '2\n' })
  const { commit: onto } = await sync()
  server.behaviour.status = 500
  const merge = (since: string) =>
    repos.mergeBranch({ ...of, branch: BRANCH, onto, since, message: 'Merge\n', date: DATE }, signal)
  const made = await merge(base)
  if (!('commit' in made)) return t.fail('there is no conflict')
  t.equal(git(gitDir, 'show', '-s', '--format=%P', made.commit).split(' ')[0], onto)
})

test('a git that cannot merge so is named', async t => {
  const { root, remote } = await setup(t)
  const repos = openRepos(t, {
    clonedReposDir: join(root, 'old-clones'),
    allowLocalRepos: [root],
    gitSearchPath: oldGit(root),
  })
  const of = { repository: 'shop', projectName: 'shop' }
  const { commit: base } = await repos.sync({ url: remote.dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  await repos.commitFiles(
    { ...of, base, branch: BRANCH, files: { 'a.py': 'mine\n' }, message: 'Mine\n', date: DATE },
    signal,
  )
  await t.rejects(repos.mergeBranch({ ...of, branch: BRANCH, onto: base, message: 'Merge\n', date: DATE }, signal), {
    code: 'GIT_NOT_FOUND',
    fix: /2\.38/,
  })
})
