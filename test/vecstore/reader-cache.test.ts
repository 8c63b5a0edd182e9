import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'tap'
import { CacheBudget } from '../../src/core/cache-budget.ts'
import { RecentlyUsed } from '../../src/core/recently-used.ts'
import { ReaderCache, largeIndexBytes } from '../../src/vecstore/reader-cache.ts'
import type { GenerationReader } from '../../src/vecstore/generation-reader.ts'
import { openTestStore, publish } from './fixture.ts'

const FILES = { 'a.py': 'a = 1\n' }

/** Counts what is open. */
function counting(store: ReturnType<typeof openTestStore>) {
  const counts = { opened: 0, closed: 0 }
  return {
    counts,
    publication: store.publication,
    async openReader(project: string): Promise<GenerationReader> {
      const reader = await store.openReader(project)
      counts.opened++
      const close = reader[Symbol.asyncDispose].bind(reader)
      reader[Symbol.asyncDispose] = async () => {
        counts.closed++
        await close()
      }
      return reader
    },
  }
}

test('uses of one generation share one reader, also when they begin at once', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  const counted = counting(store)
  await using cache = new ReaderCache(counted)
  await Promise.all([1, 2, 3].map(() => cache.use('shop', reader => reader.files().length)))
  await cache.use('shop', reader => reader.files().length)
  t.same(counted.counts, { opened: 1, closed: 0 })
})

test('a use after publishing sees the new generation, while one under way keeps the old one open', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  const counted = counting(store)
  await using cache = new ReaderCache(counted)
  await cache.use('shop', async old => {
    await publish(store, 'shop', { 'b.py': 'b = 2\n' })
    t.same(await cache.use('shop', fresh => fresh.files().map(({ path }) => path)), ['b.py'])
    t.equal(counted.counts.closed, 0)
    t.equal(old.fileText('repo', 'a.py'), 'a = 1\n')
  })
  t.same(counted.counts, { opened: 2, closed: 1 })
})

test('the project used longest ago is closed first, never one in use', async t => {
  const store = openTestStore(t.testdir())
  for (const project of ['one', 'two', 'three']) await publish(store, project, FILES)
  const counted = counting(store)
  {
    await using cache = new ReaderCache(counted, { maxOpen: 1 })
    await cache.use('one', async one => {
      await cache.use('two', () => cache.use('three', () => {}))
      t.equal(one.files().length, 1)
    })
  }
  t.same(counted.counts, { opened: 3, closed: 3 })
})

test('a failure to open is told to all who wait and tried again by the next use', async t => {
  const store = openTestStore(t.testdir())
  await store.createProject('shop')
  await using cache = new ReaderCache(store)
  const results = await Promise.allSettled([1, 2].map(() => cache.use('shop', () => 1)))
  t.ok(results.every(({ status }) => status === 'rejected'))
  await publish(store, 'shop', FILES)
  t.equal(await cache.use('shop', () => 1), 1)
})

test('a large generation is closed before its successor is opened, unless it is in use', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  const counted = counting(store)
  const atOpening: number[] = []
  const openReader = (project: string) => {
    atOpening.push(counted.counts.closed)
    return counted.openReader(project)
  }
  await using cache = new ReaderCache({ ...counted, openReader }, { largeChunks: 1 })
  await cache.use('shop', () => {})
  await publish(store, 'shop', { 'b.py': 'b = 2\n' })
  await Promise.all(
    [1, 2].map(
      async () =>
        await cache.use('shop', fresh =>
          t.same(
            fresh.files().map(({ path }) => path),
            ['b.py'],
          ),
        ),
    ),
  )
  t.same(atOpening, [0, 1])
  await cache.use('shop', async old => {
    await publish(store, 'shop', { 'c.py': 'c = 3\n' })
    t.same(await cache.use('shop', fresh => fresh.files().map(({ path }) => path)), ['c.py'])
    t.equal(old.fileText('repo', 'b.py'), 'b = 2\n')
  })
  t.same(counted.counts, { opened: 3, closed: 2 })
})

test('what is open beside the project used last counts against the budget of all caches', async t => {
  const store = openTestStore(t.testdir())
  for (const project of ['one', 'two', 'three']) await publish(store, project, { 'a.py': 'a = 1\n', 'b.py': 'b = 2\n' })
  const counted = counting(store)
  const budget = new CacheBudget(6_000)
  await using cache = new ReaderCache(counted, { budget })
  for (const project of ['one', 'two']) await cache.use(project, () => {})
  t.same(counted.counts, { opened: 2, closed: 0 })
  await cache.use('three', () => {})
  t.same(counted.counts, { opened: 3, closed: 1 })
  t.equal(budget.bytes, 4_000, 'two chunks')
  await cache.use('two', () => {})
  t.equal(counted.counts.opened, 3)
  const others = new RecentlyUsed<string, number>(budget, bytes => bytes)
  others.set('text', 5_000)
  await cache.use('two', () => {})
  t.same(counted.counts, { opened: 3, closed: 2 }, 'three had to make room')
  t.equal(budget.bytes, 5_000)
  await cache.use('three', () => {})
  t.equal(others.find('text'), undefined, 'and now the text for two')
  await cache[Symbol.asyncDispose]()
  t.equal(budget.bytes, 0)
})

/** Opens generations of so many chunks, of which there is nothing but the number; lists what is opened. */
function storeOf(chunksTotal: number) {
  const opened: string[] = []
  const store = {
    publication: async () => '1',
    async openReader(project: string) {
      opened.push(project)
      return { manifest: { chunksTotal }, [Symbol.asyncDispose]: async () => {} } as unknown as GenerationReader
    },
  }
  return { opened, store }
}

test('large projects that are asked in turn stay open where there is memory for them, and only there', async t => {
  const large = 400_000
  for (const [gigabytes, opens] of [
    [16, 2],
    [4, 2],
    [2, 6],
    [1, 6],
  ] as const) {
    const { opened, store } = storeOf(large)
    await using cache = new ReaderCache(store, { budget: new CacheBudget(largeIndexBytes(gigabytes * 2 ** 30)) })
    for (const project of ['one', 'two', 'one', 'two', 'one', 'two']) await cache.use(project, () => {})
    t.equal(opened.length, opens, `${gigabytes} GiB`)
  }
})

test('damage that SQLite meets under an open reader is named, with the way out', async t => {
  const store = openTestStore(t.testdir())
  await publish(store, 'shop', FILES)
  await using cache = new ReaderCache(store)
  const file = join(t.testdirName, 'damaged.sqlite')
  writeFileSync(file, 'no database at all, but long enough to be looked at by SQLite as one')
  const use = cache.use('shop', () => {
    using db = new DatabaseSync(file)
    return db.prepare('SELECT 1 FROM files').all()
  })
  await t.rejects(use, { code: 'INDEX_INCOMPATIBLE', message: /of project shop was damaged/, fix: /POST \/clone/ })
  await t.rejects(
    cache.use('shop', () => Promise.reject(new Error('other'))),
    { message: 'other' },
  )
})
