import { test } from 'tap'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { isShallow } from '../../../src/repos/remote/fetch-commit.ts'
import { setup } from '../clone/sync-to.ts'

test('what is asked for by name is found where the default branch does not exist', async t => {
  const { remotes, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { branch: 'dev', files: { a: '1' } })
  const [first, tip] = [remote.git('rev-parse', 'dev'), remote.commit({ a: '2' })]
  remote.git('branch', 'prod')
  remote.git('tag', 'v2', first)
  remote.git('symbolic-ref', 'HEAD', 'refs/heads/gone')
  t.match(await sync(remote.dir, { ref: 'v2' }), { commit: first, branch: null })
  t.match(await sync(remote.dir, { ref: 'dev' }), { commit: tip, branch: 'dev' })
  t.match(await sync(remote.dir, { ref: first }), { commit: first, branch: null })
  t.match(await sync(remote.dir, { branch: 'prod' }), { commit: tip, branch: 'prod' })
  for (const request of [{}, { ref: 'HEAD' }, { ref: 'v2', branch: 'gone' }]) {
    await t.rejects(sync(remote.dir, request), { code: 'BRANCH_NOT_FOUND', fix: /dev, prod|prod, dev/ })
  }
  await t.rejects(sync(remote.dir, { ref: 'v3' }), { code: 'REF_NOT_FOUND' })
  for (const branch of ['dev', 'prod']) remote.git('update-ref', '-d', `refs/heads/${branch}`)
  t.match(await sync(remote.dir, { ref: 'v2' }), { commit: first }, 'a repository with nothing but tags')
})

test('a shortened commit id is looked for in the history', async t => {
  const { remotes, sync } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '0' } })
  const old = remote.commit({ a: '1' })
  for (let i = 0; i < 5; i++) remote.commit({ a: `${i + 2}` })
  t.equal((await sync(remote.dir, { ref: old.slice(0, 10) })).commit, old)
  await t.rejects(sync(remote.dir, { ref: 'abcdef0' }), { code: 'REF_NOT_FOUND' })
})

test('a clone is shallow where git says so', async t => {
  t.equal(await isShallow(t.testdir({ shallow: '' })), true)
  t.equal(await isShallow(t.testdir({ config: '' })), false)
})
