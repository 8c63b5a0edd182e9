import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import type { VectorRows } from '../../src/vecstore/vector-file.ts'
import { VectorIndex } from '../../src/vecstore/vector-index.ts'
import { VectorTable } from '../../src/vecstore/vector-table.ts'
import { unitVector } from '../../src/vecstore/vector-math.ts'

const DIMENSIONS = 128

/** The same pseudo-random unit vectors in every run. As with vectors of code, the directions in which they differ are fewer than their dimensions. */
function vectors (count: number): Float32Array[] {
  let state = 12_345
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 31 - 1
  }
  const directions = Array.from({ length: 16 }, () => Float32Array.from({ length: DIMENSIONS }, next))
  return Array.from({ length: count }, () => {
    const shares = directions.map(next)
    return unitVector(Float32Array.from({ length: DIMENSIONS }, (_, i) => directions.reduce((sum, direction, d) => sum + (direction[i] ?? 0) * (shares[d] ?? 0), 0)))
  })
}

function filled (all: Float32Array[]): { index: VectorIndex, table: VectorTable } {
  const index = VectorIndex.create(DIMENSIONS, all.length)
  for (const [i, vector] of all.entries()) index.add(i + 1, vector)
  return { index, table: new VectorTable(DIMENSIONS, [rowsOf(all)]) }
}

function rowsOf (all: Float32Array[]): VectorRows {
  const values = new Float32Array(all.length * DIMENSIONS)
  for (const [i, vector] of all.entries()) values.set(vector, i * DIMENSIONS)
  return { dimensions: DIMENSIONS, ids: Uint32Array.from(all, (_, i) => i + 1), values }
}

test('the index finds 99 % of what the exact scan finds, of few and of many', async (t) => {
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

test('answers are ordered, never more than there are, and none of nothing', async (t) => {
  const { index, table } = filled(vectors(5))
  const [query] = vectors(1)
  for (const search of [index, table]) {
    const hits = search.search(query ?? new Float32Array(), 50)
    t.equal(hits.length, 5)
    t.same(hits, hits.toSorted((a, b) => b.innerProduct - a.innerProduct))
    t.equal(hits[0]?.id, 1)
  }
  t.same(VectorIndex.create(DIMENSIONS, 10).search(query ?? new Float32Array(), 3), [])
})

test('vectors that hnswlib would take without a word are refused', async (t) => {
  const index = VectorIndex.create(3, 2)
  for (const bad of [[NaN, 0, 1], [Infinity, 0, 0], [1, 0], [1, 0, 0, 0]]) {
    t.throws(() => index.add(1, Float32Array.from(bad)), RangeError)
  }
  index.add(1, Float32Array.of(1, 0, 0))
  t.throws(() => index.search(Float32Array.of(NaN, 0, 0), 1), RangeError)
  t.throws(() => index.search(Float32Array.of(1, 0), 1), RangeError)
})

test('removed points are not found, before writing and after reading', async (t) => {
  const all = vectors(50)
  const { index } = filled(all)
  const file = join(t.testdir(), 'vectors.hnsw')
  await index.write(file)
  const read = VectorIndex.read(file, { dimensions: DIMENSIONS, elements: index.elements })
  t.same(read?.ids().sort((a, b) => a - b), Array.from(all, (_, i) => i + 1))
  for (const one of [index, read]) {
    one?.remove(1)
    const ids = one?.search(all[0] ?? new Float32Array(), 60).map(({ id }) => id) ?? []
    t.equal(ids.length, 49)
    t.notOk(ids.includes(1))
  }
})

test('a file that is not what its seal says is not used', async (t) => {
  const { index } = filled(vectors(20))
  const file = join(t.testdir(), 'vectors.hnsw')
  await index.write(file)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements: 19 }), null, 'another count')
  truncateSync(file, 300)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements: 20 }), null, 'truncated')
  t.equal(VectorIndex.read(join(t.testdirName, 'none'), { dimensions: DIMENSIONS, elements: 20 }), null, 'missing')
})
