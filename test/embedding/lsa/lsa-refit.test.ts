import { test } from 'tap'
import { isOutgrown, isWorthFitting, MIN_CHUNKS_FOR_FIT } from '../../../src/embedding/lsa/lsa-refit.ts'

const usual = { chunks: 1000, newChunks: 100, occurrences: 10_000, unknownOccurrences: 2_000 }

test('a fit is worth its while from a number of chunks on', async t => {
  t.notOk(isWorthFitting(MIN_CHUNKS_FOR_FIT - 1))
  t.ok(isWorthFitting(MIN_CHUNKS_FOR_FIT))
})

test('a fit is outgrown when more than a quarter of the chunks came after it', async t => {
  t.notOk(isOutgrown({ unknownShare: 0.2 }, { ...usual, newChunks: 250 }))
  t.ok(isOutgrown({ unknownShare: 0.2 }, { ...usual, newChunks: 251 }))
})

test('a fit is outgrown when a tenth more of the words is unknown to it than was at first', async t => {
  t.notOk(isOutgrown({ unknownShare: 0.2 }, { ...usual, unknownOccurrences: 3_000 }))
  t.ok(isOutgrown({ unknownShare: 0.2 }, { ...usual, unknownOccurrences: 3_001 }))
  t.notOk(isOutgrown({ unknownShare: 0.25 }, { ...usual, unknownOccurrences: 3_001 }))
})

test('nothing new outgrows nothing', async t => {
  t.notOk(isOutgrown({ unknownShare: 0 }, { chunks: 0, newChunks: 0, occurrences: 0, unknownOccurrences: 0 }))
})
