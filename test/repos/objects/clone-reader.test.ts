import { test } from 'tap'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { setup } from '../open-repos.ts'

test('names are resolved without the network, and hostile ones to nothing', async t => {
  const { root, reader, sync } = setup(t)
  const { commit } = await sync(createGitRepository(join(root, 'remotes', 'shop.git'), { files: { a: '0' } }).dir)
  for (const ref of [commit, commit.toUpperCase(), commit.slice(0, 7), 'main']) {
    t.equal(await reader.resolveCommit('shop', ref), commit, ref)
  }
  for (const ref of [
    '',
    'missing',
    '--help',
    'main^',
    'main:a',
    'a\nmain',
    '@',
    'HEAD~1',
    '0'.repeat(40),
    `${commit}\0`,
    'x'.repeat(300),
  ]) {
    t.equal(await reader.resolveCommit('shop', ref), null, JSON.stringify(ref))
  }
  for (const repository of ['missing', '..', '../clones/shop', '.faultline', 'shop/', '']) {
    t.equal(await reader.resolveCommit(repository, 'main'), null)
  }
})
