import fc from 'fast-check'
import { test } from 'tap'
import { descendingOrder } from '../../src/core/descending-order.ts'
import { runs } from '../helpers/property-runs.ts'

function sortedByComparing(values: readonly number[]): number[] {
  return [...values.keys()].sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b)
}

const order = (values: readonly number[]): number[] => [...descendingOrder(Float64Array.from(values))]

test('the largest value comes first, and equal ones stay in their order', async t => {
  t.same(order([0.5, 2, 0.5, 3, 0, 0]), [3, 1, 0, 2, 4, 5])
  t.same(order([]), [])
  t.same(order([1]), [0])
})

test('values that differ only in the last bits of their fractions are told apart', async t => {
  const close = Array.from({ length: 100 }, (_, i) => 1 + ((i * 37) % 100) * Number.EPSILON)
  t.same(order(close), sortedByComparing(close))
})

test('any values come in the order that comparing them gives', async t => {
  const value = fc.oneof(
    fc.double({ min: 0, max: 1e9, noNaN: true }),
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: 0, max: 9 }).map(i => 0.25 + i * Number.EPSILON),
  )
  fc.assert(
    fc.property(fc.array(value, { maxLength: 300 }), values => {
      t.strictSame(order(values), sortedByComparing(values))
    }),
    { numRuns: runs(1000) },
  )
})
