import { test } from 'tap'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packWhenMany } from '../../../src/repos/clone/clone-upkeep.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { setup, signal } from '../open-repos.ts'

test('many packs become one, and what no ref reaches stays', async t => {
  const { root, reader, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  const { commit, gitDir } = await sync(remote.dir)
  for (let i = 1; i <= 3; i++) {
    remote.commit({ a: `${i}` }, { orphan: true })
    await sync(remote.dir)
  }
  const packs = () => readdirSync(join(gitDir, 'objects', 'pack')).filter(name => name.endsWith('.pack')).length
  t.equal(packs(), 4)
  await packWhenMany(gitDir, { searchPath: '/usr/bin:/bin', signal, maxPacks: 10 })
  t.equal(packs(), 4)
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), '0')
  await packWhenMany(gitDir, { searchPath: '/usr/bin:/bin', signal, maxPacks: 3 })
  t.equal(packs(), 1)
  t.equal((await reader.readFile('shop', commit, 'a'))?.toString(), '0')
})

test('many single objects become a pack, too', async t => {
  const { root, sync } = setup(t)
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } })
  const { gitDir } = await sync(remote.dir)
  const contents = Array.from({ length: 600 }, (_, i) => `content ${i}`)
  const folder = join(root, 'contents')
  mkdirSync(folder)
  const paths = contents.map((content, i) => {
    writeFileSync(join(folder, String(i)), content)
    return join(folder, String(i))
  })
  execFileSync('git', [`--git-dir=${gitDir}`, 'hash-object', '-w', '--stdin-paths'], { input: paths.join('\n') })
  const folders = () => readdirSync(join(gitDir, 'objects')).filter(name => name.length === 2 && name !== 'pack').length
  t.ok(folders() > 100)
  await packWhenMany(gitDir, { searchPath: '/usr/bin:/bin', signal, maxLoose: 100_000 })
  t.ok(folders() > 100)
  await packWhenMany(gitDir, { searchPath: '/usr/bin:/bin', signal, maxLoose: 10 })
  t.equal(folders(), 0)
  const known = execFileSync('git', [
    `--git-dir=${gitDir}`,
    'cat-file',
    '--batch-all-objects',
    '--batch-check',
  ]).toString()
  t.ok(known.split('\n').length > 600, 'and stay')
})
