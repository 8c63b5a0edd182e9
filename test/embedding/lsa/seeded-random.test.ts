import { test } from 'tap'
import { seededBits } from '../../../src/embedding/lsa/seeded-random.ts'

const firstOf = (seed: number, count: number): number[] => Array.from({ length: count }, seededBits(seed))

test('the same seed gives the same numbers of 32 bits on every machine', async t => {
  t.same(firstOf(1, 4), firstOf(1, 4))
  t.not(firstOf(1, 1)[0], firstOf(2, 1)[0])
  t.same(firstOf(0, 3), [2462723854, 1020716019, 454327756])
  t.ok(firstOf(7, 1000).every(number => Number.isInteger(number) && number >= 0 && number < 2 ** 32))
})

test('the numbers are spread evenly', async t => {
  const numbers = firstOf(3, 10_000)
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length / 2 ** 32
  t.ok(Math.abs(mean - 0.5) < 0.02, String(mean))
  t.equal(new Set(numbers).size, numbers.length)
})
