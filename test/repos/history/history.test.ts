import { execFileSync } from 'node:child_process'
import { test } from 'tap'
import { join } from 'node:path'
import { FETCHED_REFS } from '../../../src/repos/remote/fetch-plan.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { DAY_S, setup, signal } from '../open-repos.ts'

test('the history fetched is that of a year before the commit, with the tags in it', async t => {
  const { root, clones, repos, reader, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'))
  const start = 1_600_000_000
  const commits = Array.from({ length: 80 }, (_, i) => remote.commit({ a: `${i}` }, { date: start + i * 10 * DAY_S }))
  remote.git('tag', 'recent', commits[60] ?? '')
  remote.git('tag', 'ancient', commits[5] ?? '')
  const { commit, history } = await sync(remote.dir)
  t.equal(history, 'shallow')
  t.equal(await repos.history('shop'), 'shallow')
  t.equal(await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal }), 'full')
  t.equal(await repos.history('shop'), 'full')
  const refs = execFileSync('git', ['for-each-ref', '--format=%(refname)'], {
    cwd: join(clones, 'shop'),
    encoding: 'utf8',
  })
  t.notMatch(refs, FETCHED_REFS, 'what the fetch needed a name for goes by others')
  t.equal(await reader.resolveCommit('shop', commits[43] ?? ''), commits[43], 'a year before')
  t.equal(await reader.resolveCommit('shop', 'recent'), commits[60])
  t.equal(await reader.resolveCommit('shop', 'ancient'), null, 'its commit is not here')

  const next = remote.commit({ a: 'next' })
  t.match(await sync(remote.dir), { commit: next, history: 'full' })
  t.equal(await reader.resolveCommit('shop', commits[50] ?? ''), commits[50], 'an update cuts nothing off')
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), '79')
})

test('history comes through the branch where a server gives out no commits by their id, also after the tip has moved', async t => {
  const { root, repos, reader, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  const first = remote.git('rev-parse', 'main')
  const server = await startGitHttpServer(join(root, 'remotes'), { oldProtocol: true })
  t.teardown(async () => await server.close())
  remote.commit({ a: '1' })
  const { commit } = await sync(`${server.url}/shop.git`)
  t.equal(await reader.resolveCommit('shop', first), null)
  remote.commit({ a: '2' })
  t.equal(await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal }), 'full')
  t.equal(await reader.resolveCommit('shop', first), first)
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), '1')
})

test("history of a clone that is not there, or not this project's, is an error", async t => {
  const { root, repos, sync } = setup(t)
  await sync(createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } }).dir)
  await t.rejects(repos.fetchHistory({ repository: 'missing', projectName: 'shop', signal }), { code: 'NOT_FOUND' })
  await t.rejects(repos.fetchHistory({ repository: '../shop', projectName: 'shop', signal }), { code: 'NOT_FOUND' })
  await t.rejects(repos.fetchHistory({ repository: 'shop', projectName: 'other', signal }), { code: 'NOT_FOUND' })
  t.equal(await repos.history('missing'), 'shallow', 'as far as anybody can tell')
  t.equal(await repos.history('../shop'), 'shallow')
})
