import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { WorkerLostError } from '../../src/core/errors.ts'
import { startGit, type GitOptions } from '../../src/services/git.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { eventually, processesWith, programStarters } from '../helpers/processes.ts'
import { testFolder } from '../helpers/test-folder.ts'

const signal = new AbortController().signal
const onProgress = (): void => {}

/** The process, over repositories that are served below `served`. */
function setup(t: Test, options: Partial<GitOptions> = {}) {
  const root = testFolder(t)
  const [clones, served] = ['clones', 'served'].map(name => join(root, name)) as [string, string]
  mkdirSync(clones)
  const damaged: string[] = []
  const crashes: unknown[] = []
  const git = startGit({
    clonedReposDir: clones,
    allowLocalRepos: [served],
    allowPrivateHosts: true,
    gitTokens: new Map(),
    onDamagedChanges: repository => damaged.push(repository),
    onCrash: error => crashes.push(error),
    ...options,
  })
  t.teardown(() => git.close())
  return { git, clones, served, damaged, crashes }
}

/** A sync from a server that begins to answer and never ends. */
async function stalledSync(t: Test, served: string) {
  const repository = createGitRepository(join(served, 'shop.git'), { files: { 'a.py': 'a\n' } })
  const server = await startGitHttpServer(served, { stall: true })
  t.teardown(() => server.close())
  return {
    repository,
    server,
    request: { url: `${server.url}/shop.git`, projectName: 'shop' },
    isAtWork: () => processesWith(`127.0.0.1:${server.port}/`).length > 0,
  }
}

test('cancelling a sync ends its git, and the process goes on', async t => {
  const { git, served, crashes } = setup(t)
  const { server, request, isAtWork } = await stalledSync(t, served)
  const controller = new AbortController()
  const reason = new Error('cancelled')
  const cancelled = git.sync(request, { signal: controller.signal, onProgress }).catch((error: unknown) => error)
  await server.stalled
  t.ok(isAtWork())
  controller.abort(reason)
  t.equal(await cancelled, reason)
  t.notOk(isAtWork())
  server.behaviour.stall = false
  t.match(await git.sync(request, { signal, onProgress }), { repository: 'shop' })
  t.same(crashes, [])
})

test('a process that is killed takes its git with it; the next call is answered by another', async t => {
  const { git, clones, served, crashes } = setup(t)
  const { repository, server, request, isAtWork } = await stalledSync(t, served)
  const broken = t.rejects(git.sync(request, { signal, onProgress }), WorkerLostError)
  await server.stalled
  for (const pid of programStarters()) process.kill(pid, 'SIGKILL')
  await broken
  t.match(crashes, [{ message: /ended by SIGKILL/ }])
  t.ok(await eventually(() => !isAtWork()))
  server.behaviour.stall = false
  mkdirSync(join(clones, '.tmp-left'))
  t.match(await git.sync(request, { signal, onProgress }), { commit: repository.git('rev-parse', 'main') })
  t.notOk(existsSync(join(clones, '.tmp-left')), 'what it left is put away first')
  t.equal(crashes.length, 1)
})

test('what only reads is asked again when the process at work on it is killed', async t => {
  const { git, crashes } = setup(t)
  await git.sweep()
  for (const pid of programStarters()) process.kill(pid, 'SIGKILL') // whose end is not known here yet
  const answers = await Promise.all(Array.from({ length: 50 }, () => git.history('shop')))
  t.same([...new Set(answers)], ['shallow'])
  t.equal(crashes.length, 1)
})

test('what cannot start fails the calls, not the process; it starts when what was wrong is mended', async t => {
  const gitTokens = new Map<string, string>([[7 as never, 'no name of a host']])
  const { git, crashes } = setup(t, { gitTokens })
  await t.rejects(git.sweep(), { name: 'WorkerLostError', cause: { message: /toLowerCase/ } })
  t.equal(crashes.length, 2, 'it was tried twice')
  gitTokens.clear()
  await git.sweep()
  t.equal(await git.history('shop'), 'shallow')
})

test('a damaged table of changes is told of before the call that made it anew is answered', async t => {
  const { git, clones, served, damaged } = setup(t)
  const { dir } = createGitRepository(join(served, 'shop.git'), { files: { 'a.py': 'a\n' } })
  const { repository, commit } = await git.sync({ url: dir, projectName: 'shop' }, { signal, onProgress })
  const fetchHistory = () => git.fetchHistory({ repository, projectName: 'shop', signal })
  t.equal(await fetchHistory(), 'full')
  t.same(damaged, [])
  writeFileSync(join(clones, 'shop', 'faultline-changes', `${commit}.zst`), 'words')
  t.equal(await fetchHistory(), 'full')
  t.same(damaged, ['shop'])
})

test('closing ends the git that is at work; after it nothing is answered, and closing again is well', async t => {
  const { git, served, crashes } = setup(t)
  const { server, request, isAtWork } = await stalledSync(t, served)
  const refused = t.rejects(git.sync(request, { signal, onProgress }), { code: 'SHUTTING_DOWN' })
  await server.stalled
  await git.close()
  await refused
  t.notOk(isAtWork())
  await t.rejects(git.history('shop'), { code: 'SHUTTING_DOWN' })
  await git.close()
  t.same(crashes, [])
})
