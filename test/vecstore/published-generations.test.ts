import { cpSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openTestStore, publish } from './fixture.ts'
import { FILES, flipByte } from './store-fixture.ts'

test('a damaged catalogue or manifest is an error that names the call that rebuilds', async t => {
  for (const [file, damage] of [
    ['catalogue.sqlite', flipByte],
    ['catalogue.sqlite', (path: string) => truncateSync(path, 5000)],
    ['manifest.json', (path: string) => truncateSync(path, 50)],
  ] as const) {
    const root = t.testdir()
    const store = openTestStore(root)
    const generation = await publish(store, 'shop', FILES)
    damage(join(root, `shop/${String(generation).padStart(6, '0')}`, file))
    await t.rejects(store.openReader('shop'), { code: 'INDEX_INCOMPATIBLE', fix: /POST \/clone/ }, file)
    t.match(await store.inspect('shop'), { kind: 'unreadable', why: 'damaged' })
  }
})

test('while an older whole generation is there, it stands in for a damaged one and survives the sweep', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  cpSync(join(root, 'shop/000001'), join(root, 'older'), { recursive: true })
  await publish(store, 'shop', { 'new.py': 'n\n' })
  renameSync(join(root, 'older'), join(root, 'shop/000001'))
  flipByte(join(root, 'shop/000002/catalogue.sqlite'))
  await store.sweep()
  await using reader = await store.openReader('shop')
  t.equal(reader.manifest.generation, 1)
  t.equal(await publish(store, 'shop', FILES), 3, 'numbers only grow')
})

test('an index of another format or embedding model is refused by name', async t => {
  const root = t.testdir()
  await publish(openTestStore(root), 'shop', FILES)
  const asked = openTestStore(root, { embedding: { provider: 'api', model: 'other-model' } })
  await t.rejects(asked.openReader('shop'), {
    code: 'INDEX_INCOMPATIBLE',
    message: /test-8.*other-model/,
    fix: /POST \/clone/,
  })

  const file = join(root, 'shop/000001/manifest.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"formatVersion": \d+/, '"formatVersion": 99'))
  const store = openTestStore(root)
  await t.rejects(store.openReader('shop'), { code: 'INDEX_INCOMPATIBLE', message: /99/, fix: /POST \/clone.*"shop"/ })
  t.match(await store.readManifest('shop'), { formatVersion: 99 })
  t.same([...(await store.storedFiles('shop', 'repo'))].map(({ path, text }) => [path, text])[1], [
    'src/a.py',
    FILES['src/a.py'],
  ])
})
