import { test } from 'tap'
import { createScannedRows } from '../../../src/vecstore/vectors/scan-kernel.ts'
import { randomFrom } from '../../helpers/random-from.ts'

test('the products are those of a plain loop, for the first row and the last, call after call', async t => {
  const random = randomFrom(7)
  for (const [rows, dimensions] of [
    [2_000, 8],
    [2_001, 128],
    [5_003, 384],
  ] as const) {
    const scanned = createScannedRows(rows, dimensions)
    if (scanned === null) return t.fail('no memory')
    t.equal(scanned.values.length, rows * dimensions)
    for (let i = 0; i < scanned.values.length; i++) scanned.values[i] = random() - 0.5
    for (const first of [0, rows - 1]) {
      const query = scanned.values.slice(first * dimensions, (first + 1) * dimensions)
      const products = scanned.products(query)
      t.equal(products.length, rows)
      let furthest = 0
      for (let row = 0; row < rows; row++) {
        let product = 0
        for (let i = 0; i < dimensions; i++) {
          product += (query[i] ?? NaN) * (scanned.values[row * dimensions + i] ?? NaN)
        }
        furthest = Math.max(furthest, Math.abs(product - (products[row] ?? NaN)))
      }
      t.ok(furthest < 1e-4, `${rows} rows of ${dimensions} dimensions: ${furthest}`)
    }
  }
})

test('few rows, dimensions that are no multiple of eight, and more than a memory holds are left to a loop', async t => {
  t.equal(createScannedRows(1_999, 128), null)
  t.equal(createScannedRows(5_000, 100), null)
  t.equal(createScannedRows(10_000_000, 1536), null)
})
