import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { LARGE_SEARCH, NEEDS_HNSW } from '../helpers/hnsw.ts'
import { countUncounted } from '../../src/vecstore/catalogue/row-tokens.ts'
import { createGenerationBuilder } from '../../src/vecstore/generation-builder.ts'
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
import { FILES } from './store-fixture.ts'

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
  t.equal(reader.vectorSearch, LARGE_SEARCH)
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

test('vectors are published before their graph is built, and scanned until then', NEEDS_HNSW, async t => {
  const store = openTestStore(t.testdir(), { exactBelow: 0 })
  await using builder = await store.begin('shop', 'empty')
  await addFiles(builder, FILES)
  const vectors = await builder.finishText(contentOf(3))
  t.equal(vectors.hasAllVectors, false)
  await addVectors(vectors)
  t.equal(vectors.hasAllVectors, true)
  t.match(await builder.publish(), { indexState: 'ready', annRecall: 1, checksums: { hnsw: null } })
  const nearest = async (): Promise<unknown> => {
    await using reader = await store.openReader('shop')
    return [reader.vectorSearch, reader.searchVectors(vectorOf(FILES['src/b.py']), 1)[0]?.path]
  }
  t.same(await nearest(), ['exact', 'src/b.py'])
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false }, 'a build that ends here is gone on with')

  await vectors.finish()
  t.match(await builder.publish(), { generation: 2, indexState: 'ready', checksums: { hnsw: { elements: 3 } } })
  t.same(await nearest(), ['hnsw', 'src/b.py'])
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: true })
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

test(
  'the second phase says as the first does that the disk is full, before it writes, or that another build ' +
    'was begun',
  async t => {
    const store = openTestStore(t.testdir())
    await using first = await store.begin('shop', 'empty')
    await addFiles(first, FILES)
    const vectors = await first.finishText(contentOf(3))
    await first.publish()
    await t.rejects(vectors.beginSpace({ ...EMBEDDING, dimensions: 1e12 }, null), {
      code: 'DISK_FULL',
      message: /MiB are needed/,
    })
    await vectors.beginSpace(EMBEDDING, { bytes: Buffer.from('what was learned'), sample: null })
    await using second = await store.begin('shop', 'copy')
    t.ok(second)
    await t.rejects(addVectors(vectors), { code: 'PROJECT_BUSY' })
    await t.rejects(vectors.readFit(), { code: 'PROJECT_BUSY' })
    await t.rejects(vectors.begin(1, Uint32Array.of(1)), { code: 'PROJECT_BUSY' })
    t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: false })
  },
)

const firstBuild = (t: Test) => ({
  project: 'shop',
  projectDir: t.testdir(),
  base: null,
  exactBelow: 5_000,
  opened: new SegmentMemory(),
  now: () => new Date(),
})

test('a build looks at the free space again when it is asked to', async t => {
  const begin = firstBuild(t)
  await using small = await createGenerationBuilder({ ...begin, minFreeBytes: 2 ** 60 })
  await t.rejects(small.requireFreeSpace(), { code: 'DISK_FULL' })
  await small[Symbol.asyncDispose]()
  await using large = await createGenerationBuilder({ ...begin, minFreeBytes: 0 })
  await large.requireFreeSpace()
})

test('without room for a copy of the catalogue, tokens are left to the next build', async t => {
  await using builder = await createGenerationBuilder({ ...firstBuild(t), minFreeBytes: 2 ** 60 })
  const file = { repository: 'repo', path: 'a.py', language: 'python', lines: 1, oid: 'a'.repeat(40) }
  const chunks = [{ startLine: 1, endLine: 1, startOffset: 0, endOffset: 6 }]
  await builder.addFile(file, { text: 'x = 1\n', chunks, outline: null, rowTokens: 'later' })
  await builder.finishText(contentOf(1))
  const before = readFileSync(builder.cataloguePath)
  t.equal(await builder.putRowTokens(countUncounted(builder.cataloguePath, () => Uint8Array.of(1, 7))), false)
  t.strictSame(readFileSync(builder.cataloguePath), before)
})

test('tokens that are counted later come with the next generation, and the published one stays as it is', async t => {
  const root = t.testdir()
  const store = openTestStore(root)
  const rowTokens = Uint8Array.of(1, 7)
  await using builder = await store.begin('shop', 'empty')
  const file = { repository: 'repo', path: 'a.py', language: 'python', lines: 1, oid: 'a'.repeat(40) }
  const chunks = [{ startLine: 1, endLine: 1, startOffset: 0, endOffset: 6 }]
  await builder.addFile(file, { text: 'x = 1\n', chunks, outline: null, rowTokens: 'later' })
  const vectors = await builder.finishText(contentOf(1))
  t.equal(builder.catalogue.hasUncounted, true)
  await builder.publish()
  const published = readFileSync(join(root, 'shop/000001/catalogue.sqlite'))
  await using words = await store.openReader('shop')
  t.same(words.rowTokens('repo', 'a.py'), Uint8Array.of(0, 0), 'counts of no rule')

  await addVectors(vectors)
  const counted = countUncounted(builder.cataloguePath, () => rowTokens)
  t.match(counted, [{ rowTokens }])
  t.equal(await builder.putRowTokens(counted), true)
  t.strictSame(readFileSync(join(root, 'shop/000001/catalogue.sqlite')), published)
  await vectors.finish()
  await builder.publish()
  await using ready = await store.openReader('shop')
  t.same(ready.rowTokens('repo', 'a.py'), rowTokens)
  t.match(await store.inspect('shop'), { kind: 'whole', vectorsWhole: true })
  await using next = await store.begin('shop', 'copy')
  t.equal(next.catalogue.hasUncounted, false)
})
