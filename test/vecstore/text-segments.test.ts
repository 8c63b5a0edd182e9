import { test } from 'tap'
import { chooseMerged } from '../../src/vecstore/text-segments.ts'

const whole = (...chunks: number[]) => chunks.map(count => ({ chunks: count, live: count }))

test('up to eight segments stay as they are', async (t) => {
  t.same(chooseMerged(whole(10_000, 50, 60, 70, 80, 90, 10, 20)), new Set())
  t.same(chooseMerged([]), new Set())
})

test('of more, the small ones become one, and the largest joins them when it is not much larger than they', async (t) => {
  t.same(chooseMerged(whole(10_000, 50, 60, 70, 80, 90, 10, 20, 30)), new Set([1, 2, 3, 4, 5, 6, 7, 8]))
  t.same(chooseMerged(whole(300, 50, 60, 70, 80, 90, 10, 20, 30)), new Set([0, 1, 2, 3, 4, 5, 6, 7, 8]))
})

test('when more than a quarter of the chunks is gone all become one without them', async (t) => {
  t.same(chooseMerged([{ chunks: 1_000, live: 760 }, { chunks: 20, live: 20 }]), new Set())
  t.same(chooseMerged([{ chunks: 1_000, live: 700 }, { chunks: 20, live: 20 }]), new Set([0, 1]))
})

test('a merged segment has room for its documents, and very large ones stay alone', async (t) => {
  t.same(chooseMerged(whole(30_000, 60_000, 1, 2, 3, 4, 5, 6, 7, 8, 9)), new Set([2, 3, 4, 5, 6, 7, 8, 9, 10]))
  t.notOk(chooseMerged([{ chunks: 40_000, live: 24_000 }, { chunks: 40_000, live: 23_000 }]).size > 1)
})
