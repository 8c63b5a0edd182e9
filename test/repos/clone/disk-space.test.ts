import { test } from 'tap'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { folderBytes, formatBytes } from '../../../src/repos/clone/disk-space.ts'
import { setup } from './sync-to.ts'

test('without enough free space nothing is fetched', async t => {
  const { remotes, sync } = setup(t, { limits: { minFreeBytes: Number.MAX_SAFE_INTEGER } })
  await t.rejects(sync(createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } }).dir), {
    code: 'DISK_FULL',
  })
})

test('a size is told in GiB from one on, else in MiB', async t => {
  t.equal(formatBytes(1024 ** 3), '1 GiB')
  t.equal(formatBytes(1024 ** 3 - 1), '1024 MiB')
  t.equal(formatBytes(1.55 * 1024 ** 3), '1.6 GiB')
  t.equal(formatBytes(512 * 1024 ** 2), '512 MiB')
})

test('a folder is as large as its files, links not followed', async t => {
  const root = t.testdir()
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'a/one'), 'x'.repeat(100))
  writeFileSync(join(root, 'a/b/two'), 'x'.repeat(20))
  writeFileSync(join(root, 'outside'), 'x'.repeat(1000))
  t.equal(await folderBytes(join(root, 'a')), 120)
  symlinkSync('../../outside', join(root, 'a/b/link'))
  t.equal(await folderBytes(join(root, 'a')), 120 + '../../outside'.length)
  t.equal(await folderBytes(join(root, 'gone')), 0)
})
