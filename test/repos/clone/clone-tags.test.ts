import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { stateFileOf } from '../../../src/repos/clone/clone-state.ts'
import { createTagReader } from '../../../src/repos/clone/clone-tags.ts'
import { GIT_SEARCH_PATH } from '../../../src/repos/git/git-env.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'

test('tags are listed once for each state of a clone', async t => {
  const remote = createGitRepository(join(t.testdir(), 'shop.git'))
  const commit = remote.commit({ a: '1' })
  writeFileSync(stateFileOf(remote.dir), '{}')
  const listTags = createTagReader({ searchPath: GIT_SEARCH_PATH })
  remote.git('tag', 'v1', commit)
  t.same(await listTags(remote.dir), ['v1'])
  remote.git('tag', 'v2', commit)
  t.same(await listTags(remote.dir), ['v1'], 'the state is the same')
  const { mtimeMs } = statSync(stateFileOf(remote.dir))
  utimesSync(stateFileOf(remote.dir), new Date(), new Date(mtimeMs + 5000))
  t.same(await listTags(remote.dir), ['v1', 'v2'])
})

test('a clone that is not there is an error, which is not remembered', async t => {
  const listTags = createTagReader({ searchPath: GIT_SEARCH_PATH })
  await t.rejects(listTags(join(t.testdir(), 'gone')), { code: 'ENOENT' })
})
