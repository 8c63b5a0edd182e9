import { test } from 'tap'
import fc from 'fast-check'
import { multiplyDense, symmetricProduct } from '../../src/embedding/lsa/dense.ts'
import { multiplySparse, transpose, type SparseMatrix } from '../../src/embedding/lsa/sparse-matrix.ts'

const size = fc.integer({ min: 1, max: 11 })
const sizes = fc.record({
  rows: fc.oneof(size, fc.integer({ min: 60, max: 140 })),
  inner: size,
  width: size,
  seed: fc.nat(1000),
})

/** Small whole numbers: their sums are exact, so results can be compared as they are. */
const filled = (length: number, seed: number) =>
  Array.from({ length }, (_, i) => ((((i + 1) * (seed + 7) * 31) % 101) % 9) - 4)

function plainProduct(left: readonly number[], right: readonly number[], rows: number, width: number): number[] {
  const inner = left.length / rows
  return Array.from({ length: rows * width }, (_, at) =>
    Array.from(
      { length: inner },
      (_, i) => (left[Math.floor(at / width) * inner + i] ?? 0) * (right[i * width + (at % width)] ?? 0),
    ).reduce((sum, value) => sum + value, 0),
  )
}

const transposed = (entries: readonly number[], rows: number): number[] =>
  Array.from(entries, (_, at) => entries[(at % rows) * (entries.length / rows) + Math.floor(at / rows)] ?? 0)

function sparse(entries: readonly number[], rows: number): SparseMatrix {
  const columns = entries.length / rows
  const kept = entries.flatMap((value, at) =>
    value === 0 ? [] : [{ value, row: Math.floor(at / columns), column: at % columns }],
  )
  const offsets = Uint32Array.from({ length: rows + 1 }, (_, row) => kept.filter(entry => entry.row < row).length)
  return {
    rows,
    columns,
    offsets,
    indices: Uint32Array.from(kept, ({ column }) => column),
    values: Float32Array.from(kept, ({ value }) => value),
  }
}

const same = (found: Iterable<number>, wanted: readonly number[]) =>
  Array.from(found).every((value, i) => value === wanted[i])

test('products are those of the school book, for sizes that are no multiples of the tiles', async t => {
  fc.assert(
    fc.property(sizes, ({ rows, inner, width, seed }) => {
      const left = filled(rows * inner, seed)
      const right = filled(inner * width, seed + 1)
      const wanted = plainProduct(left, right, rows, width)
      return (
        same(multiplyDense(Float32Array.from(left), rows, Float64Array.from(right), { width }), wanted) &&
        same(multiplySparse(sparse(left, rows), Float32Array.from(right), width), wanted) &&
        same(multiplySparse(transpose(transpose(sparse(left, rows))), Float32Array.from(right), width), wanted) &&
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
