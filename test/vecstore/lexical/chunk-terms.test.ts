import { test } from 'tap'
import { BatchCounter, VocabularyReader } from '../../../src/vecstore/lexical/chunk-terms.ts'
import { LexicalSegmentWriter, type LexicalChunk } from '../../../src/vecstore/lexical/lexical-segment-writer.ts'
import { pseudoCode, segmentBytes } from '../lexical-fixture.ts'

/** Chunks by file, as they are counted. */
const filesOf = (chunks: readonly LexicalChunk[]): LexicalChunk[][] => [
  ...Map.groupBy(chunks, ({ fileId }) => fileId).values(),
]

function countedBatches(chunks: readonly LexicalChunk[], counter: BatchCounter) {
  const files = filesOf(chunks)
  return [files.slice(0, 3), files.slice(3, 4), files.slice(4)].map(batch => ({
    batch,
    counted: counter.count(batch.map(file => ({ path: file[0]?.path ?? '', texts: file.map(({ text }) => text) }))),
  }))
}

test('terms that were counted elsewhere give the bytes that the texts give, also in one segment with texts', async t => {
  const chunks = pseudoCode(200, 400)
  for (const maxTerms of [undefined, 100]) {
    const writer = new LexicalSegmentWriter()
    const reader = new VocabularyReader()
    for (const { batch, counted } of countedBatches(chunks.slice(0, 150), new BatchCounter({ maxTerms }))) {
      for (const [f, terms] of reader.take(counted).entries()) {
        for (const [i, chunk] of (batch[f] ?? []).entries()) writer.addCounted(chunk, terms, i)
      }
    }
    for (const chunk of chunks.slice(150)) writer.add(chunk)
    t.strictSame(Buffer.from(writer.toBytes()), Buffer.from(segmentBytes(chunks)))
  }
})

test('each term travels by name once', async t => {
  const [first, again] = ['first', 'again'].map(path => ({ path, texts: ['alpha beta', 'alpha'] }))
  if (first === undefined || again === undefined) throw new Error('there are two')
  const counter = new BatchCounter()
  t.same(counter.count([first]).newTerms.sort(), ['alpha', 'beta', 'first'])
  t.same(counter.count([again, first]).newTerms, ['again'])
})

test('a vocabulary that has lost a batch is not gone on with', async t => {
  const [, second] = countedBatches(pseudoCode(50, 100), new BatchCounter())
  if (second === undefined) throw new Error('there are three')
  t.throws(() => new VocabularyReader().take(second.counted), RangeError)
})
