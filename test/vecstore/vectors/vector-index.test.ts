import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import fc from 'fast-check'
import type { VectorRows } from '../../../src/vecstore/vectors/vector-file.ts'
import { VectorIndex } from '../../../src/vecstore/vectors/vector-index.ts'
import { VectorTable } from '../../../src/vecstore/vectors/vector-table.ts'
import { unitVector } from '../../../src/vecstore/vectors/vector-math.ts'
import { runs } from '../../helpers/property-runs.ts'

const DIMENSIONS = 128

/**
 * The same pseudo-random unit vectors in every run. As with vectors of code, the directions in which they differ are
 * fewer than their dimensions.
 */
function vectors(count: number): Float32Array[] {
  let state = 12_345
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 31 - 1
  }
  const directions = Array.from({ length: 16 }, () => Float32Array.from({ length: DIMENSIONS }, next))
  return Array.from({ length: count }, () => {
    const shares = directions.map(next)
    return unitVector(
      Float32Array.from({ length: DIMENSIONS }, (_, i) =>
        directions.reduce((sum, direction, d) => sum + (direction[i] ?? 0) * (shares[d] ?? 0), 0),
      ),
    )
  })
}

function rowsOf(all: Float32Array[]): VectorRows {
  const values = new Float32Array(all.length * DIMENSIONS)
  for (const [i, vector] of all.entries()) values.set(vector, i * DIMENSIONS)
  return { dimensions: DIMENSIONS, ids: Uint32Array.from(all, (_, i) => i + 1), values }
}

function filled(all: Float32Array[]): { index: VectorIndex; table: VectorTable } {
  const index = VectorIndex.create(DIMENSIONS, all.length)
  for (const [i, vector] of all.entries()) index.add(i + 1, vector)
  return { index, table: new VectorTable(DIMENSIONS, [rowsOf(all)]) }
}

test('the index finds 99 % of what the exact scan finds, of few and of many', async t => {
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

test('answers are ordered, never more than there are, and none of nothing', async t => {
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

test('vectors that hnswlib would take without a word are refused', async t => {
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

test('labels are whole numbers of 32 bits, each given once, and no more than there is room for', async t => {
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
})

test('vectors without a direction are like nothing, and do not keep others from being found', async t => {
  const index = VectorIndex.create(2, 40)
  for (let id = 0; id < 40; id++) index.add(id, Float32Array.of(id === 7 ? 1 : 0, 0))
  const found = index.search(Float32Array.of(1, 0), 50)
  t.same(found[0], { id: 7, innerProduct: 1 })
  t.same(new Set(found.slice(1).map(({ innerProduct }) => innerProduct)), new Set([0]))
  t.equal(found.length, 40)
})

test('removed points are not found, before writing and after reading', async t => {
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

test('a file that is not what its checksum says is not used', async t => {
  const { index } = filled(vectors(20))
  const file = join(t.testdir(), 'vectors.hnsw')
  await index.write(file)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements: 19 }), null, 'another count')
  truncateSync(file, 300)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements: 20 }), null, 'truncated')
  t.equal(VectorIndex.read(join(t.testdirName, 'none'), { dimensions: DIMENSIONS, elements: 20 }), null, 'missing')
})

test('of another dimension, another writer or no file at all: not used', async t => {
  const { index } = filled(vectors(20))
  const file = join(t.testdir(), 'vectors.hnsw')
  await index.write(file)
  const bytes = readFileSync(file)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS / 2, elements: 20 }), null, 'another dimension')
  t.equal(VectorIndex.read(file, { dimensions: 2 * DIMENSIONS, elements: 20 }), null, 'another dimension')
  for (const [name, content] of Object.entries({
    empty: Buffer.alloc(0),
    text: Buffer.from('text'.repeat(5_000)),
    more: Buffer.concat([bytes, bytes]),
    uneven: Buffer.concat([bytes, Buffer.from('a')]),
  })) {
    writeFileSync(file, content)
    t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements: 20 }), null, name)
  }
  await VectorIndex.create(DIMENSIONS, 1).write(file)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements: 0 }), null, 'without a point')
})

test('whatever is damaged in a file, it is refused or can be searched; hnswlib itself would end the process', async t => {
  const [dimensions, elements] = [4, 120]
  const index = VectorIndex.create(dimensions, elements)
  for (const [id, vector] of vectors(elements).entries()) index.add(id, unitVector(vector.subarray(0, dimensions)))
  const file = join(t.testdir(), 'vectors.hnsw')
  await index.write(file)
  const whole = readFileSync(file)
  const query = Float32Array.of(1, 0, 0, 0)
  const cut = fc.nat(whole.length - 1).map(length => whole.subarray(0, length))
  const place = fc.oneof(fc.nat(95), fc.nat(whole.length - 1))
  const flipped = fc.array(fc.record({ at: place, bit: fc.nat(7) }), { minLength: 1, maxLength: 4 }).map(flips => {
    const bytes = Buffer.from(whole)
    for (const { at, bit } of flips) bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at)
    return bytes
  })
  let used = 0
  fc.assert(
    fc.property(fc.oneof({ weight: 1, arbitrary: cut }, { weight: 4, arbitrary: flipped }), bytes => {
      writeFileSync(file, bytes)
      const read = VectorIndex.read(file, { dimensions, elements })
      if (read === null) return true
      used++
      return (
        new Set(read.ids()).size === elements &&
        read.search(query, 10).every(({ innerProduct }) => !Number.isNaN(innerProduct))
      )
    }),
    { numRuns: runs(400), seed: 1 },
  )
  t.ok(used > 0 && used < 200, `${used} were used`)
})

test(
  'a graph that was written in part, as the disk is full, is an error',
  { skip: existsSync('/dev/full') ? false : 'This system has no /dev/full.' },
  async t => {
    const index = VectorIndex.create(2, 1)
    index.add(1, Float32Array.of(1, 0))
    await t.rejects(index.write('/dev/full'), { code: 'DISK_FULL' })
  },
)

test('an index that is no longer needed gives its memory back at once, without a garbage collection', async t => {
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
})
