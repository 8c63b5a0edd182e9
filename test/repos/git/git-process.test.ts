import { test } from 'tap'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { setup } from '../clone/sync-to.ts'

test('without a git program the error says how to get one', async t => {
  const { remotes, sync, repos } = setup(t, { gitSearchPath: '/nonexistent' })
  await t.rejects(sync(createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } }).dir), {
    code: 'GIT_NOT_FOUND',
    fix: /apt-get install git/,
  })
  t.equal(await repos.gitVersion(), null)
})
