import { test } from 'tap'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { clonesIn, setup } from '../clone/sync-to.ts'

test('a repository with SHA-256 names is refused as such', async t => {
  const { remotes, sync } = setup(t)
  const folder = join(remotes, 'shop')
  execFileSync('git', ['init', '--quiet', '--object-format=sha256', folder])
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'x'], {
    cwd: folder,
  })
  await t.rejects(sync(folder), { code: 'CLONE_FAILED', message: /SHA-256/ })
})

test('what the remote does not have is refused by its own name', async t => {
  const { remotes, clones, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  for (let i = 0; i < 15; i++) remote.git('branch', `release-${i}`)
  remote.git('tag', 'tree', `${remote.git('rev-parse', 'main')}^{tree}`)
  createGitRepository(join(remotes, 'empty.git'))
  mkdirSync(join(remotes, 'folder'))

  const noBranch = await sync(remote.dir, { branch: 'mian' }).catch(error => error)
  t.match(noBranch, { code: 'BRANCH_NOT_FOUND', message: /"mian"/, fix: /main/ })
  t.equal(noBranch.fix.match(/release-/g).length, 9, 'ten names at most')
  await t.rejects(sync(remote.dir, { ref: 'f'.repeat(40) }), { code: 'REF_NOT_FOUND' })
  await t.rejects(sync(remote.dir, { ref: 'v9' }), { code: 'REF_NOT_FOUND', message: /"v9"/ })
  await t.rejects(sync(remote.dir, { ref: 'tree' }), { code: 'REF_NOT_FOUND' })
  await t.rejects(sync(join(remotes, 'empty.git')), { code: 'EMPTY_REPOSITORY' })
  await t.rejects(sync(join(remotes, 'folder')), { code: 'REPOSITORY_NOT_FOUND' })
  t.same(clonesIn(clones), [], 'nothing is left of them')
})
