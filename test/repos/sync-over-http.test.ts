import { test, type Test } from 'tap'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCloneReader, type CloneReader } from '../../src/repos/objects/clone-reader.ts'
import { createRepos, type GitProgress, type Repos } from '../../src/repos/repos.ts'
import type { ReposOptions } from '../../src/repos/repos.ts'
import { startGitHttpServer, type GitHttpBehaviour, type GitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository, type TestRepository } from '../helpers/git-repository.ts'
import { eventually, processesWith } from '../helpers/processes.ts'

interface Setup {
  server: GitHttpServer
  remote: TestRepository
  url: string
  clones: string
  repos: Repos
  reader: CloneReader
  sync: (
    url: string,
    more?: { branch?: string; ref?: string; signal?: AbortSignal; onProgress?: (progress: GitProgress) => void },
  ) => ReturnType<Repos['sync']>
}

async function setup(
  t: Test,
  behaviour: GitHttpBehaviour = {},
  {
    tokenForServer,
    tokenForHttps,
    gitTokens = new Map(),
    ...options
  }: Partial<ReposOptions> & { tokenForServer?: string; tokenForHttps?: string } = {},
): Promise<Setup> {
  const root = t.testdir({ remotes: {} })
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '1' } })
  const server = await startGitHttpServer(join(root, 'remotes'), behaviour)
  const clones = join(root, 'clones')
  const tokens = new Map(gitTokens)
  if (tokenForServer !== undefined) tokens.set(`http://127.0.0.1:${server.port}`, tokenForServer)
  if (tokenForHttps !== undefined) tokens.set(`127.0.0.1:${server.port}`, tokenForHttps)
  const repos = createRepos({
    clonedReposDir: clones,
    allowLocalRepos: [],
    allowPrivateHosts: true,
    gitTokens: tokens,
    sshKeysDir: null,
    ...options,
  })
  t.teardown(async () => {
    await repos.close()
    await server.close()
  })
  return {
    server,
    remote,
    url: `${server.url}/shop.git`,
    clones,
    repos,
    reader: createCloneReader({ clonedReposDir: clones }),
    sync: async (url, { signal = new AbortController().signal, onProgress = () => {}, ...more } = {}) =>
      await repos.sync({ url, projectName: 'shop', ...more }, { signal, onProgress }),
  }
}

/** Everything that is on disk below a folder, as one text. */
function contentBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => `${entry.name} ${readFileSync(join(entry.parentPath, entry.name), 'latin1')}`)
    .join('\n')
}

test('a repository is cloned and updated over HTTP, with progress', async t => {
  const { remote, url, sync, reader } = await setup(t)
  for (let i = 0; i < 3; i++) {
    remote.commit(
      Object.fromEntries(Array.from({ length: 300 }, (_, file) => [`dir${file % 7}/f${file}`, `${i} ${file}`])),
    )
  }
  const progress: GitProgress[] = []
  const first = await sync(url, { onProgress: step => progress.push(step) })
  t.match(first, { repository: 'shop', url, branch: 'main', history: 'shallow' })
  t.ok(
    progress.some(({ phase, done, total }) => phase === 'receiving' && done > 0 && total === 310),
    JSON.stringify(progress.at(-1)),
  )
  const tip = remote.commit({ a: 'new' })
  t.equal((await sync(url)).commit, tip)
  t.equal((await reader.readFile('shop', tip, 'a'))?.toString(), 'new')
})

test('a repository that is up to date is not fetched again', async t => {
  const { server, url, sync } = await setup(t)
  await sync(url)
  server.requests.length = 0
  await sync(url)
  t.notOk(server.requests.some(({ gitCommand }) => gitCommand === 'fetch'))
})

test('a commit that only an old server has is found through the history', async t => {
  const { remote, url, sync } = await setup(t, { oldProtocol: true })
  const wanted = remote.commit({ a: 'wanted' })
  for (let i = 0; i < 110; i++) remote.commit({ a: `${i}` })
  const onSide = remote.commit({ b: 'side' }, { branch: 'side' })
  remote.commit({ b: 'more' }, { branch: 'side' })
  t.match(await sync(url, { ref: wanted }), { commit: wanted })
  t.match(await sync(url, { ref: onSide }), { commit: onSide })
  await t.rejects(sync(url, { ref: 'f'.repeat(40) }), { code: 'REF_NOT_FOUND' })
})

