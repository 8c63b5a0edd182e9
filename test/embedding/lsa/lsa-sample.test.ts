import { test } from 'tap'
import { sampleDocuments } from '../../../src/embedding/lsa/lsa-sample.ts'

const sets = (...counts: number[]) => counts.map(documentCount => ({ documentCount }))

test('all documents are taken, in order, when they are no more than the sample', async t => {
  t.same(sampleDocuments(sets(2, 0, 1), { size: 10, seed: 1 }).sample, [
    { set: 0, document: 0 },
    { set: 0, document: 1 },
    { set: 2, document: 0 },
  ])
  t.same(sampleDocuments(sets(), { size: 10, seed: 1 }).sample, [])
})

test('every stretch of the documents gives one, so that a sample is spread over all files', async t => {
  const before = [0, 300, 301]
  const positions = sampleDocuments(sets(300, 1, 699), { size: 100, seed: 5 }).sample.map(
    ({ set, document }) => (before[set] ?? 0) + document,
  )
  t.same(
    positions.map(position => Math.floor(position / 10)),
    Array.from({ length: 100 }, (_, i) => i),
  )
  t.ok(new Set(positions.map(position => position % 10)).size > 5, 'not always the same place in the stretch')
})

test('a sample depends on the seed and on the number of documents, not on how they are divided into sets', async t => {
  const whole = sampleDocuments(sets(1000), { size: 50, seed: 1 }).sample.map(({ document }) => document)
  const divided = sampleDocuments(sets(400, 600), { size: 50, seed: 1 }).sample.map(
    ({ set, document }) => set * 400 + document,
  )
  t.same(divided, whole)
  t.notSame(
    sampleDocuments(sets(1000), { size: 50, seed: 2 }).sample.map(({ document }) => document),
    whole,
  )
})

test('what is gone is neither taken nor counted', async t => {
  const { sample, total } = sampleDocuments(sets(3, 3), {
    size: 10,
    seed: 1,
    isGone: ({ set, document }) => set === 0 || document === 1,
  })
  t.same(sample, [
    { set: 1, document: 0 },
    { set: 1, document: 2 },
  ])
  t.equal(total, 2)
})
