import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { test, type Test } from 'tap'
import { startGit, type GitOptions } from '../../src/services/git.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { testFolder } from '../helpers/test-folder.ts'

const signal = new AbortController().signal
const onProgress = (): void => {}

/** The thread, over repositories that are served below `served`. */
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

test('cancelling a sync ends its git, and the thread goes on', async t => {
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

test('a thread that breaks down takes its git with it; the next call is answered by another', async t => {
  const started = once(process, 'worker') as Promise<[Worker]>
  const { git, served, crashes } = setup(t)
  const { repository, server, request, isAtWork } = await stalledSync(t, served)
  const broken = t.rejects(git.sync(request, { signal, onProgress }), { message: 'The thread for this broke down.' })
  await server.stalled
  const [thread] = await started
  await thread.terminate()
  await broken
  t.match(crashes, [{ message: /exited/ }])
  t.ok(await eventually(() => !isAtWork()))
  server.behaviour.stall = false
  t.match(await git.sync(request, { signal, onProgress }), { commit: repository.git('rev-parse', 'main') })
  t.equal(crashes.length, 1)
})

test('a thread that cannot start fails the calls, not the process; it starts when what was wrong is mended', async t => {
  const gitTokens = new Map<string, string>([[7 as never, 'no name of a host']])
  const { git, crashes } = setup(t, { gitTokens })
  await t.rejects(git.sweep(), { message: 'The thread for this broke down.', cause: TypeError })
  t.equal(crashes.length, 1)
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
