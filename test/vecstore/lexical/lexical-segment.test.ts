import { test } from 'tap'
import fc from 'fast-check'
import { createLexicalIndex } from '../../../src/vecstore/lexical/lexical-index.ts'
import { LexicalSegment } from '../../../src/vecstore/lexical/lexical-segment.ts'
import { runs } from '../../helpers/property-runs.ts'
import { pseudoCode, segmentBytes } from '../lexical-fixture.ts'
import { INCOMPATIBLE, QUERY } from './segment-fixture.ts'

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
