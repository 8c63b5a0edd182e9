import { test } from 'tap'
import { pseudoCode, segmentOf, termsOfChunk } from '../lexical-fixture.ts'

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
