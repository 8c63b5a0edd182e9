import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { threadCaches } from '../../src/core/cache-budget.ts'
import { EMBEDDING, openTestStore, publish, vectorOf } from './fixture.ts'
import { searchWords } from '../helpers/search-words.ts'
import { FILES } from './store-fixture.ts'

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

test('a query of another dimension is refused, and one that has no direction', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  await using reader = await store.openReader('shop')
  t.throws(() => reader.searchVectors(new Float32Array(9).fill(1), 3), { code: 'INDEX_INCOMPATIBLE' })
  t.throws(() => reader.searchVectors(new Float32Array(8), 3), RangeError)
  t.throws(() => reader.searchVectors(new Float32Array(8).fill(NaN), 3), RangeError)
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

test('what was unpacked counts against the caches of the thread until the generation is closed', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  const before = threadCaches.bytes
  {
    await using reader = await store.openReader('shop')
    const open = threadCaches.bytes
    reader.fileText('repo', 'src/a.py')
    reader.outline('repo', 'src/a.py')
    reader.chunksOf('repo', 'src/b.py')
    t.ok(threadCaches.bytes > open)
  }
  t.ok(threadCaches.bytes - before < 4_096, 'no more than the postings, which the next generation may share')
})
