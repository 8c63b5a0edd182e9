import { test } from 'tap'
import { readSegment, type SegmentViews } from '../../../src/vecstore/lexical/lexical-format.ts'
import { pseudoCode, segmentBytes } from '../lexical-fixture.ts'

/** In the first list of more than one. */
function duplicateIn(chunks: Uint16Array, postingStarts: Uint32Array): void {
  const list = postingStarts.findIndex((start, term) => (postingStarts[term + 1] ?? 0) - start > 1)
  const start = postingStarts[list] ?? 0
  chunks[start + 1] = chunks[start] ?? 0
}

const DAMAGES: ReadonlyArray<[string, (views: SegmentViews) => unknown]> = [
  ['a chunk id twice', ({ chunkIds }) => chunkIds.fill(chunkIds[0] ?? 0, 1, 2)],
  ['a file id twice', ({ fileIds }) => fileIds.fill(fileIds[0] ?? 0, 1, 2)],
  ['a chunk of a file that is not there', ({ fileOfChunk, fileIds }) => fileOfChunk.fill(fileIds.length, 3, 4)],
  ['hashes out of order', ({ termHashes }) => termHashes.fill(0xffff_ffff, 0, 1)],
  ['a term that begins before the vocabulary', ({ termStarts }) => termStarts.fill(1, 0, 1)],
  ['a term that ends after the vocabulary', ({ termStarts }) => termStarts.fill((termStarts.at(-1) ?? 0) + 1, -1)],
  ['a term without letters', ({ termStarts }) => termStarts.fill(termStarts[2] ?? 0, 3, 4)],
  ['a list that ends after the postings', ({ postingStarts }) => postingStarts.fill(0xffff_ffff, -1)],
  ['a list of nothing', ({ postingStarts }) => postingStarts.fill(postingStarts[2] ?? 0, 3, 4)],
  ['a chunk twice in a list', ({ chunks, postingStarts }) => duplicateIn(chunks, postingStarts)],
  ['a chunk that is not there', ({ chunks, chunkIds }) => chunks.fill(chunkIds.length, -1)],
  ['a count of zero', ({ counts }) => counts.fill(0, 5, 6)],
]

test('a whole segment is read, and one in which any number points elsewhere is refused', async t => {
  const bytes = segmentBytes(pseudoCode(20, 50))
  t.doesNotThrow(() => readSegment(bytes))
  for (const [name, damage] of DAMAGES) {
    const copy = bytes.slice()
    damage(readSegment(copy).views)
    t.throws(() => readSegment(copy), { code: 'INDEX_INCOMPATIBLE' }, name)
  }
})

test('a segment is read from wherever its bytes lie', async t => {
  const bytes = segmentBytes(pseudoCode(5, 20))
  for (let offset = 0; offset < 8; offset++) {
    const moved = Buffer.alloc(bytes.length + offset)
    moved.set(bytes, offset)
    t.same(readSegment(moved.subarray(offset)).views.chunks, readSegment(bytes).views.chunks)
  }
})
