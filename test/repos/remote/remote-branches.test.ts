import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { DATE, setup as setUp, signal } from '../objects/commit-to.ts'
import { openRepos } from '../test-repos.ts'

const BRANCH = 'feat/add-x'
const OF = { repository: 'shop', projectName: 'shop' }

async function setup(t: Test) {
  const made = await setUp(t, { files: { a: '1' } })
  const { repos, remote, commitTo } = made
  return {
    ...made,
    taken: (...names: string[]) => repos.branchesTaken({ ...OF, names }, signal),
    drop: (commit: string, branch = BRANCH) =>
      repos.deleteRemoteBranch({ ...OF, branch, commit, base: made.base }, signal),
    there: () => remote.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n'),
    tip: (branch: string) => remote.git('rev-parse', `refs/heads/${branch}`),
    async pushed(branch = BRANCH) {
      const { commit } = await commitTo({ a: 'mine' }, { branch })
      await repos.push({ ...OF, branch }, signal)
      return commit
    },
  }
}

/** The same clone over HTTP. */
async function overHttp(t: Test) {
  const made = await setup(t)
  const { root, remote } = made
  remote.git('config', 'http.receivepack', 'true')
  const server = await startGitHttpServer(join(root, 'remotes'), { credentials: 'x-access-token:secret' })
  t.teardown(() => server.close())
  const clonedReposDir = join(root, 'http-clones')
  const gitTokens = new Map([[`http://127.0.0.1:${server.port}`, 'secret']])
  const own = openRepos(t, { clonedReposDir, allowPrivateHosts: true, gitTokens })
  const synced = await own.sync(
    { url: `${server.url}/shop.git`, projectName: 'shop' },
    { signal, onProgress: () => {} },
  )
  const files = { a: 'mine' }
  const { commit } = await own.commitFiles(
    { ...OF, base: synced.commit, branch: BRANCH, files, message: 'M\n', date: DATE },
    signal,
  )
  return { ...made, server, own, commit }
}

test('names are taken that the clone or the remote has, and those that cannot stand beside one', async t => {
  const { taken, commitTo, remote } = await setup(t)
  await commitTo({ a: 'mine' }, { branch: 'feat/here' })
  remote.commit({ b: '1' }, { branch: 'feat/there' })
  remote.commit({ b: '2' }, { branch: 'deep/er/still' })
  const free = ['feat/x', 'feat/there-v2', 'feat/her', 'deep/e', 'Feat/there']
  const used = ['feat/here', 'feat/there', 'main', 'feat', 'feat/there/below', 'deep', 'deep/er', 'main/x']
  t.same(await taken(...free, ...used), { taken: used, notAsked: null })
  t.same(await taken(), { taken: [], notAsked: null })
})

test('a name that no branch can have is refused before anything is asked', async t => {
  const { taken, drop, remote, base } = await setup(t)
  rmSync(remote.dir, { recursive: true })
  const names = [
    '',
    '@',
    '-x',
    '--upload-pack=touch x',
    'a..b',
    'a b',
    'a~1',
    'x.lock',
    'a//b',
    '/a',
    'a/',
    'a\0b',
    'a:b',
  ]
  for (const name of [...names, '../x', '.git/config', 'feat/*', 'a\nb', '@{u}', 'ä'.repeat(300), '\ud800']) {
    await t.rejects(taken('feat/x', name), { code: 'BAD_REF' }, JSON.stringify(name))
    await t.rejects(drop(base, name), { code: 'BAD_REF' }, JSON.stringify(name))
  }
  for (const commit of ['', 'HEAD', 'main', '--help', base.slice(1), `${base}^`]) {
    await t.rejects(drop(commit), { code: 'BAD_REF' }, commit)
  }
})

test('names that look like options, files and patterns of git are names', async t => {
  const { taken, drop, pushed, there } = await setup(t)
  for (const branch of [
    'feat/$(id);`id`',
    "feat/'q'",
    'HEAD',
    'feat/+x',
    'ünï/✓',
    'refs/x',
    'feat/%2e',
    'FETCH_HEAD',
  ]) {
    const commit = await pushed(branch)
    t.same(await taken(branch), { taken: [branch], notAsked: null }, branch)
    t.ok(there().includes(branch) || there().includes(`heads/${branch}`), branch)
    t.equal(await drop(commit, branch), 'deleted', branch)
    t.same(there(), ['main'], branch)
  }
})

