import { test } from 'tap'
import fc from 'fast-check'
import { createLexicalIndex } from '../../../src/vecstore/lexical/lexical-index.ts'
import { LexicalSegment } from '../../../src/vecstore/lexical/lexical-segment.ts'
import { pseudoCode, segmentBytes, segmentOf, termsOfChunk } from '../lexical-fixture.ts'
import { runs } from '../../helpers/property-runs.ts'

const INCOMPATIBLE = { code: 'INDEX_INCOMPATIBLE' }
const QUERY = new Map([
  ['word', 1],
  ['word1', 1],
  ['word2', 2],
  ['py', 1],
])

test('every term is found by its number and its text, and no other is', async t => {
  const chunk = { chunkId: 1, fileId: 1, path: 'größe/北京.py', text: 'readUserConfig İstanbul $x __init__' }
  const segment = segmentOf([chunk])
  const terms = Array.from({ length: segment.termCount }, (_, id) => segment.termAt(id))
  t.same(terms.toSorted(), [...termsOfChunk(chunk).keys()].sort())
  for (const [id, term] of terms.entries()) t.equal(segment.idOf(term), id, term)
  for (const term of ['', 'rea', 'readd', 'ausdruck', 'Config']) t.equal(segment.idOf(term), -1, term)
})

test('the rows hold the terms of each chunk', async t => {
  const chunks = pseudoCode(60, 100)
  const { documentCount, offsets, termIds, counts, termAt } = segmentOf(chunks).chunkRows()
  t.equal(documentCount, 60)
  t.equal(offsets.length, 61)
  for (const [document, chunk] of chunks.entries()) {
    const row = new Map<string, number>()
    for (let i = offsets[document] ?? 0; i < (offsets[document + 1] ?? 0); i++) {
      row.set(termAt(termIds[i] ?? 0), counts[i] ?? 0)
    }
    t.strictSame([...row].sort(), [...termsOfChunk(chunk)].sort())
  }
})

test('a word that a chunk repeats is counted up to what a byte holds', async t => {
  const segment = segmentOf([{ chunkId: 1, fileId: 1, path: 'a', text: 'zero '.repeat(1_000) }])
  t.same([...segment.views.counts], [255])
  t.equal(segment.views.lengths[0], 1_000)
})

test('bytes that do not lie at a multiple of four are read all the same', async t => {
  const bytes = segmentBytes(pseudoCode(20, 50))
  const shifted = new Uint8Array(bytes.length + 3).subarray(3)
  shifted.set(bytes)
  const search = (segment: LexicalSegment) => createLexicalIndex([segment], () => false).searchChunks(QUERY, 5)
  t.strictSame(search(new LexicalSegment(shifted)), search(new LexicalSegment(bytes)))
})

test('what is cut off, longer, or something else is refused', async t => {
  const bytes = segmentBytes(pseudoCode(20, 50))
  for (const length of [0, 1, 31, 32, 33, 100, 1_000, bytes.length - 4, bytes.length - 1]) {
    t.throws(() => new LexicalSegment(bytes.subarray(0, length)), INCOMPATIBLE, `${length} bytes`)
  }
  t.throws(() => new LexicalSegment(new Uint8Array([...bytes, 0])), INCOMPATIBLE)
  t.throws(() => new LexicalSegment(Buffer.from('SQLite format 3\0'.repeat(10))), INCOMPATIBLE)
})

test('with bytes changed a segment is refused, or answers with some of its chunks', async t => {
  const bytes = segmentBytes(pseudoCode(20, 50))
  const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
  let refused = 0
  fc.assert(
    fc.property(changes, changed => {
      const damaged = bytes.slice()
      for (const [at, value] of changed) damaged[at] = value
      try {
        const segment = new LexicalSegment(damaged)
        segment.chunkRows()
        for (let id = 0; id < segment.termCount; id++) segment.idOf(segment.termAt(id))
        const index = createLexicalIndex([segment], () => false)
        const ids = new Set(segment.views.chunkIds)
        return (
          index.searchChunks(QUERY, 9).every(({ chunkId, score }) => ids.has(chunkId) && Number.isFinite(score)) &&
          index.searchFiles(QUERY, 9).length <= 9
        )
      } catch (error) {
        refused++
        return error instanceof Error && 'code' in error && error.code === INCOMPATIBLE.code
      }
    }),
    { numRuns: runs(1_000), seed: 1 },
  )
  t.ok(refused > runs(1_000) / 10, `${refused} refused`)
})

test('a header that claims more than there is is refused before anything is made of it', async t => {
  for (const word of [1, 2, 3, 4, 5]) {
    const bytes = segmentBytes(pseudoCode(3, 10))
    new DataView(bytes.buffer).setUint32(word * 4, 0xffff_ffff, true)
    t.throws(() => new LexicalSegment(bytes), INCOMPATIBLE)
  }
})
