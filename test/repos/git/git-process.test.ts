import { test } from 'tap'
import { join } from 'node:path'
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
