import { createHash, randomBytes } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { createGenerationBuilder } from '../../src/vecstore/generation-builder.ts'
import type { StoredManifest } from '../../src/vecstore/format/stored-manifest.ts'
import { SegmentMemory } from '../../src/vecstore/lexical/segment-memory.ts'
import {
  addFiles,
  addVectors,
  contentOf,
  EMBEDDING,
  finishAndPublish,
  openTestStore,
  publish,
  vectorOf,
} from './fixture.ts'
import { searchWords } from '../helpers/search-words.ts'

const FILES = {
  'src/a.py': 'def parse_user(): pass\n',
  'src/b.py': 'class SocketServer: pass\n',
  'empty/c.py': 'x = 1\n',
}

function flipByte(path: string): void {
  const bytes = readFileSync(path)
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 0xff
  writeFileSync(path, bytes)
}

test('a published generation holds files, texts, chunks and both kinds of search', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  await using reader = await store.openReader('shop')
  t.same(
    reader.files().map(({ path, language, lines }) => [path, language, lines]),
    [
      ['empty/c.py', 'python', 1],
      ['src/a.py', 'python', 1],
      ['src/b.py', 'python', 1],
    ],
  )
  t.equal(reader.fileText('repo', 'src/a.py'), FILES['src/a.py'])
  t.equal(reader.fileText('repo', 'src/none.py'), null)
  t.same(reader.chunksOf('repo', 'src/b.py'), [
    {
      repository: 'repo',
      path: 'src/b.py',
      chunkIndex: 0,
      totalChunks: 1,
      startLine: 1,
      endLine: 1,
      text: FILES['src/b.py'],
    },
  ])
  const [nearest] = reader.searchVectors(vectorOf(FILES['src/b.py']), 1)
  t.equal(nearest?.path, 'src/b.py')
  t.ok(nearest && nearest.score > 0.999 && nearest.score <= 1)
  t.equal(searchWords(reader, 'parseUser', 5)[0]?.path, 'src/a.py')
  t.match(reader.manifest, {
    formatVersion: 3,
    generation: 1,
    indexState: 'ready',
    annRecall: 1,
    filesIndexed: 3,
    chunksTotal: 3,
    languages: { python: 3 },
    embedding: EMBEDDING,
  })
})

test('a generation is exactly its catalogue, its segments and, above some size, their graph, with no journal left', async t => {
  const root = t.testdir()
  await publish(openTestStore(root), 'shop', FILES)
  t.same(readdirSync(join(root, 'shop')).sort(), ['000001', 'CURRENT', 'project.json'])
  t.same(readdirSync(join(root, 'shop/000001'), { recursive: true }).sort(), [
    'catalogue.sqlite',
    'manifest.json',
    'segments',
    'segments/000001.lexical',
    'segments/000001.vectors',
  ])
  await publish(openTestStore(root, { exactBelow: 0 }), 'shop', FILES)
  t.same(readdirSync(join(root, 'shop/000002')).sort(), [
    'catalogue.sqlite',
    'manifest.json',
    'segments',
    'vectors.hnsw',
  ])
})

test('a reader keeps its generation while newer ones are published and its folder goes', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  await using old = await store.openReader('shop')
  await publish(store, 'shop', { 'new.py': 'fresh = True\n' })
  t.notOk(readdirSync(join(root, 'shop')).includes('000001'))
  t.equal(old.fileText('repo', 'src/a.py'), FILES['src/a.py'])
  t.equal(searchWords(old, 'socket', 3).length, 1)
  t.equal(old.searchVectors(vectorOf('x'), 9).length, 3)
  await using fresh = await store.openReader('shop')
  t.same(
    fresh.files().map(({ path }) => path),
    ['new.py'],
  )
})

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

test('a copy keeps what is not touched, drops what is retired and never reuses a chunk id', async t => {
  const store = openTestStore(t.testdir(), { exactBelow: 0 })
  await publish(store, 'shop', FILES)
  {
    await using builder = await store.begin('shop', 'copy')
    builder.catalogue.retire('repo', 'src/a.py')
    await addFiles(builder, { 'src/d.py': 'def added(): pass\n' })
    await finishAndPublish(builder, 3)
  }
  await using reader = await store.openReader('shop')
  t.equal(reader.vectorSearch, 'hnsw')
  t.same(
    reader.files().map(({ path }) => path),
    ['empty/c.py', 'src/b.py', 'src/d.py'],
  )
  t.same(searchWords(reader, 'parse_user', 5), [])
  t.equal(searchWords(reader, 'added', 5)[0]?.path, 'src/d.py')
  t.same(
    reader
      .searchVectors(vectorOf(FILES['src/a.py']), 9)
      .map(({ path }) => path)
      .sort(),
    ['empty/c.py', 'src/b.py', 'src/d.py'],
  )
})

