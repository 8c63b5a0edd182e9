import { test } from 'tap'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { setup } from './sync-to.ts'

test('without enough free space nothing is fetched', async t => {
  const { remotes, sync } = setup(t, { limits: { minFreeBytes: Number.MAX_SAFE_INTEGER } })
  await t.rejects(sync(createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } }).dir), {
    code: 'DISK_FULL',
  })
})
