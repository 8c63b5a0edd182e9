import { test } from 'tap'
import type { Embedder } from '../../src/embedding/embedder.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'
import type { ContentHelper } from '../../src/indexer/content-queue.ts'
import { makeContent } from '../../src/indexer/make-contents.ts'
import { countUncounted } from '../../src/vecstore/catalogue/row-tokens.ts'
import { countingEmbedder, index, prepare } from './index-fixture.ts'

const PATH = 'part_0.py'
const filesOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`part_${i}.py`, `def part_${i}():\n    return ${i}\n`]))
const MANY = filesOf(260)
const countRows = (text: string): Uint8Array =>
  Uint8Array.of(
    1,
    ...text
      .trimEnd()
      .split('\n')
      .map(() => 5),
  )
const countRowsOf = (path: string) => countUncounted(path, countRows)
const COUNTED = Uint8Array.of(1, 5, 5)

/** A helper in this thread, and what became of it. */
function helperHere({ countRows: count = countRowsOf } = {}) {
  const seen: string[] = []
  const helper: ContentHelper = {
    async make(sources) {
      return sources.map(source => makeContent(source, { chunker: createLineChunker(), countsLater: true }))
    },
    async countRows(path) {
      seen.push('counts')
      return count(path)
    },
    async [Symbol.asyncDispose]() {
      seen.push('ends')
    },
  }
  return { seen, startHelper: () => helper }
}

test('of many files the tokens of lines are counted after the words are published, before the vectors are', async t => {
  const { store, repository } = prepare(t, MANY)
  const { seen, startHelper } = helperHere()
  const local = countingEmbedder()
  const embedder: Embedder = {
    ...local,
    async embed(texts, signal) {
      await using words = await store.openReader('shop')
      t.equal(words.rowTokens('repo', PATH)?.[0], 0)
      return await local.embed(texts, signal)
    },
  }
  await index(store, repository, { embedder, startHelper, countRowsOf, publishEarlyMs: 0 })
  await using reader = await store.openReader('shop')
  t.same(reader.rowTokens('repo', PATH), COUNTED)
  t.same(seen, ['counts', 'ends'])
})

test('a helper that breaks down leaves the counting to this thread', async t => {
  const { store, repository } = prepare(t, MANY)
  const fails = () => {
    throw new Error('the thread is gone')
  }
  await index(store, repository, { ...helperHere({ countRows: fails }), countRowsOf })
  await using reader = await store.openReader('shop')
  t.same(reader.rowTokens('repo', PATH), COUNTED)
})

test('what an index that was cut off had not counted is counted by the next', async t => {
  const { store, repository } = prepare(t, MANY)
  const embedder: Embedder = { ...countingEmbedder(), embed: () => Promise.reject(new Error('cut off')) }
  const { startHelper } = helperHere()
  await t.rejects(index(store, repository, { embedder, startHelper, countRowsOf, publishEarlyMs: 0 }), /cut off/)
  t.match(await store.readManifest('shop'), { indexState: 'lexical_ready' })
  await index(store, repository, { countRowsOf })
  await using reader = await store.openReader('shop')
  t.same(reader.rowTokens('repo', PATH), COUNTED)
})

test('few files need no helper, and are counted at once', async t => {
  const { store, repository } = prepare(t, filesOf(20))
  const { seen, startHelper } = helperHere()
  await index(store, repository, { startHelper, countRowsOf })
  t.same(seen, [])
})
