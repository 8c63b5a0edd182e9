import { mkdirSync, readdirSync } from 'node:fs'
import { test } from 'tap'
import { generationPaths } from '../../../src/vecstore/format/layout.ts'
import { LexicalSegmentWriter } from '../../../src/vecstore/lexical/lexical-segment-writer.ts'
import { SegmentMemory } from '../../../src/vecstore/lexical/segment-memory.ts'
import { chooseRewritten, TextSegments } from '../../../src/vecstore/catalogue/text-segments.ts'

const whole = (...chunks: number[]) => chunks.map(count => ({ chunks: count, live: count, bytes: count * 500 }))
const partly = (...counts: Array<[chunks: number, live: number]>) =>
  counts.map(([chunks, live]) => ({ chunks, live, bytes: chunks * 500 }))

test('up to eight segments stay as they are', async t => {
  t.same(chooseRewritten(whole(10_000, 50, 60, 70, 80, 90, 10, 20)), [])
  t.same(chooseRewritten([]), [])
})

test('of more, the small ones become one, and the largest joins them when it is not much larger than they', async t => {
  t.same(chooseRewritten(whole(10_000, 50, 60, 70, 80, 90, 10, 20, 30)), [[1, 2, 3, 4, 5, 6, 7, 8]])
  t.same(chooseRewritten(whole(300, 50, 60, 70, 80, 90, 10, 20, 30)), [[0, 1, 2, 3, 4, 5, 6, 7, 8]])
})

test('when more than a quarter of the chunks is gone all become one without them', async t => {
  t.same(chooseRewritten(partly([1_000, 760], [20, 20])), [])
  t.same(chooseRewritten(partly([1_000, 700], [20, 20])), [[0, 1]])
})

test(
  'a merged segment has room for its documents and is bounded in its size, and very large ones stay ' + 'alone',
  async t => {
    t.same(chooseRewritten(whole(30_000, 60_000, 1, 2, 3, 4, 5, 6, 7, 8, 9)), [[2, 3, 4, 5, 6, 7, 8, 9, 10]])
    t.same(chooseRewritten(partly([40_000, 24_000], [40_000, 23_000])), [[0], [1]])
    t.same(
      chooseRewritten(Array.from({ length: 9 }, () => ({ chunks: 2_000, live: 2_000, bytes: 30_000_000 }))),
      [],
      'they hold too much to be one',
    )
  },
)

test(
  'a segment of any size that has lost more than a quarter is written again without that, one that has not ' +
    'never by itself',
  async t => {
    t.same(chooseRewritten(partly([60_000, 26_000])), [[0]])
    t.same(chooseRewritten(partly([60_000, 46_000], [100, 100])), [])
    t.same(chooseRewritten(whole(...Array.from({ length: 9 }, () => 20_000))), [])
  },
)

function prepare(t: { testdir: () => string }, maxTerms?: number) {
  const paths = generationPaths(t.testdir(), 1)
  mkdirSync(paths.segments, { recursive: true })
  return { paths, text: new TextSegments(paths, new SegmentMemory(), () => new LexicalSegmentWriter({ maxTerms })) }
}

test('a segment of which nothing is left is dropped, also beside many that are whole', async t => {
  const { paths, text } = prepare(t)
  await text.add({ chunkId: 1, fileId: 1, path: 'old.py', text: 'old' })
  const [old] = await text.finish(() => true)
  if (old === undefined) throw new Error('There is one segment.')
  const later = new TextSegments(paths, new SegmentMemory())
  later.open([old.record])
  for (let id = 2; id < 100; id++) await later.add({ chunkId: id, fileId: id, path: `f${id}.py`, text: 'new' })
  t.same(
    (await later.finish(id => id > 1)).map(({ record: { number, chunks } }) => [number, chunks]),
    [[2, 98]],
  )
})

test('what is collected in memory is bounded by its words, too', async t => {
  const { paths, text } = prepare(t, 100)
  for (let id = 1; id <= 4; id++) {
    await text.add({
      chunkId: id,
      fileId: id,
      path: `f${id}.py`,
      text: Array.from({ length: 60 }, (_, i) => `w${id}x${i}`).join(' '),
    })
  }
  const segments = await text.finish(() => true)
  t.ok(segments.length > 1)
  t.same(
    segments.flatMap(({ chunkIds }) => [...chunkIds]),
    [1, 2, 3, 4],
  )
  t.equal(readdirSync(paths.segments).length, segments.length)
})