test('a remote that does not answer is left out, and that is told', async t => {
  const { own, server } = await overHttp(t)
  const names = [BRANCH, 'feat/free']
  t.same(await own.branchesTaken({ ...OF, names }, signal), { taken: [BRANCH], notAsked: null })
  server.behaviour.status = 500
  const asked = await own.branchesTaken({ ...OF, names }, signal)
  t.match(asked, { taken: [BRANCH], notAsked: /127\.0\.0\.1/ })
  t.notMatch(asked.notAsked, /secret/)
  server.behaviour.status = undefined
  server.behaviour.credentials = 'x-access-token:other'
  t.match(await own.branchesTaken({ ...OF, names }, signal), { taken: [BRANCH], notAsked: /./ })
  const stopped = new AbortController()
  stopped.abort()
  await t.rejects(own.branchesTaken({ ...OF, names }, stopped.signal), { name: 'AbortError' })
  await t.rejects(own.branchesTaken({ ...OF, repository: 'none', names }, signal), { code: 'NOT_FOUND' })
  await t.rejects(own.branchesTaken({ ...OF, projectName: 'api', names }, signal), { code: 'NOT_FOUND' })
})

test('a branch of ours is deleted on the remote, however often', async t => {
  const { drop, pushed, there, tip } = await setup(t)
  const commit = await pushed()
  const other = await pushed('feat/add-x-v2')
  t.equal(await drop(commit), 'deleted')
  t.same(there(), ['feat/add-x-v2', 'main'])
  t.equal(await drop(commit), 'missing')
  t.equal(tip('feat/add-x-v2'), other)
})

test('a branch that holds less than ours is ours; one with commits of others is kept', async t => {
  const { drop, pushed, commitTo, remote, there, tip, base } = await setup(t)
  const first = await pushed()
  const { commit: second } = await commitTo({ a: 'more' }, { branch: BRANCH, base: first })
  t.equal(await drop(second), 'deleted', 'a push of the second was cut off')

  await pushed('feat/moved')
  const theirs = remote.commit({ b: 'theirs' }, { branch: 'feat/moved', parent: first })
  t.equal(await drop(first, 'feat/moved'), 'kept', 'what the clone has never seen')
  t.equal(tip('feat/moved'), theirs)

  const forced = remote.commit({ b: 'forced' }, { branch: 'feat/forced', orphan: true })
  t.equal(await drop(first, 'feat/forced'), 'kept', 'no past in common')
  t.equal(tip('feat/forced'), forced)

  remote.git('update-ref', 'refs/heads/feat/back', base)
  t.equal(await drop(first, 'feat/back'), 'kept', 'anybody can make a branch of our base')
  t.same(there(), ['feat/back', 'feat/forced', 'feat/moved', 'main'])
})

test('the default branch is never deleted, whatever it is called and holds', async t => {
  const { drop, pushed, there, remote, base } = await setup(t)
  t.equal(await drop(base, 'main'), 'kept')
  const commit = await pushed()
  remote.git('symbolic-ref', 'HEAD', `refs/heads/${BRANCH}`)
  t.equal(await drop(commit), 'kept')
  t.same(there(), [BRANCH, 'main'])
})

test('a branch that moves between the look and the deletion is kept', async t => {
  const { own, commit, server, remote, tip } = await overHttp(t)
  await own.push({ ...OF, branch: BRANCH }, signal)
  let theirs: string | null = null
  Object.defineProperty(server.behaviour, 'status', {
    get() {
      const isPush = server.requests.at(-1)?.path.includes('git-receive-pack') === true
      if (isPush) theirs ??= remote.commit({ b: 'theirs' }, { branch: BRANCH, parent: commit })
      return undefined
    },
  })
  await t.rejects(own.deleteRemoteBranch({ ...OF, branch: BRANCH, commit, base: null }, signal), {
    code: 'PUSH_REJECTED',
  })
  t.type(theirs, 'string')
  t.equal(tip(BRANCH), theirs)
  t.equal(await own.deleteRemoteBranch({ ...OF, branch: BRANCH, commit, base: null }, signal), 'kept')
})