test('a repository that wants credentials, is missing or out of order has its own error', async t => {
  const { server, url, sync, clones } = await setup(t, { credentials: 'x-access-token:t0ken' })
  await t.rejects(sync(url), { code: 'REPOSITORY_AUTH_FAILED', fix: /GIT_TOKENS=http:\/\/127\.0\.0\.1:\d+=token/ })
  server.behaviour = {}
  await t.rejects(sync(`${server.url}/missing.git`), { code: 'REPOSITORY_NOT_FOUND', message: /missing\.git/ })
  for (const [status, code] of [
    [403, 'REPOSITORY_AUTH_FAILED'],
    [404, 'REPOSITORY_NOT_FOUND'],
    [410, 'REPOSITORY_NOT_FOUND'],
    [500, 'REPOSITORY_UNREACHABLE'],
    [503, 'REPOSITORY_UNREACHABLE'],
  ] as const) {
    server.behaviour = { status }
    await t.rejects(sync(url), { code }, String(status))
  }
  server.behaviour = { refs: Buffer.from('<html>no git here</html>') }
  await t.rejects(sync(url), { code: 'REPOSITORY_UNREACHABLE' })
  t.same(
    readdirSync(clones).filter(name => name !== '.faultline'),
    [],
  )
})

test('a server that nobody listens at, and a host without addresses, are unreachable', async t => {
  const { server, sync } = await setup(
    t,
    {},
    {
      resolveHost: async () => {
        throw new Error('ENOTFOUND')
      },
    },
  )
  await t.rejects(sync('http://git.example/a/b'), { code: 'REPOSITORY_UNREACHABLE', message: /git\.example/ })
  const other = await startGitHttpServer('/nonexistent')
  await other.close()
  await t.rejects(sync(`${other.url}/a/b`), { code: 'REPOSITORY_UNREACHABLE' })
  t.equal(server.requests.length, 0)
})

test('a redirect is not followed; the error names where it leads', async t => {
  const { server, url, sync } = await setup(t)
  const target = await startGitHttpServer('/nonexistent')
  t.teardown(async () => await target.close())
  for (const status of [301, 302, 307, 308]) {
    server.behaviour = {
      status,
      location: `http://user:pw@127.0.0.1:${target.port}/new/home.git/info/refs?service=git-upload-pack`,
    }
    const error = await sync(url).catch(error => error)
    t.match(error, { code: 'REPOSITORY_REDIRECTED', message: `http://127.0.0.1:${target.port}/new/home.git` })
    t.notMatch(error.message + error.fix, /user|pw/)
  }
  server.behaviour = { status: 302, location: 'file:///etc/passwd' }
  await t.rejects(sync(url), { code: 'REPOSITORY_REDIRECTED', message: /^(?!.*passwd)/ })
  t.equal(target.requests.length, 0)
})

test('git connects to the address that was checked, not to what the name means by then', async t => {
  let lookups = 0
  const { server, sync } = await setup(
    t,
    {},
    {
      resolveHost: async () => {
        lookups++
        return ['127.0.0.1']
      },
    },
  )
  const synced = await sync(`http://does-not-exist.example:${server.port}/shop.git`)
  t.match(synced, { repository: 'shop', url: `http://does-not-exist.example:${server.port}/shop.git` })
  t.equal(lookups, 1)
})

test('a name with a private address is refused by the check and by the sync, before anything connects', async t => {
  const answers = [['1.1.1.1'], ['127.0.0.1'], ['1.1.1.1', '10.0.0.1'], ['::ffff:127.0.0.1']]
  const { server, repos, sync } = await setup(
    t,
    {},
    { allowPrivateHosts: false, resolveHost: async () => answers.shift() ?? [] },
  )
  const url = `https://rebinding.example:${server.port}/shop.git`
  t.match(await repos.check(url), { host: 'rebinding.example' })
  await t.rejects(sync(url), { code: 'ADDRESS_REFUSED' }, 'what was public at the request is private now')
  await t.rejects(repos.check(url), { code: 'ADDRESS_REFUSED' })
  await t.rejects(sync(url), { code: 'ADDRESS_REFUSED' })
  t.ok(await repos.check(url), 'a name that does not resolve is left to the job')
  await t.rejects(sync(url), { code: 'REPOSITORY_UNREACHABLE' }, 'which fails closed')
  t.equal(server.requests.length, 0)
})

test('a token reaches its host as a header and is found neither on disk, nor in argv, nor in an error', async t => {
  const token = 'ghp_T0ken0123456789'
  const gitTokens = new Map([['elsewhere.example', 'other-token']])
  const { server, url, sync, clones } = await setup(
    t,
    { credentials: `x-access-token:${token}`, stall: true },
    { gitTokens, tokenForServer: token },
  )
  const controller = new AbortController()
  const running = sync(url, { signal: controller.signal })
  await server.stalled
  const encoded = Buffer.from(`x-access-token:${token}`).toString('base64')
  t.ok(processesWith(url).length > 0, 'git is at work')
  t.same([...processesWith(token), ...processesWith(encoded)], [])
  controller.abort(new Error('stop'))
  await t.rejects(running, { message: 'stop' })

  server.behaviour = { credentials: `x-access-token:${token}` }
  await sync(url)
  t.notMatch(contentBelow(clones), new RegExp(`${token}|${encoded}`))
  t.ok(server.requests.every(({ authorization }) => authorization === `Basic ${encoded}`))
  server.behaviour = { credentials: 'changed:since' }
  const error = await sync(url).catch(error => error)
  t.equal(error.code, 'REPOSITORY_AUTH_FAILED')
  t.notMatch(
    JSON.stringify([error.message, error.fix, error.stack, String(error.cause)]),
    new RegExp(`${token}|${encoded}`),
  )
})

