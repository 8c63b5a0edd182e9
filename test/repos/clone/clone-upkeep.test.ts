import { test } from 'tap'
import { readdirSync } from 'node:fs'
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
