import fc from 'fast-check'
import type { SparseMatrix } from '../../../src/embedding/lsa/sparse-matrix.ts'

const size = fc.integer({ min: 1, max: 11 })
export const sizes = fc.record({
  rows: fc.oneof(size, fc.integer({ min: 60, max: 140 })),
  inner: size,
  width: size,
  seed: fc.nat(1000),
})

/** Small whole numbers: their sums are exact, so results can be compared as they are. */
export const filled = (length: number, seed: number) =>
  Array.from({ length }, (_, i) => ((((i + 1) * (seed + 7) * 31) % 101) % 9) - 4)

export function plainProduct(left: readonly number[], right: readonly number[], rows: number, width: number): number[] {
  const inner = left.length / rows
  return Array.from({ length: rows * width }, (_, at) =>
    Array.from(
      { length: inner },
      (_, i) => (left[Math.floor(at / width) * inner + i] ?? 0) * (right[i * width + (at % width)] ?? 0),
    ).reduce((sum, value) => sum + value, 0),
  )
}

export const transposed = (entries: readonly number[], rows: number): number[] =>
  Array.from(entries, (_, at) => entries[(at % rows) * (entries.length / rows) + Math.floor(at / rows)] ?? 0)

export function sparse(entries: readonly number[], rows: number): SparseMatrix {
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

export const same = (found: Iterable<number>, wanted: readonly number[]) =>
  Array.from(found).every((value, i) => value === wanted[i])
