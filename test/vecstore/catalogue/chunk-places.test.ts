import { test } from 'tap'
import { ChunkPlaces } from '../../../src/vecstore/catalogue/chunk-places.ts'

test('a chunk is found in its file by its number, one between files or beyond them is gone', async t => {
  const places = new ChunkPlaces([
    { firstChunk: 10, chunks: 3 },
    { firstChunk: 1, chunks: 2 },
    { firstChunk: 13, chunks: 0 },
    { firstChunk: 20, chunks: 1 },
  ])
  t.same(
    [1, 2, 10, 12, 20].map(id => places.find(id)),
    [
      { file: 1, chunkIndex: 0 },
      { file: 1, chunkIndex: 1 },
      { file: 0, chunkIndex: 0 },
      { file: 0, chunkIndex: 2 },
      { file: 3, chunkIndex: 0 },
    ],
  )
  t.same(
    [0, 3, 9, 13, 19, 21].map(id => places.has(id)),
    [false, false, false, false, false, false],
  )
  t.equal(new ChunkPlaces([]).find(1), null)
})
