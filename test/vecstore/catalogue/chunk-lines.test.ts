import { test } from 'tap'
import { packChunkLines, unpackChunkLines } from '../../../src/vecstore/catalogue/chunk-lines.ts'

const CHUNKS = [
  { startLine: 1, endLine: 60, startOffset: 0, endOffset: 900 },
  { startLine: 51, endLine: 80, startOffset: 700, endOffset: 2 ** 31 },
]

test('lines of chunks come back as they were, from wherever their bytes lie', async t => {
  const packed = packChunkLines(CHUNKS)
  t.equal(packed.length, 32)
  t.same(unpackChunkLines(packed), CHUNKS)
  t.same(unpackChunkLines(Buffer.concat([Buffer.from('x'), packed]).subarray(1)), CHUNKS)
  t.same(unpackChunkLines(packChunkLines([])), [])
})
