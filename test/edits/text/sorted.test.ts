import fc from 'fast-check'
import { test } from 'tap'
import { firstFrom } from '../../../src/edits/text/sorted.ts'
import { runs } from '../../helpers/property-runs.ts'

test('the first of ascending numbers that is no less than a value is found', async t => {
  t.equal(firstFrom([], 1), 0)
  t.equal(firstFrom([1, 3, 3, 5], 0), 0)
  t.equal(firstFrom([1, 3, 3, 5], 2), 1)
  t.equal(firstFrom([1, 3, 3, 5], 3), 1, 'the first of equal ones')
  t.equal(firstFrom([1, 3, 3, 5], 4), 3)
  t.equal(firstFrom([1, 3, 3, 5], 6), 4, 'all are less')
  fc.assert(
    fc.property(fc.array(fc.integer({ max: 30, min: 0 })), fc.integer({ max: 31, min: -1 }), (drawn, value) => {
      const numbers = drawn.toSorted((a, b) => a - b)
      const found = numbers.findIndex(number => number >= value)
      return firstFrom(numbers, value) === (found < 0 ? numbers.length : found)
    }),
    { numRuns: runs(1000) },
  )
})
