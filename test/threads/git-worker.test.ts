import { join } from 'node:path'
import { test } from 'tap'
import { writeCloneState } from '../../src/repos/clone/clone-state.ts'
import { WORKER_THREADS } from '../../src/threads/entry.ts'
import type { GitFunctions, GitWorkerData } from '../../src/threads/git-worker.ts'
import { remoteOf } from '../../src/threads/rpc.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { testFolder } from '../helpers/test-folder.ts'

test('what works on clones is called as if it were here; texts are as the commit has them', async t => {
  const clonedReposDir = testFolder(t)
  const { git } = createGitRepository(join(clonedReposDir, 'shop'), {
    files: { 'a.txt': '\uFEFFone\r\ntwo', 'b.bin': Buffer.from([0xff]) },
  })
  const url = 'https://example.com/shop'
  await writeCloneState(join(clonedReposDir, 'shop'), { formatVersion: 1, url, identity: url, users: [] })
  const data: GitWorkerData = {
    clonedReposDir,
    allowLocalRepos: [],
    allowPrivateHosts: false,
    gitTokens: new Map(),
    sshAuthSock: null,
  }
  const remote = remoteOf<GitFunctions & { close(): Promise<void> }>(() => WORKER_THREADS.process('git-worker', data), {
    onCrash: error => t.fail(String(error)),
  })
  const file = { repository: 'shop', commit: git('rev-parse', 'main') }
  t.equal(await remote.readText({ ...file, path: 'a.txt' }), '\uFEFFone\r\ntwo')
  t.equal(await remote.readText({ ...file, path: 'b.bin' }), null)
  t.equal(await remote.readText({ ...file, path: 'gone.txt' }), null)
  await remote.close()
})
