import { join } from 'node:path'
import { test } from 'tap'
import { createInUse } from '../../src/replication/in-use.ts'
import { createCloneHoldings } from '../../src/services/clone-holdings.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { clonesIn, setup } from '../repos/clone/sync-to.ts'

const { signal } = new AbortController()

test('a clone that a job of another project took up since it was listed stays', async t => {
  const { repos, remotes, clones, sync } = setup(t)
  const shop = createGitRepository(join(remotes, 'shop'))
  const commit = shop.commit({ a: '1\n' })
  const inUse = createInUse()
  const holdings = createCloneHoldings({
    local: repos,
    kept: {
      keptCommits: async () => ({ tar: [commit], branches: [] }),
      keep: async () => ({ bytes: 0, isNew: false }),
    },
    repositoriesOf: async () => [],
    inUse,
    clonedReposDir: clones,
    grew: () => {},
  })
  await sync(shop.dir, { projectName: 'one' })
  const [listed] = await holdings.list()
  await inUse.during('two', async () => {
    await sync(shop.dir, { projectName: 'two' })
    t.equal(await listed?.evict(signal), false)
    t.same(clonesIn(clones), ['shop'])
  })
  const [again] = await holdings.list()
  t.equal(await again?.evict(signal), true, 'nobody works on it any more')
  t.same(clonesIn(clones), [])
})
