import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { dropIndex, lastUseOnDisk, noteUse } from '../../src/vecstore/local-copy.ts'
import { openStore } from '../../src/vecstore/store.ts'
import { CHILD_ENV } from '../helpers/child-env.ts'
import { roundsOf } from '../helpers/property-runs.ts'
import { randomFrom } from '../helpers/random-from.ts'
import { index, manyFiles, prepare } from '../indexer/index-fixture.ts'

const LOOP = fileURLToPath(new URL('drop-in-a-loop.ts', import.meta.url))

test('an index that is removed leaves the project with its settings, and open readers go on', async t => {
  const { store, repository, root } = prepare(t, manyFiles(5))
  await index(store, repository)
  await using reader = await store.openReader('shop')
  await store.writeSettings('shop', { ...(await store.readSettings('shop')), inAppExclude: ['x/**'] })
  await dropIndex(root, 'shop')
  t.same(readdirSync(join(root, 'shop')), ['project.json'])
  t.same(await store.listProjects(), ['shop'])
  t.equal(await store.publication('shop'), null)
  t.equal(await store.readManifest('shop'), null)
  t.match(await store.readSettings('shop'), { inAppExclude: ['x/**'] })
  await t.rejects(store.openReader('shop'), { code: 'INDEX_NOT_READY' })
  t.equal(reader.files().length, 5)
  t.ok(reader.files().every(({ repository, path }) => reader.chunksOf(repository, path).length > 0))
  await dropIndex(root, 'shop')
  await index(store, repository)
  t.match(await store.inspect('shop'), { kind: 'whole' })
})

test('the last use is kept by the folder alone', async t => {
  const { store, repository, root } = prepare(t, manyFiles(2))
  await index(store, repository)
  const folder = join(root, 'shop')
  const publication = await store.publication('shop')
  await noteUse(folder, 1_000_000_000_000)
  t.equal(await lastUseOnDisk(folder), 1_000_000_000_000)
  t.equal(await store.publication('shop'), publication)
  await noteUse(join(root, 'gone'), 1)
  t.equal(await lastUseOnDisk(join(root, 'gone')), 0)
})

test('after a kill at any moment there is the whole index or none, and a start removes the rest', async t => {
  const { store, repository, root } = prepare(t, manyFiles(10))
  await index(store, repository)
  const source = join(root, '..', 'source')
  cpSync(join(root, 'shop'), source, { recursive: true })
  const otherRoot = join(root, '..', 'other')
  mkdirSync(otherRoot)
  await openStore(otherRoot, { minFreeBytes: 0 }).createProject('shop')
  const random = randomFrom(11)
  for (let round = 0; round < roundsOf(15); round++) {
    const child = spawn(process.execPath, [LOOP, otherRoot, source], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: CHILD_ENV,
    })
    const ended = once(child, 'exit')
    const wanted = 1 + Math.floor(random() * 6)
    let seen = 0
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== '' && ++seen === wanted) break
    }
    await delay(random() * 4) // anywhere in what follows
    child.kill('SIGKILL')
    await ended
    const again = openStore(otherRoot, { minFreeBytes: 0 })
    const state = await again.inspect('shop')
    t.ok(state.kind === 'none' || state.kind === 'whole', state.kind)
    await again.sweep()
    t.same((await again.inspect('shop')).kind, state.kind)
    const left = readdirSync(join(otherRoot, 'shop')).filter(name => name.endsWith('.tmp'))
    t.same(left, [])
    if (state.kind === 'none') rmSync(join(otherRoot, 'shop', 'CURRENT'), { force: true })
  }
  t.ok(existsSync(join(otherRoot, 'shop', 'project.json')))
})
