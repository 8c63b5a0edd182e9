import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { git, signal } from '../objects/commit-to.ts'
import { testRepos } from '../test-repos.ts'

const OF = { repository: 'shop', projectName: 'shop' }
const HOLD = 'faultline/job-base'

async function setup(t: Test, { branch = 'main', files = { a: '1\n' } }: { branch?: string; files?: TestFiles } = {}) {
  const { root, remotes, clones, repos } = testRepos(t, { allowPrivateHosts: true })
  const remote = createGitRepository(join(remotes, 'shop.git'), { files, branch })
  const server = await startGitHttpServer(remotes)
  t.teardown(() => server.close())
  const sync = (ref?: string) =>
    repos.sync({ url: `${server.url}/shop.git`, ref, projectName: 'shop' }, { signal, onProgress: () => {} })
  const { commit, gitDir } = await sync()
  const base = (more: { branch?: string; hold?: string; projectName?: string; repository?: string } = {}) =>
    repos.fetchBase({ ...OF, ...more }, signal)
  return { root, remotes, clones, repos, remote, server, sync, commit, gitDir, base }
}

test('the newest commit of the default branch is fetched and held, what is indexed stays', async t => {
  const { remote, base, gitDir, commit, repos, sync, server } = await setup(t)
  t.same(await base(), { repository: 'shop', branch: 'main', commit, notes: [] })
  const newer = remote.commit({ a: '2\n' })
  t.same(await base({ hold: HOLD }), { repository: 'shop', branch: 'main', commit: newer, notes: [] })
  t.equal(git(gitDir, 'rev-parse', 'refs/faultline/shop').trim(), commit, 'the project holds what it has indexed')
  t.equal(git(gitDir, 'rev-parse', HOLD).trim(), newer)
  t.same(await repos.ownBranches('shop'), [{ ...OF, branch: HOLD }])
  remote.commit({ a: '3\n' }, { orphan: true })
  const { commit: rewritten } = await sync()
  t.equal((await base({ hold: HOLD })).commit, rewritten, 'the hold moves with its task')
  server.behaviour.status = 500
  await t.rejects(
    base({ branch: 'main' }),
    { code: 'REPOSITORY_UNREACHABLE' },
    'a branch that is named is wanted fresh',
  )
  server.behaviour.status = undefined
  await t.rejects(base({ branch: 'none' }), { code: 'BRANCH_NOT_FOUND' })
  await t.rejects(base({ branch: '--upload-pack=x' }), { code: 'BAD_REF' })
  await t.rejects(base({ hold: 'a..b' }), { code: 'BAD_REF' })
  await t.rejects(base({ projectName: 'other' }), { code: 'NOT_FOUND' })
  await t.rejects(base({ repository: '../shop' }), { code: 'NOT_FOUND' })
})

test('the default branch is what HEAD of the remote names, then main, then master', async t => {
  const { remote, base } = await setup(t, { branch: 'trunk' })
  const main = remote.commit({ a: 'main\n' }, { branch: 'main' })
  const master = remote.commit({ a: 'master\n' }, { branch: 'master' })
  t.match(await base(), { branch: 'trunk' })
  remote.git('symbolic-ref', 'HEAD', 'refs/heads/gone')
  t.match(await base(), { branch: 'main', commit: main })
  remote.git('update-ref', '-d', 'refs/heads/main')
  t.match(await base(), { branch: 'master', commit: master })
  remote.commit({ a: 'x\n' }, { branch: 'other' })
  remote.git('update-ref', '-d', 'refs/heads/master')
  await t.rejects(base(), { code: 'BRANCH_NOT_FOUND' })
  remote.git('update-ref', '-d', 'refs/heads/other')
  t.match(await base(), { branch: 'trunk' }, 'a single one is taken')
})