test('a token goes over plain HTTP only where it is written with http://, port included', async t => {
  const gitTokens = new Map([
    ['127.0.0.1', 'bare'],
    ['elsewhere.example', 'x'],
    ['http://127.0.0.1:1', 'y'],
    ['http://127.0.0.1', 'z'],
  ])
  const { server, url, sync } = await setup(t, {}, { gitTokens, tokenForHttps: 'for https' })
  await sync(url)
  t.ok(server.requests.length > 0 && server.requests.every(({ authorization }) => authorization === undefined))
})

test('a token written as a pair is sent as it is', async t => {
  const { url, sync } = await setup(t, { credentials: 'me:pass:word' }, { tokenForServer: 'me:pass:word' })
  t.ok(await sync(url))
})

test('an abort during a fetch leaves no process and no file, and the next sync works', async t => {
  const { server, url, sync, clones, remote } = await setup(t, { stall: true })
  const controller = new AbortController()
  const running = sync(url, { signal: controller.signal })
  await server.stalled
  t.ok(
    processesWith(url).some(command => command.includes('remote-http')),
    'the helper is at work',
  )
  controller.abort(new Error('stop'))
  await t.rejects(running, { message: 'stop' })
  t.ok(await eventually(() => processesWith(url).length === 0), processesWith(url).join('\n'))
  t.same(
    readdirSync(clones).filter(name => name !== '.faultline'),
    [],
  )

  server.behaviour = {}
  await sync(url)
  server.behaviour = { stall: true }
  remote.commit({ a: '2' })
  const again = new AbortController()
  const updating = sync(url, { signal: again.signal })
  t.ok(await eventually(() => server.requests.filter(({ gitCommand }) => gitCommand === 'fetch').length >= 3))
  again.abort(new Error('stop'))
  await t.rejects(updating, { message: 'stop' })
  server.behaviour = {}
  t.ok(await sync(url), 'no lock file is in the way')
})

/** A clone with two requests for its history, one of which fetches without end. */
async function deepening(t: Test): Promise<Setup & { tip: string; histories: Array<Promise<string>> }> {
  const made = await setup(t)
  const { server, remote, url, sync, repos } = made
  const tip = remote.commit({ a: '2' })
  await sync(url)
  server.behaviour = { stall: true }
  const { signal } = new AbortController()
  const histories = [1, 2].map(
    async () => await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal }),
  )
  await server.stalled
  server.behaviour = {}
  return { ...made, tip, histories }
}

test('a sync ends a deepening that is under way instead of waiting for it', async t => {
  const { url, sync, repos, tip, histories } = await deepening(t)
  t.equal((await sync(url)).commit, tip)
  t.same(await Promise.all(histories), ['interrupted', 'interrupted'], 'the one that waited, too')
  t.ok(await eventually(() => processesWith(url).length === 0))
  t.equal(await repos.history('shop'), 'shallow')
  t.equal(
    await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal: new AbortController().signal }),
    'full',
    'asked again, it comes',
  )
})

test('a release ends a deepening that is under way instead of waiting for it', async t => {
  const { clones, repos, histories } = await deepening(t)
  await repos.release('shop')
  t.same(await Promise.all(histories), ['interrupted', 'interrupted'])
  t.same(
    readdirSync(clones).filter(name => name !== '.faultline'),
    [],
  )
})

test('a pack that grows too large is stopped while it comes', async t => {
  const { remote, url, sync, clones } = await setup(t, { stall: true }, { limits: { maxBytes: 200_000, watchMs: 50 } })
  remote.commit({ large: randomBytes(1_000_000) })
  await t.rejects(sync(url), { code: 'REPOSITORY_TOO_LARGE' })
  t.ok(await eventually(() => processesWith(url).length === 0))
  t.same(
    readdirSync(clones).filter(name => name !== '.faultline'),
    [],
  )
})

test('a sync that takes too long is stopped, and so is a server that does not answer', async t => {
  const { url, sync } = await setup(t, { stall: true }, { limits: { wallMs: 1_500 } })
  await t.rejects(sync(url), { code: 'CLONE_TIMED_OUT' })
  t.ok(await eventually(() => processesWith(url).length === 0))
  const silent = await setup(t, {}, { limits: { answerMs: 1 } })
  await t.rejects(silent.sync(silent.url), { code: 'REPOSITORY_UNREACHABLE', message: /did not answer/ })
})
