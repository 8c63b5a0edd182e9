import { test } from 'tap'
import { readdirSync } from 'node:fs'
import { eventually, processesWith } from '../../helpers/processes.ts'
import { deepening } from '../sync-from-server.ts'

test('a sync ends a deepening that is under way instead of waiting for it', async t => {
  const { url, sync, repos, tip, histories } = await deepening(t)
  t.equal((await sync(url)).commit, tip)
  t.same(await Promise.all(histories), ['interrupted', 'interrupted'], 'the one that waited, too')
  t.ok(await eventually(() => processesWith(url).length === 0))
  t.equal(await repos.history('shop'), 'shallow')
  t.equal(
    await repos.fetchHistory({ repository: 'shop', projectName: 'shop', signal: new AbortController().signal }),
    'full',
    'asked again, it comes',
  )
})

test('a release ends a deepening that is under way instead of waiting for it', async t => {
  const { clones, repos, histories } = await deepening(t)
  await repos.release('shop')
  t.same(await Promise.all(histories), ['interrupted', 'interrupted'])
  t.same(
    readdirSync(clones).filter(name => name !== '.faultline'),
    [],
  )
})
