import { test } from 'tap'
import fc from 'fast-check'
import { createLexicalIndex, type TermQuery } from '../../../src/vecstore/lexical/lexical-index.ts'
import type { LexicalChunk } from '../../../src/vecstore/lexical/lexical-segment-writer.ts'
import { chunkDocuments, fileDocuments, naiveBm25, pseudoCode, segmentOf } from '../lexical-fixture.ts'
import { someOf } from '../../helpers/property-runs.ts'

const nothingIsGone = () => false

interface Scored {
  id: number
  score: number
}

/**
 * Whether the same scores come in the same order, each from one that has it: equal ones may differ in their last bits
 * from the naive sums, and so in order.
 */
function isSameRanking(found: Scored[], expected: Scored[], k: number): boolean {
  const scoreOf = new Map(expected.map(({ id, score }) => [id, score]))
  const isNear = (a: number, b = NaN) => Math.abs(a - b) <= 1e-9 * b
  return (
    found.length === Math.min(k, expected.length) &&
    new Set(found.map(({ id }) => id)).size === found.length &&
    found.every(({ id, score }, i) => isNear(score, expected[i]?.score) && isNear(score, scoreOf.get(id)))
  )
}

function isAsNaive(segments: LexicalChunk[][], gone: ReadonlySet<number>, query: TermQuery, k: number): boolean {
  const index = createLexicalIndex(segments.map(segmentOf), id => gone.has(id))
  const live = segments.flat().filter(({ chunkId }) => !gone.has(chunkId))
  const chunks = chunkDocuments(live)
  const files = fileDocuments(live)
  return (
    index.chunkCount === chunks.size &&
    index.fileCount === files.size &&
    [...query.keys()].every(
      term => index.documentFrequency(term) === [...chunks.values()].filter(terms => terms.has(term)).length,
    ) &&
    isSameRanking(
      index.searchChunks(query, k).map(({ chunkId, score }) => ({ id: chunkId, score })),
      naiveBm25(chunks, query),
      k,
    ) &&
    isSameRanking(
      index.searchFiles(query, k).map(({ fileId, score }) => ({ id: fileId, score })),
      naiveBm25(files, query),
      k,
    )
  )
}

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'readConfig', 'config', 'größe', '北京')
const chunk = fc.record({
  file: fc.integer({ min: 0, max: 4 }),
  words: fc.array(word, { maxLength: 8 }),
  segment: fc.integer({ min: 0, max: 2 }),
  isGone: fc.boolean(),
})
const query = fc.dictionary(
  fc.constantFrom('alpha', 'beta', 'gamma', 'config', 'read', 'readconfig', 'größe', '北京', 'src', 'file1', 'absent'),
  fc.double({ min: 0.1, max: 5, noNaN: true }),
)

test('chunks and files are ranked as BM25 over all that is not gone says, across segments', async t => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 25 }), query, fc.integer({ min: 1, max: 30 }), (drawn, weights, k) => {
      const chunks = drawn.map(({ file, words, segment, isGone }, i) => ({
        chunkId: 10 + i,
        fileId: 1 + file,
        path: `src/file${file}.ts`,
        text: words.join(' '),
        segment,
        isGone,
      }))
      const segments = [0, 1, 2].map(wanted => chunks.filter(({ segment }) => segment === wanted))
      return isAsNaive(
        segments,
        new Set(chunks.filter(({ isGone }) => isGone).map(({ chunkId }) => chunkId)),
        new Map(Object.entries(weights)),
        k,
      )
    }),
  )
  t.pass()
})

test('among many chunks, where frequent words are looked up for a few of them alone, the answer is the same', async t => {
  const chunks = pseudoCode(4_000, 3_000)
  const segments = [chunks.slice(0, 2_500), chunks.slice(2_500, 3_990), chunks.slice(3_990)]
  const gone = new Set(chunks.filter(({ chunkId }) => chunkId % 13 === 0).map(({ chunkId }) => chunkId))
  for (const [words, k] of someOf([
    [[1, 2, 3, 4, 5, 6, 7, 40, 77, 120, 500, 2_000], 60],
    [[1, 2, 3, 900], 10],
    [[1, 2, 3], 20],
    [[1, 2, 2_500], 500],
    [[1, 2, 9, 600], 5_000],
  ] as const)) {
    t.ok(
      isAsNaive(segments, gone, new Map(words.map((number, i) => [`word${number}`, 1 + i / 3])), k),
      `${k} for ${words.join(' ')}`,
    )
  }
})