test('what is found by words is published first, and its vectors with the next generation', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await using builder = await store.begin('shop', 'empty')
  await addFiles(builder, FILES)
  const vectors = await builder.finishText(contentOf(3))
  t.match(await builder.publish(), {
    generation: 1,
    indexState: 'lexical_ready',
    annRecall: null,
    embedding: { model: 'test-8', dimensions: 0, fitId: '' },
  })
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
  await using words = await store.openReader('shop')
  t.equal(words.vectorSearch, 'none')
  t.same(words.searchVectors(vectorOf('x'), 3), [])
  t.equal(searchWords(words, 'parse_user', 1)[0]?.path, 'src/a.py')

  await addVectors(vectors)
  await vectors.finish()
  t.match(await builder.publish(), { generation: 2, indexState: 'ready', annRecall: 1, embedding: EMBEDDING })
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: true })
  await using ready = await store.openReader('shop')
  t.equal(ready.searchVectors(vectorOf(FILES['src/b.py']), 1)[0]?.path, 'src/b.py')
  t.equal(words.fileText('repo', 'src/a.py'), FILES['src/a.py'], 'the first one is still open')
  t.same(readdirSync(join(root, 'shop')).sort(), ['000002', 'CURRENT', 'project.json'])
})

test('one more commit shares the files of what it does not change, and its chunks are found beside the old ones', async t => {
  const root = t.testdir()
  const store = openTestStore(root, { exactBelow: 0 })
  await publish(
    store,
    'shop',
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}.py`, `def f${i}(): pass\n`])),
  )
  const inodes = (generation: string) =>
    ['segments/000001.lexical', 'segments/000001.vectors', 'vectors.hnsw'].map(
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
  t.equal(reader.vectorSearch, 'hnsw')
  t.equal(reader.searchVectors(vectorOf('def fresh(): pass\n'), 1)[0]?.path, 'new.py')
  const all = reader.searchVectors(vectorOf('x'), 50).map(({ path }) => path)
  t.equal(all.length, 20)
  t.notOk(all.includes('f0.py'))
  t.equal(reader.searchTerms(new Map([['fresh', 1]]), 5)[0]?.path, 'new.py')
  t.same(reader.searchTerms(new Map([['f0', 1]]), 5), [])
})

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

test('vectors of another space take the place of all previous ones', async t => {
  const root = t.testdir()
  const store = openTestStore(root, { exactBelow: 0 })
  await publish(store, 'shop', FILES)
  {
    await using builder = await store.begin('shop', 'copy')
    await addFiles(builder, { 'new.py': 'def fresh(): pass\n' })
    await finishAndPublish(builder, 4, { ...EMBEDDING, fitId: 'test-8-v2' })
  }
  t.match(await store.inspect('shop'), {
    kind: 'whole',
    vectorsWhole: true,
    manifest: { embedding: { fitId: 'test-8-v2' }, growth: { occurrences: 0 } },
  })
  await using reader = await store.openReader('shop')
  t.equal(reader.searchVectors(vectorOf('x'), 9).length, 4)
})

test('a damaged file of vectors is made again by the next build, a damaged segment of words from the stored texts', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  flipByte(join(root, 'shop/000001/segments/000001.vectors'))
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
  {
    await using reader = await store.openReader('shop')
    t.equal(reader.vectorSearch, 'none')
    await using builder = await store.begin('shop', 'copy')
    await finishAndPublish(builder, 3)
  }
  {
    await using reader = await store.openReader('shop')
    t.equal(reader.searchVectors(vectorOf(FILES['src/b.py']), 1)[0]?.path, 'src/b.py')
  }
  flipByte(join(root, 'shop/000002/segments/000001.lexical'))
  t.match(await store.inspect('shop'), { kind: 'unreadable', why: 'segments' })
  await t.rejects(store.openReader('shop'), { code: 'INDEX_INCOMPATIBLE' })
  t.same([...(await store.storedFiles('shop', 'repo'))].length, 3)
})

test('a build that is not published leaves nothing', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  {
    await using builder = await store.begin('shop', 'empty')
    await addFiles(builder, FILES)
  }
  t.same(readdirSync(join(root, 'shop')), ['project.json'])
  await t.rejects(store.openReader('shop'), { code: 'INDEX_NOT_READY' })
})

test('a build that cannot be begun leaves nothing', async t => {
  const root = t.testdir()
  await publish(openTestStore(root), 'shop', FILES)
  const folder = join(root, 'shop/000001')
  const catalogue = Buffer.from('no catalogue, although its checksum is right')
  writeFileSync(join(folder, 'catalogue.sqlite'), catalogue)
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as StoredManifest
  const checksum = { bytes: catalogue.length, sha256: createHash('sha256').update(catalogue).digest('hex') }
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ ...manifest, seals: { ...manifest.seals, catalogue: checksum } }),
  )
  await t.rejects(openTestStore(root).begin('shop', 'copy'), /not a database/)
  t.same(readdirSync(join(root, 'shop')).sort(), ['000001', 'CURRENT', 'project.json'])
})

test('of two builds of one project the first fails and changes nothing', async t => {
  const store = openTestStore(t.testdir())
  await using first = await store.begin('shop', 'empty')
  await addFiles(first, { 'first.py': 'first\n' })
  await using second = await store.begin('shop', 'empty')
  await addFiles(second, { 'second.py': 'second\n' })
  await t.rejects(finishAndPublish(first, 1), { code: 'PROJECT_BUSY' })
  await finishAndPublish(second, 1)
  await using reader = await store.openReader('shop')
  t.same(
    reader.files().map(({ path }) => path),
    ['second.py'],
  )
})

test('the second phase says as the first does that the disk is full, before it writes, or that another build was begun', async t => {
  const store = openTestStore(t.testdir())
  await using first = await store.begin('shop', 'empty')
  await addFiles(first, FILES)
  const vectors = await first.finishText(contentOf(3))
  await first.publish()
  await t.rejects(vectors.beginSpace({ ...EMBEDDING, dimensions: 1e12 }, null), {
    code: 'DISK_FULL',
    message: /MiB are needed/,
  })
  await vectors.beginSpace(EMBEDDING, Buffer.from('what was learned'))
  await using second = await store.begin('shop', 'copy')
  t.ok(second)
  await t.rejects(addVectors(vectors), { code: 'PROJECT_BUSY' })
  await t.rejects(vectors.readFit(), { code: 'PROJECT_BUSY' })
  await t.rejects(vectors.begin(1, Uint32Array.of(1)), { code: 'PROJECT_BUSY' })
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
})

test('a damaged vector file is noticed and searched around, and the next build makes a whole one', async t => {
  const root = t.testdir()
  const store = openTestStore(root, { exactBelow: 0 })
  await publish(store, 'shop', FILES)
  for (const damage of [flipByte, (path: string) => truncateSync(path, 100)]) {
    const { generation } = (await store.readManifest('shop')) ?? { generation: 0 }
    damage(join(root, `shop/${String(generation).padStart(6, '0')}/vectors.hnsw`))
    t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
    {
      await using reader = await store.openReader('shop')
      t.equal(reader.vectorSearch, 'repairing')
      t.equal(reader.searchVectors(vectorOf(FILES['src/b.py']), 1)[0]?.path, 'src/b.py')
    }
    await using builder = await store.begin('shop', 'copy')
    await finishAndPublish(builder, 3)
    await using repaired = await store.openReader('shop')
    t.equal(repaired.vectorSearch, 'hnsw')
    t.equal(repaired.searchVectors(vectorOf('x'), 9).length, 3)
  }
})

test('texts of a damaged catalogue end in an error that names what to do, wherever the damage is, and what is looked at in part is closed', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(
    store,
    'shop',
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${1_000 + i}.py`, randomBytes(200).toString('hex')])),
  )
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter(fd => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).endsWith('catalogue.sqlite')
      } catch {
        return false
      }
    }).length
  const files = await store.storedFiles('shop', 'repo')
  if (process.platform === 'linux') t.equal(openFiles(), 0, 'nothing is opened before it is read')
  const some = files[Symbol.iterator]()
  t.match(some.next(), { value: { path: 'f1000.py' } })
  some.return?.()
  if (process.platform === 'linux') t.equal(openFiles(), 0)

  const catalogue = join(root, 'shop/000001/catalogue.sqlite')
  const bytes = readFileSync(catalogue)
  writeFileSync(catalogue, bytes.fill(0xff, bytes.length / 2))
  const read: string[] = []
  const damaged = await store.storedFiles('shop', 'repo')
  t.throws(
    () => {
      for (const { path } of damaged) read.push(path)
    },
    { code: 'INDEX_INCOMPATIBLE', fix: /DELETE \/projects\/shop/ },
  )
})