test('without a remote that answers it goes on with what the clone has, and says so', async t => {
  const { remote, base, server, sync, gitDir } = await setup(t, { branch: 'trunk' })
  const known = remote.commit({ a: '2\n' })
  await base()
  const side = remote.commit({ a: 'side\n' }, { branch: 'side' })
  await sync('side')
  server.behaviour.status = 503
  t.match(await base({ hold: HOLD }), {
    branch: 'trunk',
    commit: known,
    notes: [/^The base is [0-9a-f]{12} of "trunk"/],
  })
  git(gitDir, 'update-ref', '-d', 'refs/remotes/origin/trunk')
  t.match(await base(), { branch: 'side', commit: side, notes: [/as the clone has it\. ".*" did not answer/] })
})

test('what was uploaded has no remote, which is said', async t => {
  const { root, repos, remote, clones } = await setup(t)
  const bundle = join(root, 'up.bundle')
  remote.git('bundle', 'create', bundle, 'HEAD', 'main')
  const upload = `upl_${'0'.repeat(32)}`
  mkdirSync(join(clones, '.uploads'), { recursive: true })
  renameSync(bundle, join(clones, '.uploads', upload))
  const { commit } = await repos.syncUpload(
    { upload, projectName: 'up', repository: 'up' },
    { signal, onProgress: () => {} },
  )
  t.match(await repos.fetchBase({ repository: 'up', projectName: 'up' }, signal), {
    branch: 'main',
    commit,
    notes: [/uploaded/],
  })
})

test('a clone with its history keeps it', async t => {
  const { remote, base, repos, gitDir, sync } = await setup(t)
  for (let i = 0; i < 3; i++) remote.commit({ a: `${i}\n` })
  await sync()
  await repos.fetchHistory({ ...OF, signal })
  remote.commit({ a: 'more\n' })
  const { commit } = await base()
  t.equal(git(gitDir, 'rev-list', '--count', commit).trim(), '5')
  t.match(await sync(), { commit, history: 'full' })
})

test('what was fetched without its past is not taken for a history', async t => {
  const { remote, base, repos, gitDir, sync } = await setup(t)
  for (let i = 0; i < 3; i++) remote.commit({ a: `${i}\n` })
  const { commit } = await base()
  t.equal(await repos.fetchHistory({ ...OF, signal }), 'full', 'that of the indexed commit')
  t.match(await sync(), { commit, history: 'shallow' })
  t.equal(await repos.fetchHistory({ ...OF, signal }), 'full')
  t.equal(git(gitDir, 'rev-list', '--count', commit).trim(), '4')
  t.match(await sync(), { commit, history: 'full' })
})

/** What lies in a folder, by path, with the times of all but what git writes when it looks at files. */
function stateOf(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name =>
    statSync(join(dir, name)).isFile(),
  )
  return Object.fromEntries(
    names.sort().map(name => {
      const path = join(dir, name)
      return [name, `${statSync(path).mtimeMs} ${readFileSync(path, 'base64')}`]
    }),
  )
}

