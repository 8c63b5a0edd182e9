import { test } from 'tap'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../helpers/git-repository.ts'
import { setup } from './open-repos.ts'

test('a sweep removes what killed processes left and nothing else', async t => {
  const { root, clones, repos, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  remote.git('branch', 'tmp_pack_1')
  const { gitDir } = await sync(remote.dir, 'tmp_pack_1')
  mkdirSync(join(clones, '.tmp-half', 'objects'), { recursive: true })
  mkdirSync(join(clones, 'not-ours'))
  for (const file of [
    'shallow.lock',
    'refs/remotes/origin/main.lock',
    'packed-refs.lock',
    'objects/pack/tmp_pack_abc',
  ]) {
    writeFileSync(join(gitDir, file), '')
  }
  writeFileSync(join(clones, 'not-ours', 'yarn.lock'), '')
  const tip = remote.commit({ a: '1' })
  await repos.sweep()
  t.same(readdirSync(clones).sort(), ['.faultline', 'not-ours', 'shop'])
  t.ok(existsSync(join(clones, 'not-ours', 'yarn.lock')))
  t.ok(existsSync(join(gitDir, 'refs/remotes/origin/tmp_pack_1')), 'a branch may be called so')
  t.same(
    readdirSync(gitDir, { recursive: true }).filter(
      name => String(name).endsWith('.lock') || String(name).includes('tmp_pack_abc'),
    ),
    [],
  )
  t.equal((await sync(remote.dir)).commit, tip)
})

test('the names that a clone may have tell its remote from all others', async t => {
  const { root, repos, sync } = setup(t)
  const shop = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  const other = createGitRepository(join(root, 'remotes', 'of-others', 'shop.git'), { files: { a: '0' } })
  const { identity, names } = await repos.namesOf({ url: shop.dir })
  t.same(await repos.namesOf({ url: `file://${shop.dir}` }), { identity, names })
  t.equal((await sync(shop.dir)).repository, names[0])
  const others = await repos.namesOf({ url: other.dir })
  t.equal((await sync(other.dir)).repository, others.names[1])
  t.not(others.identity, identity)
  t.same(new Set([...names, ...others.names]).size, 5)
  t.match(await repos.namesOf({ projectName: 'Web', repository: 'shop' }), {
    identity: 'upload://web/shop',
    names: ['shop'],
  })
})
