import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { oldGit } from '../old-git.ts'
import { openRepos } from '../test-repos.ts'
import { DATE, git, setup as setUp, signal } from './commit-to.ts'

const TEXT = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join('')
const FILES: TestFiles = {
  'a.py': 'one\ntwo\nthree\n',
  'src/b.py': TEXT,
  'logo.png': Buffer.from([0x89, 0x50, 0, 1, 2]),
  'ünï/日本 "x".txt': 'x\n',
  module: { submodule: '1'.repeat(40) },
  link: { symlink: 'a.py' },
}
const OF = { repository: 'shop', projectName: 'shop' }

async function setup(t: Test) {
  const made = await setUp(t, { files: FILES })
  const { repos, remote, base } = made
  let names = 0
  /** A commit on the base, as the remote has it, that is in the clone. */
  async function side(files: TestFiles): Promise<string> {
    const branch = `side-${names++}`
    const commit = remote.commit(files, { branch, parent: base })
    await repos.sync({ url: remote.dir, projectName: 'shop', branch }, { signal, onProgress: () => {} })
    return commit
  }
  const find = (commit: string, ...others: string[]) =>
    repos.findConflicts(
      { ...OF, commit, with: others.map((other, at) => ({ branch: `b${at}`, commit: other })) },
      signal,
    )
  return { ...made, side, find }
}

test('a commit conflicts with those that changed the same lines, and with no others', async t => {
  const { side, find, gitDir, base } = await setup(t)
  const mine = await side({ 'a.py': 'one\nmine\nthree\n', 'src/b.py': TEXT.replace('line 1\n', 'mine\n') })
  const others = [
    await side({ 'a.py': 'one\ntheirs\nthree\n' }),
    await side({ 'src/b.py': TEXT.replace('line 18\n', 'theirs\n') }),
    await side({ 'a.py': 'one\nmine\nthree\n' }),
    await side({ 'a.py': null, 'src/b.py': null }),
    await side({ 'a.py/nested': 'x' }),
  ]
  const refs = git(gitDir, 'for-each-ref')
  t.match(await find(mine, ...others, mine, base), {
    conflicts: [
      { branch: 'b0', paths: ['a.py'] },
      { branch: 'b3', paths: ['a.py', 'src/b.py'] },
      { branch: 'b4', paths: [/a\.py/] },
    ],
    notCompared: [],
  })
  t.equal(git(gitDir, 'for-each-ref'), refs, 'nothing is written that a ref holds')
  t.notOk(readdirSync(gitDir).some(name => name.endsWith('.lock') || name.startsWith('MERGE')))
  t.same(await find(mine), { conflicts: [], notCompared: [] })
})

test('files without lines conflict whole, and their names come as they are', async t => {
  const { side, find } = await setup(t)
  const mine = await side({
    'logo.png': Buffer.from([0, 1]),
    'ünï/日本 "x".txt': 'mine\n',
    module: { submodule: '2'.repeat(40) },
    link: { symlink: 'src/b.py' },
    new: 'mine\n',
  })
  const theirs = await side({
    'logo.png': Buffer.from([0, 2]),
    'ünï/日本 "x".txt': 'theirs\n',
    module: { submodule: '3'.repeat(40) },
    link: { symlink: 'logo.png' },
    new: 'theirs\n',
  })
  const { conflicts } = await find(mine, theirs)
  t.same(conflicts[0]?.paths.sort(), ['link', 'logo.png', 'module', 'new', 'ünï/日本 "x".txt'].sort())
})

test('renames are followed: two of one file conflict, an edit of a renamed one does not', async t => {
  const { side, find } = await setup(t)
  const renamed = await side({ 'src/b.py': null, 'lib/b.py': TEXT })
  const edited = await side({ 'src/b.py': TEXT.replace('line 3\n', 'mine\n') })
  const elsewhere = await side({ 'src/b.py': null, 'other/b.py': TEXT })
  const rewritten = await side({ 'src/b.py': null, 'lib/b.py': TEXT.replace('line 3\n', 'theirs\n') })
  const { conflicts, notCompared } = await find(renamed, edited, elsewhere)
  t.match(conflicts, [{ branch: 'b1' }])
  t.match(conflicts[0]?.paths.join(), 'src/b.py')
  t.same(notCompared, [])
  t.match(await find(rewritten, edited), { conflicts: [{ branch: 'b0', paths: ['lib/b.py'] }] })
})

