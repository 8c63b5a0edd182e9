import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { test } from 'tap'
import { CacheBudget } from '../../../src/core/cache-budget.ts'
import { generationPaths } from '../../../src/vecstore/format/layout.ts'
import { LexicalSegmentWriter } from '../../../src/vecstore/lexical/lexical-segment-writer.ts'
import { readChunkIds, SegmentMemory } from '../../../src/vecstore/lexical/segment-memory.ts'

function written(t: { testdir: () => string }) {
  const paths = generationPaths(t.testdir(), 1)
  mkdirSync(paths.segments, { recursive: true })
  const writer = new LexicalSegmentWriter()
  for (const chunkId of [3, 5, 9]) writer.add({ chunkId, fileId: 1, path: 'a.py', text: 'alpha beta' })
  const bytes = writer.toBytes()
  writeFileSync(paths.lexical(1), bytes)
  return {
    paths,
    record: {
      number: 1,
      chunks: 3,
      lexical: { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
      vectors: null,
    },
  }
}

test('a segment that is in use is shared by all that open it, also one too large to be kept', async t => {
  const { paths, record } = written(t)
  const memory = new SegmentMemory(new CacheBudget(0))
  const first = memory.open(paths, record)
  rmSync(paths.lexical(1))
  t.equal(memory.open(paths, record), first)
  t.throws(() => new SegmentMemory(new CacheBudget(0)).open(paths, record), { code: 'ENOENT' })
})

test('the ids of the chunks are read without opening the segment', async t => {
  const { paths, record } = written(t)
  t.same([...readChunkIds(paths, record)], [3, 5, 9])
  writeFileSync(paths.lexical(1), Buffer.alloc(40))
  t.throws(() => readChunkIds(paths, record), /cut off/)
})
