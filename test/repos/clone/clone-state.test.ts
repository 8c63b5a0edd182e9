import { test } from 'tap'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { clonesIn, setup } from './sync-to.ts'

test('two remotes with one name get a clone each, at once and one after the other', async t => {
  const { remotes, clones, sync } = setup(t)
  const one = createGitRepository(join(remotes, 'a', 'shop.git'), { files: { a: 'one' } })
  const two = createGitRepository(join(remotes, 'b', 'Shop.git'), { files: { a: 'two' } })
  const three = createGitRepository(join(remotes, 'c', 'shop'), { files: { a: 'three' } })
  const [first, second] = await Promise.all([sync(one.dir), sync(two.dir, { projectName: 'other' })])
  t.not(first.repository.toLowerCase(), second.repository.toLowerCase())
  const third = await sync(three.dir, { projectName: 'third' })
  t.match(third.repository, /^shop-[0-9a-f]{8}$/)
  t.equal((await sync(one.dir)).repository, first.repository)
  t.equal((await sync(three.dir)).repository, third.repository)
  t.equal(clonesIn(clones).length, 3)
})

test('a folder that is no clone of ours is left alone', async t => {
  const { remotes, clones, sync } = setup(t)
  mkdirSync(join(clones, 'shop'), { recursive: true })
  writeFileSync(join(clones, 'shop', 'precious'), 'x')
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  t.match((await sync(remote.dir)).repository, /^shop-[0-9a-f]{8}$/)
  t.equal(readFileSync(join(clones, 'shop', 'precious'), 'utf8'), 'x')
})

test('what a fetch made after its clone was taken away gives way to the next clone', async t => {
  const { remotes, clones, sync } = setup(t)
  const fetched = createGitRepository(join(remotes, 'fetched.git'), { files: { a: '1' } })
  const commit = fetched.git('rev-parse', 'HEAD')
  const refs = join(clones, 'fetched', 'refs', 'faultline-fetch')
  mkdirSync(refs, { recursive: true })
  writeFileSync(join(refs, commit), `${commit}\n`)
  const begun = createGitRepository(join(remotes, 'begun.git'), { files: { a: '2' } })
  mkdirSync(join(clones, 'begun', 'objects', 'pack'), { recursive: true })
  for (const file of ['shallow', 'objects/pack/tmp_pack_aK3x', `objects/pack/pack-${commit}.pack`]) {
    writeFileSync(join(clones, 'begun', file), '')
  }
  const empty = createGitRepository(join(remotes, 'empty.git'), { files: { a: '3' } })
  mkdirSync(join(clones, 'empty', 'objects', 'pack'), { recursive: true })

  t.match(await sync(fetched.dir), { repository: 'fetched', commit })
  t.match(await sync(begun.dir), { repository: 'begun', commit: begun.git('rev-parse', 'HEAD') })
  t.match(await sync(empty.dir), { repository: 'empty', commit: empty.git('rev-parse', 'HEAD') })
  t.same(clonesIn(clones), ['begun', 'empty', 'fetched'])
})

test('objects of another are no clone of ours', async t => {
  const { remotes, clones, sync } = setup(t)
  mkdirSync(join(clones, 'shop', 'objects'), { recursive: true })
  writeFileSync(join(clones, 'shop', 'objects', 'precious'), 'x')
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  t.match((await sync(remote.dir)).repository, /^shop-[0-9a-f]{8}$/)
  t.equal(readFileSync(join(clones, 'shop', 'objects', 'precious'), 'utf8'), 'x')
})
