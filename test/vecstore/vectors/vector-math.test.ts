import { test } from 'tap'
import {
  similarityScore,
  unitVector,
  vectorFromBytes,
  vectorToBytes,
} from '../../../src/vecstore/vectors/vector-math.ts'

test('a vector gets length one; one without a direction is refused', async t => {
  t.same([...unitVector(Float32Array.of(0, 4))], [0, 1])
  t.ok(Math.abs(Math.hypot(...unitVector(Float32Array.of(3, -4, 12))) - 1) < 1e-6)
  for (const components of [[0, 0], [NaN, 1], [Infinity, 1], []]) {
    t.throws(() => unitVector(Float32Array.from(components)), RangeError, components.join())
  }
})

test('a score lies between 0 and 1', async t => {
  t.same([-0.5, 0.25, 1.0000001].map(similarityScore), [0, 0.25, 1])
})

test('bytes of a vector are read from wherever they lie', async t => {
  const vector = Float32Array.of(1, -2.5)
  const shifted = Buffer.concat([Buffer.from('x'), vectorToBytes(vector)]).subarray(1)
  t.same([...vectorFromBytes(shifted)], [...vector])
})