test('a remote that does not let anybody, or is gone, is told', async t => {
  const { own, commit, server, remote, there } = await overHttp(t)
  const drop = () => own.deleteRemoteBranch({ ...OF, branch: BRANCH, commit, base: null }, signal)
  t.equal(await drop(), 'missing', 'it was never pushed')
  await own.push({ ...OF, branch: BRANCH }, signal)
  remote.git('config', 'receive.denyDeletes', 'true')
  await t.rejects(drop(), { code: 'PUSH_REJECTED', message: /deletion|denyDeletes/ })
  t.same(there(), [BRANCH, 'main'])
  server.behaviour.credentials = 'x-access-token:other'
  await t.rejects(drop(), { code: 'REPOSITORY_AUTH_FAILED' })
  server.behaviour.status = 500
  await t.rejects(drop(), { code: 'REPOSITORY_UNREACHABLE' })
  await t.rejects(own.deleteRemoteBranch({ ...OF, repository: 'none', branch: BRANCH, commit, base: null }, signal), {
    code: 'NOT_FOUND',
  })
})

test('an empty remote has no branch', async t => {
  const { taken, drop, remote, base } = await setup(t)
  rmSync(remote.dir, { recursive: true })
  createGitRepository(remote.dir)
  t.match(await taken('feat/x', 'main'), { taken: [] })
  t.equal(await drop(base), 'missing')
})

test('a branch that somebody made of our name before our commits is kept', async t => {
  const { drop, commitTo, remote, base, tip, repos } = await setup(t)
  const { commit } = await commitTo({ a: 'mine' }, { branch: BRANCH })
  remote.git('update-ref', `refs/heads/${BRANCH}`, base)
  t.equal(await drop(commit), 'kept')
  t.equal(tip(BRANCH), base)
  t.equal(await repos.deleteRemoteBranch({ ...OF, branch: BRANCH, commit, base: null }, signal), 'kept')
})

test('a first push makes the branch; one that is there with another commit is not moved', async t => {
  const { repos, commitTo, remote, base, tip } = await setup(t)
  const push = (pushed: string | null) => repos.push({ ...OF, branch: BRANCH, own: { base, pushed } }, signal)
  const { commit: first } = await commitTo({ a: 'mine' }, { branch: BRANCH })
  remote.git('update-ref', `refs/heads/${BRANCH}`, base)
  await t.rejects(push(null), {
    code: 'PUSH_REJECTED',
    message: /holds .*, which is not ours/,
    fix: /rename or delete/i,
  })
  t.equal(tip(BRANCH), base)
  remote.git('update-ref', '-d', `refs/heads/${BRANCH}`)
  await push(null)
  t.equal(tip(BRANCH), first)
  await push(null) // as after a kill
  const { commit: second } = await commitTo({ a: 'more' }, { branch: BRANCH, base: first })
  await push(null) // the answer to the first push was lost
  t.equal(tip(BRANCH), second)
})

test('a later push moves the branch from our last commit, and from nothing before it', async t => {
  const { repos, commitTo, remote, base, tip, there } = await setup(t)
  const push = (pushed: string | null) => repos.push({ ...OF, branch: BRANCH, own: { base, pushed } }, signal)
  const { commit: first } = await commitTo({ a: 'mine' }, { branch: BRANCH })
  await push(null)
  const { commit: second } = await commitTo({ a: 'more' }, { branch: BRANCH, base: first })
  await push(first)
  t.equal(tip(BRANCH), second)
  await commitTo({ a: 'most' }, { branch: BRANCH, base: second })
  for (const back of [base, first]) {
    remote.git('update-ref', `refs/heads/${BRANCH}`, back)
    await t.rejects(push(second), { code: 'PUSH_REJECTED', message: /holds .*, which is not ours/ })
    t.equal(tip(BRANCH), back)
  }
  remote.git('update-ref', `refs/heads/${BRANCH}`, second)
  remote.commit({ a: 'theirs' }, { branch: BRANCH })
  await t.rejects(push(second), { code: 'PUSH_REJECTED', message: /holds .*, which is not ours/ })
  remote.git('update-ref', '-d', `refs/heads/${BRANCH}`)
  await t.rejects(push(second), { code: 'PUSH_REJECTED', message: /is no longer there/ })
  t.same(there(), ['main'])
})
