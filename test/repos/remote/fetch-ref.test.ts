import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { git } from '../clone/sync-to.ts'
import { withServer } from '../sync-from-server.ts'

const { signal } = new AbortController()
const TIME = 20_000
const HISTORY = { repository: 'shop', projectName: 'shop', signal }

test('a commit, a tag and a branch that the clone lacks are fetched, and nothing that is indexed changes', async t => {
  const { remote, url, sync, repos, reader, clones, server } = await withServer(t)
  const old = remote.commit({ a: '2' })
  remote.git('tag', 'v1', old)
  const tip = remote.commit({ a: '3' })
  await sync(url)
  const newer = remote.commit({ a: '4' })
  const side = remote.commit({ a: '5' }, { branch: 'feature/side' })
  const find = async (ref: string, timeoutMs = TIME) =>
    await repos.fetchRef({ repository: 'shop', ref, timeoutMs }, signal)
  t.match(await find(newer, 0), { commit: null, reason: String }, 'without the network')
  for (const [ref, commit] of [
    [newer, newer],
    ['v1', old],
    ['feature/side', side],
    [side.toUpperCase(), side],
    [side.slice(0, 10), side],
  ] as const) {
    t.strictSame(await find(ref), { commit }, ref)
    const asked = server.requests.length
    t.strictSame(await find(ref), { commit }, `${ref} is there now`)
    t.equal(server.requests.length, asked)
    t.equal((await reader.readFile('shop', commit, 'a'))?.toString().length, 1)
  }
  t.equal(git(join(clones, 'shop'), 'rev-parse', 'refs/faultline/shop'), tip)
  t.same(await reader.tags('shop'), ['v1'])
})

test('what cannot be had is said with the reason, and in time', async t => {
  const { server, remote, url, sync, repos } = await withServer(t)
  await sync(url)
  const find = async (ref: string, timeoutMs = TIME) =>
    await repos.fetchRef({ repository: 'shop', ref, timeoutMs }, signal)
  t.match(await find('a'.repeat(40)), { commit: null, reason: /does not give out/ })
  t.match(await find('v9'), { commit: null, reason: /has no commit, tag or branch "v9"/ })
  t.match(await find('abcdef1'), { commit: null, reason: /no commit, tag or branch/ })
  t.match(await find('--upload-pack=x'), { commit: null, reason: /no name/ })
  t.match(await find('refs/heads/main'), { commit: null, reason: /no name/ })
  t.match(await repos.fetchRef({ repository: '../x', ref: 'v1', timeoutMs: TIME }, signal), { commit: null })
  t.match(await repos.fetchRef({ repository: 'other', ref: 'v1', timeoutMs: TIME }, signal), { commit: null })
  server.behaviour = { stall: true }
  const commit = remote.commit({ a: 'x'.repeat(50_000) })
  t.match(await find(commit, 700), { commit: null, reason: /took longer than/ })
  server.behaviour = {}
  t.strictSame(await find(commit), { commit }, 'nothing was left behind')
})

test('history that leads through a commit which was fetched alone is fetched again', async t => {
  const { remote, url, sync, repos, clones } = await withServer(t)
  const gitDir = join(clones, 'shop')
  await sync(url)
  const alone = remote.commit({ a: '2' })
  await repos.fetchRef({ repository: 'shop', ref: alone, timeoutMs: TIME }, signal)
  t.match(readFileSync(join(gitDir, 'shallow'), 'utf8'), alone)
  await repos.fetchHistory(HISTORY)
  const tip = remote.commit({ a: '3' })
  await sync(url)
  t.equal(await repos.fetchHistory(HISTORY), 'full')
  t.equal(git(gitDir, 'rev-list', '--count', tip), '3')
})

test('where the history is known a commit is fetched with what leads to it', async t => {
  const { remote, url, sync, repos, clones } = await withServer(t)
  const first = remote.git('rev-parse', 'main')
  await sync(url)
  await repos.fetchHistory(HISTORY)
  remote.commit({ a: '2' })
  const commit = remote.commit({ a: '3' })
  t.strictSame(await repos.fetchRef({ repository: 'shop', ref: commit, timeoutMs: TIME }, signal), { commit })
  t.match(git(join(clones, 'shop'), 'rev-list', commit), new RegExp(`${first}$`))
})
