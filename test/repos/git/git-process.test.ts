import { test } from 'tap'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../../helpers/processes.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { runGit } from '../../../src/repos/git/git-process.ts'
import { setup } from '../clone/sync-to.ts'

test('without a git program the error says how to get one', async t => {
  const { remotes, sync, repos } = setup(t, { gitSearchPath: '/nonexistent' })
  await t.rejects(sync(createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } }).dir), {
    code: 'GIT_NOT_FOUND',
    fix: /apt-get install git/,
  })
  t.equal(await repos.gitVersion(), null)
})

test('what git says of a failure is kept from its beginning, and not without end', async t => {
  const { dir } = createGitRepository(t.testdir(), { files: { a: '1' } })
  t.match(await runGit(['cat-file', 'blob', 'nope'], { gitDir: dir }), {
    exitCode: 128,
    stderr: /^fatal: Not a valid object name nope/,
  })
  const { stderr } = await runGit(['rev-parse', 'x'.repeat(20_000)], { gitDir: dir, env: { GIT_TRACE: '1' } })
  t.equal(stderr.length, 8_192)
})

test('a git that computes ends with the process that started it', async t => {
  const folder = t.testdir()
  writeFileSync(join(folder, 'git'), '#!/bin/sh\nexec /bin/sleep 60\n', { mode: 0o755 })
  const module = new URL('../../../src/repos/git/git-process.ts', import.meta.url)
  const script =
    `import { startGit } from ${JSON.stringify(module.href)}\n` +
    `const { child } = startGit(['gc'], { searchPath: ${JSON.stringify(folder)} })\n` +
    'process.stdout.write(String(child.pid), () => process.exit())\n'
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  t.match(stdout, /^\d+$/)
  const isGone = (): boolean => {
    try {
      return !process.kill(Number(stdout), 0)
    } catch {
      return true
    }
  }
  t.teardown(() => isGone() || process.kill(Number(stdout), 'SIGKILL'))
  t.ok(await eventually(isGone))
})
