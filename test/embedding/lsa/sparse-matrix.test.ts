import fc from 'fast-check'
import { test } from 'tap'
import { multiplySparse, transpose } from '../../../src/embedding/lsa/sparse-matrix.ts'
import { filled, plainProduct, same, sizes, sparse } from './matrices.ts'

test('sparse products are those of the school book, also of what was transposed twice', async t => {
  fc.assert(
    fc.property(sizes, ({ rows, inner, width, seed }) => {
      const left = filled(rows * inner, seed)
      const right = filled(inner * width, seed + 1)
      const wanted = plainProduct(left, right, rows, width)
      return (
        same(multiplySparse(sparse(left, rows), Float32Array.from(right), width), wanted) &&
        same(multiplySparse(transpose(transpose(sparse(left, rows))), Float32Array.from(right), width), wanted)
      )
    }),
  )
  t.pass()
})

test('a transposed matrix has the rows of the other as columns', async t => {
  const { rows, columns, offsets, indices, values } = transpose(sparse([1, 0, 2, 0, 3, 0], 2))
  t.same({ rows, columns }, { rows: 3, columns: 2 })
  t.same([...offsets], [0, 1, 2, 3])
  t.same([...indices], [0, 1, 0])
  t.same([...values], [1, 3, 2])
})
