import { test } from 'tap'
import { readdirSync } from 'node:fs'
import type { GitProgress } from '../../src/repos/repos.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { withServer } from './sync-from-server.ts'

test('a repository is cloned and updated over HTTP, with progress', async t => {
  const { remote, url, sync, reader } = await withServer(t)
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
  const { server, url, sync } = await withServer(t)
  await sync(url)
  server.requests.length = 0
  await sync(url)
  t.notOk(server.requests.some(({ gitCommand }) => gitCommand === 'fetch'))
})

test('a commit that only an old server has is found through the history', async t => {
  const { remote, url, sync } = await withServer(t, { oldProtocol: true })
  const wanted = remote.commit({ a: 'wanted' })
  for (let i = 0; i < 110; i++) remote.commit({ a: `${i}` })
  const onSide = remote.commit({ b: 'side' }, { branch: 'side' })
  remote.commit({ b: 'more' }, { branch: 'side' })
  t.match(await sync(url, { ref: wanted }), { commit: wanted })
  t.match(await sync(url, { ref: onSide }), { commit: onSide })
  await t.rejects(sync(url, { ref: 'f'.repeat(40) }), { code: 'REF_NOT_FOUND' })
})

test('a repository that wants credentials, is missing or out of order has its own error', async t => {
  const { server, url, sync, clones } = await withServer(t, { credentials: 'x-access-token:t0ken' })
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
  const { server, sync } = await withServer(
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
