import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import fc from 'fast-check'
import { NEEDS_HNSW } from '../../helpers/hnsw.ts'
import { runs } from '../../helpers/property-runs.ts'
import { VectorIndex } from '../../../src/vecstore/vectors/vector-index.ts'
import { unitVector } from '../../../src/vecstore/vectors/vector-math.ts'
import { DIMENSIONS, filled, vectors } from './index-fixture.ts'

test('a file that is not what its checksum says is not used', NEEDS_HNSW, async t => {
  const { index } = filled(vectors(20))
  const file = join(t.testdir(), 'vectors.hnsw')
  await index.write(file)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements: 19 }), null, 'another count')
  truncateSync(file, 300)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements: 20 }), null, 'truncated')
  t.equal(VectorIndex.read(join(t.testdirName, 'none'), { dimensions: DIMENSIONS, elements: 20 }), null, 'missing')
})

test('of another dimension, another writer or no file at all: not used', NEEDS_HNSW, async t => {
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

test(
  'whatever is damaged in a file, it is refused or can be searched; hnswlib itself would end the process',
  NEEDS_HNSW,
  async t => {
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
  },
)

test('a point whose lists end within one is refused, though all of them fill the file', NEEDS_HNSW, async t => {
  const file = join(t.testdir(), 'vectors.hnsw')
  let elements = 1
  let bytes: Buffer
  do {
    await filled(vectors(++elements)).index.write(file)
    bytes = readFileSync(file)
  } while (bytes.readUInt32LE(48) !== 1 && elements < 200) // the last point alone has a list of a higher level
  const [recordBytes, maxLinks] = [bytes.readUInt32LE(24), bytes.readUInt32LE(64)]
  const sizeBefore = 96 + elements * recordBytes + 4 * (elements - 2)
  t.equal(bytes.length, sizeBefore + 8 + 4 * (1 + maxLinks / 2))
  bytes.writeUInt32LE(4, sizeBefore)
  bytes.writeUInt32LE(2 * maxLinks, sizeBefore + 8)
  bytes.writeUInt32LE(0, 48)
  writeFileSync(file, bytes)
  t.equal(VectorIndex.read(file, { dimensions: DIMENSIONS, elements }), null)
})