test('files that generations share count once in the size of a project', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  const before = await store.storeBytes('shop')
  await using builder = await store.begin('shop', 'copy')
  const shared = ['000001.lexical', '000001.vectors'].reduce(
    (sum, name) => sum + statSync(join(root, 'shop/000001/segments', name)).size,
    0,
  )
  t.ok(builder)
  const all = readdirSync(join(root, 'shop'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  t.equal(await store.storeBytes('shop'), all - shared)
  t.ok(all - shared > before)
})

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

test('a query of another dimension is refused, and one that has no direction', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  await using reader = await store.openReader('shop')
  t.throws(() => reader.searchVectors(new Float32Array(9).fill(1), 3), { code: 'INDEX_INCOMPATIBLE' })
  t.throws(() => reader.searchVectors(new Float32Array(8), 3), RangeError)
  t.throws(() => reader.searchVectors(new Float32Array(8).fill(NaN), 3), RangeError)
})

test('projects are listed newest first and found whatever the case', async t => {
  let day = 1
  const store = openTestStore(t.testdir(), { now: () => new Date(Date.UTC(2026, 0, day++)) })
  for (const name of ['Alpha', 'beta', 'Gamma']) await store.createProject(name)
  await store.createProject('Alpha')
  t.same(await store.listProjects(), ['Gamma', 'beta', 'Alpha'])
  t.equal(await store.findProject('ALPHA'), 'Alpha')
  t.equal(await store.findProject('../Alpha'), null)
  t.equal(await store.readManifest('beta'), null)
  await t.rejects(store.openReader('beta'), { code: 'INDEX_NOT_READY' })
  await t.rejects(store.openReader('delta'), { code: 'PROJECT_NOT_FOUND' })
})

