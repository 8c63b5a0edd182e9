import { test } from 'tap'
import { MAX_CHUNKS } from '../../../src/vecstore/lexical/lexical-format.ts'
import { LexicalSegmentWriter } from '../../../src/vecstore/lexical/lexical-segment-writer.ts'
import { LexicalSegment } from '../../../src/vecstore/lexical/lexical-segment.ts'
import { pseudoCode, segmentBytes, segmentOf } from '../lexical-fixture.ts'

test('merging segments without what is gone gives the bytes that a rebuild gives', async t => {
  const chunks = pseudoCode(300, 500)
  const isGone = (chunkId: number) => chunkId % 3 === 0 || (chunkId > 50 && chunkId < 60) // with whole files
  const writer = new LexicalSegmentWriter()
  for (const part of [chunks.slice(200), chunks.slice(0, 90), chunks.slice(90, 197)]) {
    writer.addSegment(segmentOf(part), isGone)
  }
  for (const chunk of chunks.slice(197, 200)) if (!isGone(chunk.chunkId)) writer.add(chunk)
  t.strictSame(
    Buffer.from(writer.toBytes()),
    Buffer.from(segmentBytes(chunks.filter(({ chunkId }) => !isGone(chunkId)))),
  )
})

test('the same chunks give the same bytes, in whichever order they come and as often as they are asked for', async t => {
  const chunks = pseudoCode(100, 300)
  const writer = new LexicalSegmentWriter()
  for (const chunk of chunks.toReversed()) writer.add(chunk)
  const bytes = writer.toBytes()
  t.strictSame(Buffer.from(bytes), Buffer.from(segmentBytes(chunks)))
  t.strictSame(Buffer.from(writer.toBytes()), Buffer.from(bytes))
})

test('a segment of nothing can be written and read', async t => {
  const segment = new LexicalSegment(new LexicalSegmentWriter().toBytes())
  t.same([segment.chunkCount, segment.termCount, segment.idOf('a')], [0, 0, -1])
})

test('a chunk that comes twice and ids that are none are refused', async t => {
  const [chunk] = pseudoCode(1, 10)
  if (chunk === undefined) throw new Error('there is one')
  const writer = new LexicalSegmentWriter()
  writer.add(chunk)
  writer.add({ ...chunk, fileId: 2 })
  t.throws(() => writer.toBytes(), { name: 'RangeError', message: /Chunk 1 / })
  for (const id of [-1, 1.5, NaN, 2 ** 32]) {
    t.throws(() => writer.add({ ...chunk, chunkId: id }), RangeError)
    t.throws(() => writer.add({ ...chunk, chunkId: 7, fileId: id }), RangeError)
  }
})

test('a segment says when it is full, is whole then, and takes no more', async t => {
  const writer = new LexicalSegmentWriter()
  let id = 0
  while (!writer.isFull) writer.add({ chunkId: ++id, fileId: 1 + (id >> 4), path: 'a/b.c', text: 'some words' })
  t.equal(id, MAX_CHUNKS)
  const segment = new LexicalSegment(writer.toBytes())
  t.equal(segment.chunkCount, id)
  t.throws(() => writer.add({ chunkId: ++id, fileId: id, path: 'a/b.c', text: '' }), RangeError)
})
