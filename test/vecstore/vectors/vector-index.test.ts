import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { NEEDS_HNSW } from '../../helpers/hnsw.ts'
import { VectorIndex } from '../../../src/vecstore/vectors/vector-index.ts'
import { DIMENSIONS, filled, vectors } from './index-fixture.ts'

test('the index finds 99 % of what the exact scan finds, of few and of many', NEEDS_HNSW, async t => {
  const all = vectors(2_000)
  const { index, table } = filled(all)
  const queries = all.filter((_, i) => i % 40 === 0)
  for (const k of [10, 50]) {
    let found = 0
    for (const query of queries) {
      const exact = new Set(table.search(query, k).map(({ id }) => id))
      found += index.search(query, k).filter(({ id }) => exact.has(id)).length
    }
    t.ok(found >= queries.length * k * 0.99, `${found} of ${queries.length * k}`)
  }
})

test('answers are ordered, never more than there are, and none of nothing', NEEDS_HNSW, async t => {
  const { index, table } = filled(vectors(5))
  const [query] = vectors(1)
  for (const search of [index, table]) {
    const hits = search.search(query ?? new Float32Array(), 50)
    t.equal(hits.length, 5)
    t.same(
      hits,
      hits.toSorted((a, b) => b.innerProduct - a.innerProduct),
    )
    t.equal(hits[0]?.id, 1)
  }
  t.same(VectorIndex.create(DIMENSIONS, 10).search(query ?? new Float32Array(), 3), [])
})

test('vectors that hnswlib would take without a word are refused', NEEDS_HNSW, async t => {
  const index = VectorIndex.create(3, 2)
  for (const bad of [
    [NaN, 0, 1],
    [Infinity, 0, 0],
    [1, 0],
    [1, 0, 0, 0],
  ]) {
    t.throws(() => index.add(1, Float32Array.from(bad)), RangeError)
  }
  index.add(1, Float32Array.of(1, 0, 0))
  t.throws(() => index.search(Float32Array.of(NaN, 0, 0), 1), RangeError)
  t.throws(() => index.search(Float32Array.of(1, 0), 1), RangeError)
  t.same(
    index.search(Float32Array.of(1, 0, 0), 9).map(({ id }) => id),
    [1],
  )
})

test(
  'labels are whole numbers of 32 bits, each given once, and no more than there is room for',
  NEEDS_HNSW,
  async t => {
    const index = VectorIndex.create(2, 2)
    const vector = Float32Array.of(0, 1)
    for (const id of [-1, 2 ** 32, 1.5, NaN]) t.throws(() => index.add(id, vector), RangeError, String(id))
    index.add(2 ** 32 - 1, vector)
    t.throws(() => index.add(2 ** 32 - 1, vector), RangeError, 'twice')
    t.equal(index.live, 1)
    index.add(0, vector)
    t.throws(() => index.add(3, vector), RangeError, 'no room')
    t.same(
      index.search(vector, 5).map(({ id }) => id),
      [0, 2 ** 32 - 1],
    )
  },
)

test('vectors without a direction are like nothing, and do not keep others from being found', NEEDS_HNSW, async t => {
  const index = VectorIndex.create(2, 40)
  for (let id = 0; id < 40; id++) index.add(id, Float32Array.of(id === 7 ? 1 : 0, 0))
  const found = index.search(Float32Array.of(1, 0), 50)
  t.same(found[0], { id: 7, innerProduct: 1 })
  t.same(new Set(found.slice(1).map(({ innerProduct }) => innerProduct)), new Set([0]))
  t.equal(found.length, 40)
})

test('removed points are not found, before writing and after reading', NEEDS_HNSW, async t => {
  const all = vectors(50)
  const { index } = filled(all)
  const file = join(t.testdir(), 'vectors.hnsw')
  await index.write(file)
  const read = VectorIndex.read(file, { dimensions: DIMENSIONS, elements: index.elements })
  t.same(
    read?.ids().sort((a, b) => a - b),
    Array.from(all, (_, i) => i + 1),
  )
  const [first = new Float32Array()] = all
  for (const one of [index, read]) {
    one?.remove(1)
    const ids = (one?.search(first, 60) ?? []).map(({ id }) => id)
    t.equal(ids.length, 49)
    t.notOk(ids.includes(1))
  }
})

test(
  'a graph that was written in part, as the disk is full, is an error',
  existsSync('/dev/full') ? NEEDS_HNSW : { skip: 'This system has no /dev/full.' },
  async t => {
    const index = VectorIndex.create(2, 1)
    index.add(1, Float32Array.of(1, 0))
    await t.rejects(index.write('/dev/full'), { code: 'DISK_FULL' })
  },
)

test(
  'an index that is no longer needed gives its memory back at once, without a garbage collection',
  NEEDS_HNSW,
  async t => {
    const [first] = vectors(1)
    if (first === undefined) return t.fail('no vector')
    const before = process.memoryUsage.rss()
    for (let i = 0; i < 40; i++) {
      const index = VectorIndex.create(DIMENSIONS, 50_000) // some 35 MB each
      index.add(1, first)
      t.equal(index.search(first, 1).length, 1)
      index[Symbol.dispose]()
      t.same(index.search(first, 1), [])
    }
    t.ok(process.memoryUsage.rss() - before < 300e6, 'not that of forty')
  },
)
