import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { LARGE_SEARCH } from '../helpers/hnsw.ts'
import type { ManifestJson } from '../../src/vecstore/format/stored-manifest.ts'
import { addFiles, finishAndPublish, openTestStore, publish, vectorOf } from './fixture.ts'
import { FILES } from './store-fixture.ts'

test('readers opened while generations are published always find a whole one', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  const rounds = Array.from({ length: 12 }, (_, i) => i)
  let opened = 0
  for (const i of rounds) {
    const publishing = publish(store, 'shop', { ...FILES, [`n${i}.py`]: `n = ${i}\n` })
    const readers = await Promise.all(rounds.slice(0, 4).map(() => store.openReader('shop')))
    for (const reader of readers) {
      if (reader.files().length === reader.manifest.filesIndexed) opened++
      await reader[Symbol.asyncDispose]()
    }
    await publishing
  }
  t.equal(opened, 48)
})

test(
  'one more commit shares the files of what it does not change, and its chunks are found beside the old ' + 'ones',
  async t => {
    const root = t.testdir()
    const store = openTestStore(root, { exactBelow: 0 })
    await publish(
      store,
      'shop',
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}.py`, `def f${i}(): pass\n`])),
    )
    const inodes = (generation: string) =>
      ['segments/000001.lexical', 'segments/000001.vectors', ...(LARGE_SEARCH === 'hnsw' ? ['vectors.hnsw'] : [])].map(
        name => statSync(join(root, 'shop', generation, name)).ino,
      )
    const before = inodes('000001')
    {
      await using builder = await store.begin('shop', 'copy')
      builder.catalogue.retire('repo', 'f0.py')
      await addFiles(builder, { 'new.py': 'def fresh(): pass\n' })
      await finishAndPublish(builder, 20)
    }
    t.same(inodes('000002'), before)
    await using reader = await store.openReader('shop')
    t.equal(reader.vectorSearch, LARGE_SEARCH)
    t.equal(reader.searchVectors(vectorOf('def fresh(): pass\n'), 1)[0]?.path, 'new.py')
    const all = reader.searchVectors(vectorOf('x'), 50).map(({ path }) => path)
    t.equal(all.length, 20)
    t.notOk(all.includes('f0.py'))
    t.equal(reader.searchTerms(new Map([['fresh', 1]]), 5)[0]?.path, 'new.py')
    t.same(reader.searchTerms(new Map([['f0', 1]]), 5), [])
  },
)

test('commit after commit, segments stay few and answers are those of an index that was built at once', async t => {
  const store = openTestStore(t.testdir())
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`f${i}.py`, `def f${i}(): return common + part_${i % 7}\n`]),
  )
  await publish(store, 'once', files)
  for (const [path, text] of Object.entries(files)) {
    await using builder = await store.begin('shop', 'copy')
    await addFiles(builder, { [path]: text, 'gone.py': `def gone(): return common + part_${path.length}\n` })
    builder.catalogue.retire('repo', 'gone.py')
    await finishAndPublish(builder, 1)
  }
  const records = await store.inspect('shop')
  t.ok(records.kind === 'whole' && records.manifest.segments.length <= 9, 'few segments')
  await using grown = await store.openReader('shop')
  await using whole = await store.openReader('once')
  const query = new Map([
    ['common', 1],
    ['part_3', 2],
    ['f31', 1],
  ])
  const places = (reader: typeof whole) => reader.searchTerms(query, 60).map(({ path, score }) => [path, score])
  t.equal(grown.documentFrequency('common'), 40)
  t.same(new Set(places(grown).map(String)), new Set(places(whole).map(String)))
  t.same(
    grown
      .searchVectors(vectorOf('x'), 60)
      .map(({ path }) => path)
      .sort(),
    whole
      .searchVectors(vectorOf('x'), 60)
      .map(({ path }) => path)
      .sort(),
  )
})

test('a build that cannot be begun leaves nothing', async t => {
  const root = t.testdir()
  await publish(openTestStore(root), 'shop', FILES)
  const folder = join(root, 'shop/000001')
  const catalogue = Buffer.from('no catalogue, although its checksum is right')
  writeFileSync(join(folder, 'catalogue.sqlite'), catalogue)
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as ManifestJson
  const checksum = { bytes: catalogue.length, sha256: createHash('sha256').update(catalogue).digest('hex') }
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ ...manifest, seals: { ...manifest.seals, catalogue: checksum } }),
  )
  await t.rejects(openTestStore(root).begin('shop', 'copy'), /not a database/)
  t.same(readdirSync(join(root, 'shop')).sort(), ['000001', 'CURRENT', 'project.json'])
})

test('the sweep removes what killed processes left and nothing else', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  await store.createProject('empty')
  for (const left of ['.trash-1/000001', '.new-2', 'shop/000002-0a.tmp', 'shop/000002', 'empty/000001']) {
    mkdirSync(join(root, left), { recursive: true })
  }
  writeFileSync(join(root, 'shop/CURRENT.tmp'), '0000')
  mkdirSync(join(root, '.embeddings'))
  await store.sweep()
  t.same(readdirSync(root).sort(), ['.embeddings', 'empty', 'shop'])
  t.same(readdirSync(join(root, 'shop')).sort(), ['000001', 'CURRENT', 'project.json'])
  t.same(readdirSync(join(root, 'empty')), ['project.json'])
})

test('an index is not begun with too little free space', async t => {
  const store = openTestStore(t.testdir(), { minFreeBytes: 2 ** 60 })
  await t.rejects(store.begin('shop', 'empty'), { code: 'DISK_FULL', fix: /VECTOR_STORE_DIR/ })
})
