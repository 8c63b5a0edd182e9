import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openInProcess, type InProcessOptions } from '../../../src/cli/backend/in-process.ts'
import { backendContract, type OpenBackend } from '../../contracts/backend.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { INLINE_THREADS } from '../../helpers/inline-threads.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const openLocal = (options: InProcessOptions) => openInProcess({ starter: INLINE_THREADS, ...options })
const log = { info() {}, warn() {}, error() {} }

const open: OpenBackend = async (t, env = {}) => {
  const root = testFolder(t)
  const reposDir = join(root, 'repos')
  mkdirSync(reposDir)
  const backend = await openLocal({ root, env, localRepos: [reposDir], log })
  t.teardown(() => backend.close())
  return { backend, reposDir }
}

test('the services of this process', async t => {
  backendContract(t, open)
})

test('a work tree that is named brings its repository along, wherever that is', async t => {
  const root = testFolder(t)
  const main = createGitRepository(join(root, 'main'), {
    files: { 'shop.py': 'def total ():\n    return 1\n' },
    worktree: true,
  })
  const tree = join(root, 'tree')
  main.git('worktree', 'add', '--quiet', '--detach', tree)
  const backend = await openLocal({ root, env: {}, localRepos: [tree], log })
  t.teardown(() => backend.close())
  t.match(await backend.waitForJob((await backend.clone({ url: tree })).id, {}), {
    status: 'succeeded',
    result: { commit: main.git('rev-parse', 'HEAD') },
  })
  await t.rejects(backend.clone({ url: main.dir }), { code: 'LOCAL_REPOSITORY_REFUSED' })
  await backend.finishBackgroundWork()
})

test('a second process on the same DATA_DIR is told so', async t => {
  const root = testFolder(t)
  const backend = await openLocal({ root, env: {}, log })
  await t.rejects(openLocal({ root, env: {}, log }), { code: 'DATA_DIR_LOCKED', fix: /DATA_DIR/ })
  await backend.close()
  await (await openLocal({ root, env: {}, log })).close()
})

test('a setting that is wrong is named', async t => {
  await t.rejects(openLocal({ root: testFolder(t), env: { JOBS_CONCURRENCY: 'many' }, log }), {
    code: 'CONFIG_INVALID',
    message: /JOBS_CONCURRENCY/,
  })
})