/** A person's repository with a remote of its own, cloned by its path. */
async function local(t: Test) {
  const { root, remotes, repos } = testRepos(t)
  const origin = createGitRepository(join(remotes, 'origin.git'), { files: { a: '1\n' } })
  const mine = createGitRepository(join(remotes, 'shop'), { files: { a: '0\n' }, worktree: true })
  const run = (...args: string[]) => mine.git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args)
  run('remote', 'add', 'origin', '../origin.git')
  const pull = () => {
    run('fetch', '--quiet', 'origin')
    run('reset', '--quiet', '--hard', 'origin/main')
  }
  pull()
  const commitMine = (text: string, message = 'Mine') => {
    writeFileSync(join(mine.dir, 'mine'), text)
    run('add', '.')
    run('commit', '--quiet', '-m', message)
    return run('rev-parse', 'HEAD')
  }
  const { gitDir } = await repos.sync({ url: mine.dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  const base = async () => {
    const before = stateOf(mine.dir)
    const found = await repos.fetchBase({ ...OF, hold: HOLD }, signal)
    t.same(stateOf(mine.dir), before, 'nothing is written there')
    t.equal(git(gitDir, 'for-each-ref', 'refs/faultline-fetch'), '')
    t.equal(git(gitDir, 'rev-parse', HOLD).trim(), found.commit)
    return found
  }
  return { root, remotes, repos, origin, mine, run, pull, commitMine, base, gitDir }
}

test("in a person's repository the default branch counts, not what is checked out", async t => {
  const { run, base, commitMine } = await local(t)
  const main = run('rev-parse', 'main')
  run('checkout', '--quiet', '-b', 'feature')
  commitMine('feature\n')
  t.same(await base(), { repository: 'shop', branch: 'main', commit: main, notes: [] })
  run('branch', 'develop', 'feature')
  run('update-ref', 'refs/remotes/origin/develop', 'develop')
  run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop')
  t.match(await base(), { branch: 'develop', commit: run('rev-parse', 'develop') }, 'origin/HEAD comes first')
  run('branch', '-D', 'develop')
  t.match(await base(), { branch: 'develop', notes: [/no branch "develop" of its own/, /origin has no branch/] })
  run('symbolic-ref', '-d', 'refs/remotes/origin/HEAD')
  run('branch', '-m', 'main', 'one')
  run('branch', 'two')
  t.match(await base(), { branch: 'feature', notes: [/No default branch is known/, /origin has no branch "feature"/] })
})

test('origin is the base where it is ahead, known to the repository or not', async t => {
  const { run, base, origin, commitMine, pull } = await local(t)
  for (let i = 0; i < 3; i++) origin.commit({ a: `${i}\n` })
  const ahead = origin.git('rev-parse', 'main')
  t.match(await base(), { branch: 'main', commit: ahead, notes: [] })
  run('fetch', '--quiet', 'origin')
  t.match(await base(), { branch: 'main', commit: ahead, notes: [] }, 'fetched, and not merged')
  pull()
  const mine = commitMine('1\n')
  t.match(await base(), { commit: mine, notes: [] }, 'the local branch is ahead')
  origin.commit({ a: 'theirs\n' })
  t.match(await base(), { commit: mine, notes: [/commits that the other lacks/] }, 'nobody has fetched it')
  run('fetch', '--quiet', 'origin')
  t.match(await base(), { commit: mine, notes: [/commits that the other lacks/] })
})

test('an origin that cannot be asked is a note, whatever its address', async t => {
  const { run, base, root, origin } = await local(t)
  const main = run('rev-parse', 'main')
  const isNoted = async (pattern: RegExp) => t.match(await base(), { commit: main, notes: [pattern] })
  const mark = join(root, 'mark')
  for (const url of [
    'http://127.0.0.1:1/x.git',
    root,
    '/etc',
    `ext::sh -c "touch ${mark}"`,
    `--upload-pack=touch ${mark}`,
    'git@[::1]:x.git',
  ]) {
    run('config', 'remote.origin.url', url)
    await isNoted(/^origin could not be asked, the base is the local "main"\. /)
  }
  t.notOk(existsSync(mark))
  renameSync(origin.dir, `${origin.dir}-away`)
  run('config', 'remote.origin.url', '../origin.git')
  await isNoted(/There is no repository/)
  run('config', '--unset', 'remote.origin.url')
  await isNoted(/no remote "origin"/)
})

test('a task that ends while origin is asked does not begin on the local branch', async t => {
  const ended = new AbortController()
  const { remotes, repos } = testRepos(t, {
    async resolveHost() {
      ended.abort(new FaultlineError('SHUTTING_DOWN', 'The server is shutting down.'))
      throw new FaultlineError('REPOSITORY_UNREACHABLE', 'No such host.')
    },
  })
  const mine = createGitRepository(join(remotes, 'shop'), { files: { a: '0\n' }, worktree: true })
  mine.git('remote', 'add', 'origin', 'https://git.example/shop.git')
  await repos.sync({ url: mine.dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  await t.rejects(repos.fetchBase({ ...OF, hold: HOLD }, ended.signal), { code: 'SHUTTING_DOWN' })
})
