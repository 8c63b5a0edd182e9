import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { fileAt, git, setup, signal } from '../objects/commit-to.ts'

const TASK = 'ai/task-1-attempt-1'
const refs = (gitDir: string) =>
  git(gitDir, 'for-each-ref', '--format=%(refname)', 'refs/heads').split('\n').filter(Boolean)

test('a branch of the project is deleted, however often, and no other one', async t => {
  const { repos, gitDir, commitTo, sync, remote } = await setup(t, { files: { a: '1' } })
  await sync(remote.dir, 'other')
  const { commit } = await commitTo({ a: '2' }, { branch: TASK })
  await commitTo({ a: '2' })
  const of = (branch: string, projectName = 'SHOP', repository = 'shop') => ({ repository, projectName, branch })
  t.same(await repos.ownBranches('Shop'), [of(TASK, 'Shop'), of('faultline/job', 'Shop')])
  t.same(await repos.ownBranches('other'), [])
  for (const other of [of(TASK, 'other'), of('main'), of(TASK, 'shop', '../shop'), of(TASK, 'shop', 'none')]) {
    await repos.deleteBranch(other, signal)
  }
  t.same(refs(gitDir), [`refs/heads/${TASK}`, 'refs/heads/faultline/job'])
  for (let i = 0; i < 2; i++) await repos.deleteBranch(of(TASK), signal)
  t.same(refs(gitDir), ['refs/heads/faultline/job'])
  t.same(await repos.ownBranches('shop'), [of('faultline/job', 'shop')])
  t.equal(fileAt(gitDir, commit, 'a'), '2', 'its commits stay')
  t.same(await commitTo({ a: '2' }, { branch: TASK }), { commit }, 'the name is free again')
})

test('a clone that is made anew keeps the branches of tasks', async t => {
  const { repos, gitDir, commitTo, sync, remote } = await setup(t, { files: { a: '1' } })
  const { commit } = await commitTo({ a: '2' }, { branch: TASK })
  rmSync(join(gitDir, 'HEAD'))
  remote.commit({ a: '3' })
  await sync()
  t.equal(git(gitDir, 'rev-parse', TASK).trim(), commit)
  t.match(await repos.ownBranches('shop'), [{ branch: TASK }])
})
