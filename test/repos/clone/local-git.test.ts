import { join } from 'node:path'
import { test, type Test } from 'tap'
import { openLocalGit, projectRef } from '../../../src/repos/clone/local-git.ts'
import { GIT_SEARCH_PATH } from '../../../src/repos/git/git-env.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'

function repository(t: Test) {
  const remote = createGitRepository(join(t.testdir(), 'shop.git'))
  const first = remote.commit({ a: '1' })
  const second = remote.commit({ a: '2' })
  return { remote, first, second, git: openLocalGit(remote.dir, { searchPath: GIT_SEARCH_PATH }) }
}

test('names of clients stand for commits by id, shortened id, tag and branch of the remote, and nothing else', async t => {
  const { remote, first, second, git } = repository(t)
  remote.git('tag', 'v1', first)
  await git.updateRefs([{ ref: 'refs/remotes/origin/main', commit: second }])
  t.equal(await git.resolve(first), first)
  t.equal(await git.resolve(second.slice(0, 12).toUpperCase()), second)
  t.equal(await git.resolve('v1'), first)
  t.equal(await git.resolve('main'), second)
  t.equal(await git.resolve(first.slice(0, 4)), first, 'four digits are enough')
  t.equal(await git.resolve(first.slice(0, 3)), null)
  for (const name of ['HEAD~1', 'main~1', 'v1^0', 'main\nv1', '--all', 'nothing', '../x']) {
    t.equal(await git.resolve(name), null, name)
  }
})

test('refs are set and deleted, all or none, and read without a process', async t => {
  const { first, second, git } = repository(t)
  const [a, b] = ['refs/faultline/a', 'refs/faultline/b']
  await git.updateRefs([
    { ref: a, commit: first },
    { ref: b, commit: second },
  ])
  t.equal(await git.readRef(a), first)
  t.same((await git.readRefNames('refs/faultline')).sort(), [a, b])
  await t.rejects(
    git.updateRefs([
      { ref: a, commit: null },
      { ref: b, commit: 'f'.repeat(40) },
    ]),
  )
  t.equal(await git.readRef(a), first)
  await git.updateRefs([{ ref: a, commit: null }])
  t.equal(await git.readRef(a), null)
  t.same(await git.refNames('refs/faultline'), [b])
  t.same(await git.readRefNames('refs/nothing'), [])
})

test('a commit is held when a ref reaches it', async t => {
  const { first, git } = repository(t)
  t.equal(await git.isHeld(first), true)
  t.equal(await git.isHeld('f'.repeat(40)), false)
  t.equal(await git.commitOf('f'.repeat(40)), null)
})

test('a project has a ref of its own, whatever it is called', async t => {
  t.equal(projectRef('shop'), 'refs/faultline/shop')
  t.match(projectRef('a..b'), /^refs\/faultline\/@[0-9a-f]+$/)
  t.not(projectRef('a..b'), projectRef('a..c'))
})
