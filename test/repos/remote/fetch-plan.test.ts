import { test } from 'tap'
import { join } from 'node:path'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { setup } from '../clone/sync-to.ts'

test('any commit, tag or branch of the remote can be asked for', async t => {
  const { remotes, sync, reader } = setup(t)
  const remote = createGitRepository(join(remotes, 'shop.git'), { files: { a: '1' } })
  const old = remote.commit({ a: '2' })
  remote.git('-c', 'user.name=Ada', '-c', 'user.email=a@example.com', 'tag', '-a', '-m', 'release', 'v1.0', old)
  const middle = remote.commit({ a: '3' })
  remote.commit({ a: '4' })
  const side = remote.commit({ a: '5' }, { branch: 'feature/side' })
  remote.git('tag', 'light', middle)

  t.match(await sync(remote.dir, { ref: old }), { commit: old, branch: null })
  t.match(await sync(remote.dir, { ref: 'v1.0' }), { commit: old, branch: null }, 'an annotated tag is followed')
  t.match(await sync(remote.dir, { ref: 'light' }), { commit: middle })
  t.match(await sync(remote.dir, { ref: 'feature/side' }), { commit: side, branch: 'feature/side' })
  t.match(await sync(remote.dir, { ref: side.slice(0, 8) }), { commit: side })
  t.match(await sync(remote.dir, { ref: middle.toUpperCase(), branch: 'main' }), { commit: middle, branch: 'main' })
  t.equal(await reader.resolveCommit('shop', 'v1.0'), old)
  t.equal(await reader.resolveCommit('shop', 'feature/side'), side)
})
