import fc from 'fast-check'
import { test } from 'tap'
import { addRow, multiplyDense, symmetricProduct } from '../../../src/embedding/lsa/dense.ts'
import { filled, plainProduct, same, sizes, transposed } from './matrices.ts'

test('dense products are those of the school book, for sizes that are no multiples of the tiles', async t => {
  fc.assert(
    fc.property(sizes, ({ rows, inner, width, seed }) => {
      const left = filled(rows * inner, seed)
      const right = filled(inner * width, seed + 1)
      return (
        same(
          multiplyDense(Float32Array.from(left), rows, Float64Array.from(right), { width }),
          plainProduct(left, right, rows, width),
        ) &&
        same(
          symmetricProduct(Float32Array.from(left), Float32Array.from(left), rows, inner),
          plainProduct(transposed(left, rows), left, inner, inner),
        )
      )
    }),
  )
  t.pass()
})

test('of an upper triangle the zeros are not read', async t => {
  fc.assert(
    fc.property(sizes, ({ rows, inner, seed }) => {
      const left = filled(rows * inner, seed)
      const right = filled(inner * inner, seed + 1).map((value, at) =>
        Math.floor(at / inner) > at % inner ? 0 : value,
      )
      return same(
        multiplyDense(Float32Array.from(left), rows, Float64Array.from(right), { width: inner, upper: true }),
        plainProduct(left, right, rows, inner),
      )
    }),
  )
  t.pass()
})

test('a row is added times a factor', async t => {
  const sums = Float64Array.of(1, 2)
  addRow(sums, Float32Array.of(9, 9, 3, 4), 2, 10)
  t.same([...sums], [31, 42])
})
