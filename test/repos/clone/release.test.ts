import { test } from 'tap'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { clonesIn, git, setup } from './sync-to.ts'

test('projects share a clone, side by side, and it goes with the last of them', async t => {
  const { remotes, clones, sync, repos, reader } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  const other = remote.commit({ a: '2' }, { branch: 'other' })
  const odd = 'a..b' // a project may be called so, a ref may not
  const results = await Promise.all([
    sync(remote.dir),
    sync(remote.dir, { projectName: odd, branch: 'other' }),
    sync(remote.dir, { projectName: 'third' }),
  ])
  t.same(new Set(results.map(({ repository }) => repository)), new Set(['shop']))
  t.equal(git(join(clones, 'shop'), 'for-each-ref', 'refs/faultline').split('\n').length, 3)
  await repos.release('SHOP')
  await repos.release('third')
  t.equal((await reader.readFile('shop', other, 'a'))?.toString(), '2')
  t.equal(git(join(clones, 'shop'), 'for-each-ref', 'refs/faultline').split('\n').length, 1)
  t.ok(await repos.holds('shop', odd))
  t.notOk(await repos.holds('shop', 'third'))
  await repos.release(odd)
  t.same(clonesIn(clones), [])
  t.equal(await reader.readFile('shop', other, 'a'), null)
})

test('a project that does not exist any more is released from every clone, whatever the case of its name', async t => {
  const { remotes, clones, sync, repos } = setup(t)
  await repos.releaseMissing([])
  for (const name of ['one', 'two', 'three']) createGitRepository(join(remotes, `${name}.git`), { files: { a: '1' } })
  await sync(join(remotes, 'one.git'))
  await sync(join(remotes, 'two.git'))
  await sync(join(remotes, 'two.git'), { projectName: 'Other' })
  await sync(join(remotes, 'three.git'), { projectName: 'Other' })
  mkdirSync(join(clones, 'not-ours'))
  await repos.releaseMissing(['SHOP', 'other'])
  t.same(clonesIn(clones), ['not-ours', 'one', 'three', 'two'])
  await repos.releaseMissing(['other'])
  t.same(clonesIn(clones), ['not-ours', 'three', 'two'])
  t.equal(git(join(clones, 'two'), 'for-each-ref', '--format=%(refname)', 'refs/faultline'), 'refs/faultline/Other')
  t.ok(await repos.holds('two', 'OTHER'))
  for (const [repository, project] of [
    ['two', 'shop'],
    ['one', 'shop'],
    ['../x', 'shop'],
    ['not-ours', 'shop'],
  ] as const) {
    t.notOk(await repos.holds(repository, project))
  }
})