test('what the clone does not have, or has no past in common, is told as not compared', async t => {
  const { find, side, remote, repos, base } = await setup(t)
  const mine = await side({ 'a.py': 'mine\n' })
  const orphan = remote.commit({ 'a.py': 'theirs\n' }, { branch: 'orphan', orphan: true })
  await repos.sync({ url: remote.dir, projectName: 'shop', branch: 'orphan' }, { signal, onProgress: () => {} })
  const found = await find(mine, 'e'.repeat(40), 'main', '--help', orphan, base)
  t.same(found, { conflicts: [], notCompared: ['b0', 'b1', 'b2', 'b3'] })
  for (const commit of ['e'.repeat(40), 'main', 'HEAD', '', '--help']) {
    await t.rejects(find(commit, base), { code: 'NOT_FOUND' }, commit)
  }
  const request = { ...OF, commit: mine, with: [] }
  await t.rejects(repos.findConflicts({ ...request, repository: 'none' }, signal), { code: 'NOT_FOUND' })
  await t.rejects(repos.findConflicts({ ...request, repository: '../shop' }, signal), { code: 'NOT_FOUND' })
  await t.rejects(repos.findConflicts({ ...request, projectName: 'api' }, signal), { code: 'NOT_FOUND' })
  const stopped = new AbortController()
  stopped.abort()
  await t.rejects(repos.findConflicts(request, stopped.signal), { name: 'AbortError' })
})

test('files beyond count are told as far as they conflict', async t => {
  const { side, find } = await setup(t)
  const many = (text: string): TestFiles =>
    Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`many/${at}.txt`, text]))
  const { conflicts } = await find(await side(many('mine\n')), await side(many('theirs\n')))
  t.equal(conflicts[0]?.paths.length, 1_000)
})

test('a default branch that moved on is compared with in a shallow clone, too', async t => {
  const { root, remote, base: first } = await setUp(t, { files: FILES })
  for (let i = 0; i < 5; i++) remote.commit({ 'c.txt': `${i}\n` })
  const server = await startGitHttpServer(join(root, 'remotes'))
  t.teardown(() => server.close())
  const own = openRepos(t, { clonedReposDir: join(root, 'http-clones'), allowPrivateHosts: true })
  const { commit: base, gitDir } = await own.sync(
    { url: `${server.url}/shop.git`, projectName: 'shop' },
    { signal, onProgress: () => {} },
  )
  t.ok(existsSync(join(gitDir, 'shallow')))
  t.not(base, first)
  const files = { 'a.py': 'one\nmine\nthree\n' }
  const { commit } = await own.commitFiles({ ...OF, base, branch: 'feat/x', files, message: 'M\n', date: DATE }, signal)
  remote.commit({ 'd.txt': '1\n' })
  const moved = remote.commit({ 'a.py': 'one\ntheirs\nthree\n' })
  const fetched = await own.fetchBase({ ...OF, branch: 'main' }, signal)
  t.equal(fetched.commit, moved)
  const find = () => own.findConflicts({ ...OF, commit, with: [{ branch: 'main', commit: moved }] }, signal)
  server.behaviour.status = 500
  t.same(await find(), { conflicts: [], notCompared: ['main'] }, 'without the remote it cannot be told')
  server.behaviour.status = undefined
  const found = await find()
  t.same(found, { conflicts: [{ branch: 'main', paths: ['a.py'] }], notCompared: [] })

  const request = { ...OF, base: moved, branch: 'feat/y', message: 'M\n', date: DATE }
  const second = await own.commitFiles({ ...request, files: { 'c.txt': 'mine\n', 'a.py': 'two\n' } }, signal)
  const others = [{ branch: 'feat/x', commit }]
  t.match(await own.findConflicts({ ...OF, commit: second.commit, with: others }, signal), {
    conflicts: [{ branch: 'feat/x', paths: ['a.py'] }],
  })
  t.same((await own.ownBranches('shop')).map(({ branch }) => branch).sort(), ['feat/x', 'feat/y'])
})

test('an older git is told', async t => {
  const { root, clones, base } = await setup(t)
  const own = openRepos(t, { clonedReposDir: clones, gitSearchPath: oldGit(root) })
  const request = { ...OF, commit: base, with: [{ branch: 'b', commit: base }] }
  await t.rejects(own.findConflicts(request, signal), { code: 'GIT_NOT_FOUND', fix: /2\.38/ })
})

test('a clone without files has no conflicts', async t => {
  const { remote, repos } = await setup(t)
  const empty = createGitRepository(join(remote.dir, '..', 'empty.git'), { files: { x: 'x' } })
  const bare = empty.commit({ x: null })
  await repos.sync({ url: empty.dir, projectName: 'empty' }, { signal, onProgress: () => {} })
  const request = { repository: 'empty', projectName: 'empty', commit: bare, with: [{ branch: 'b', commit: bare }] }
  t.same(await repos.findConflicts(request, signal), { conflicts: [], notCompared: [] })
})