test('an answer does not depend on how the chunks lie in segments, to the last bit', async t => {
  const chunks = pseudoCode(3_000, 2_000)
  const query = new Map([
    ['word', 1],
    ['word1', 2],
    ['word2', 0.3],
    ['word3', 1],
    ['word70', 1],
    ['word1500', 1.7],
    ['py', 1],
  ])
  const one = createLexicalIndex([segmentOf(chunks)], id => id % 10 === 0)
  const many = createLexicalIndex(
    [
      segmentOf(chunks.slice(2_000)),
      segmentOf(chunks.slice(0, 700)),
      segmentOf(chunks.slice(700, 2_000).filter(({ chunkId }) => chunkId % 10 > 0)),
    ],
    id => id % 10 === 0,
  )
  const twice = one.searchChunks(query, 100)
  t.strictSame(one.searchChunks(query, 100), twice)
  t.strictSame(many.searchChunks(query, 100), twice)
  t.strictSame(many.searchFiles(query, 100), one.searchFiles(query, 100))
})

test('equal scores are ordered by id', async t => {
  const chunks = [5, 3, 9, 1].map(id => ({ chunkId: id, fileId: 10 - id, path: `f${id}.c`, text: 'same words' }))
  const index = createLexicalIndex([segmentOf(chunks.slice(0, 2)), segmentOf(chunks.slice(2))], nothingIsGone)
  t.same(
    index.searchChunks(new Map([['word', 1]]), 3).map(({ chunkId }) => chunkId),
    [1, 3, 5],
  )
  t.same(
    index.searchFiles(new Map([['word', 1]]), 3).map(({ fileId }) => fileId),
    [1, 5, 7],
  )
})

test('a word of the path counts three times in each chunk of the file', async t => {
  const chunks = [
    { chunkId: 1, fileId: 1, path: 'lib/parser.c', text: 'one two three' },
    { chunkId: 2, fileId: 2, path: 'lib/other.c', text: 'parser parser two' },
    { chunkId: 3, fileId: 1, path: 'lib/parser.c', text: 'one two three' },
  ]
  const index = createLexicalIndex([segmentOf(chunks)], nothingIsGone)
  t.equal(index.documentFrequency('parser'), 3)
  t.same(
    index.searchChunks(new Map([['parser', 1]]), 5).map(({ chunkId }) => chunkId),
    [1, 3, 2],
  )
})

test('nothing is found by nothing, in nothing, or by weights that are none', async t => {
  const empty = createLexicalIndex([], nothingIsGone)
  const index = createLexicalIndex([segmentOf(pseudoCode(5, 10)), segmentOf([])], nothingIsGone)
  const allGone = createLexicalIndex([segmentOf(pseudoCode(5, 10))], () => true)
  const some = new Map([['src', 1]])
  for (const [searched, query, k] of [
    [empty, some, 5],
    [allGone, some, 5],
    [index, new Map(), 5],
    [index, some, 0],
    [
      index,
      new Map([
        ['src', 0],
        ['py', -1],
        ['word1', NaN],
      ]),
      5,
    ],
  ] as const) {
    t.same(searched.searchChunks(query, k), [])
    t.same(searched.searchFiles(query, k), [])
  }
  t.equal(allGone.chunkCount, 0)
  t.equal(allGone.documentFrequency('src'), 0)
  t.equal(index.searchChunks(some, 5).length, 5)
})

test('many different queries one after the other leave no trace in an answer', async t => {
  const chunks = pseudoCode(200, 20_000)
  const index = createLexicalIndex([segmentOf(chunks)], nothingIsGone)
  const query = new Map([
    ['word1', 1],
    ['word2', 1],
    ['word9', 2],
  ])
  const before = [index.searchChunks(query, 20), index.searchFiles(query, 20)]
  for (let i = 0; i < 200; i++) {
    const other = new Map(Array.from({ length: 60 }, (_, j) => [`word${i * 60 + j}`, 1]))
    index.searchChunks(other, 5)
    index.searchFiles(other, 5)
  }
  t.strictSame([index.searchChunks(query, 20), index.searchFiles(query, 20)], before)
})