test('names that are no project names never become paths', async t => {
  const store = openTestStore(t.testdir())
  for (const name of ['..', '../x', 'a/b', '.embeddings', '', 'con', 'a\0b', 'x'.repeat(65)]) {
    await t.rejects(store.createProject(name), { code: 'VALIDATION_FAILED' }, JSON.stringify(name))
    await t.rejects(store.deleteProject(name), { code: 'VALIDATION_FAILED' }, JSON.stringify(name))
    await t.rejects(store.openReader(name), { code: 'VALIDATION_FAILED' }, JSON.stringify(name))
  }
})

test('a deleted project is gone, and deleting it again says so', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  await publish(store, 'shop', FILES)
  t.ok((await store.storeBytes('shop')) > 10_000)
  await store.deleteProject('shop')
  t.same(readdirSync(root), [])
  t.equal(await store.storeBytes('shop'), 0)
  await t.rejects(store.deleteProject('shop'), { code: 'PROJECT_NOT_FOUND' })
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

test('a build looks at the free space again when it is asked to', async t => {
  const begin = {
    project: 'shop',
    projectDir: t.testdir(),
    base: null,
    exactBelow: 5_000,
    opened: new SegmentMemory(),
    now: () => new Date(),
  }
  await using small = await createGenerationBuilder({ ...begin, minFreeBytes: 2 ** 60 })
  await t.rejects(small.requireFreeSpace(), { code: 'DISK_FULL' })
  await small[Symbol.asyncDispose]()
  await using large = await createGenerationBuilder({ ...begin, minFreeBytes: 0 })
  await large.requireFreeSpace()
})

test('text with a NUL and letters beyond ASCII comes back as it was', async t => {
  const store = openTestStore(t.testdir())
  const text = '# Привет \u{1F600}\u0000 end\nx = "日本語"\n'
  await publish(store, 'shop', { 'ü/ключ.py': text })
  await using reader = await store.openReader('shop')
  t.equal(reader.fileText('repo', 'ü/ключ.py'), text)
  t.equal(searchWords(reader, 'привет', 3).length, 1)
  t.equal(searchWords(reader, 'ключ', 3).length, 1, 'paths are searched, too')
})
