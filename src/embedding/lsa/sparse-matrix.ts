import { addRow } from './dense.ts'

/** Compressed rows: row `r` holds the entries `offsets[r]` up to `offsets[r + 1]`. */
export interface SparseMatrix {
  readonly rows: number
  readonly columns: number
  readonly offsets: Uint32Array
  readonly indices: Uint32Array
  readonly values: Float32Array
}

/** The matrix with rows and columns exchanged. */
export function transpose({ rows, columns, offsets, indices, values }: SparseMatrix): SparseMatrix {
  const starts = new Uint32Array(columns + 1)
  for (const column of indices) starts[column + 1] = (starts[column + 1] ?? 0) + 1
  for (let column = 0; column < columns; column++) {
    starts[column + 1] = (starts[column + 1] ?? 0) + (starts[column] ?? 0)
  }
  const next = starts.slice(0, columns)
  const result = {
    rows: columns,
    columns: rows,
    offsets: starts,
    indices: new Uint32Array(indices.length),
    values: new Float32Array(values.length),
  }
  for (let row = 0; row < rows; row++) {
    for (let i = offsets[row] ?? 0; i < (offsets[row + 1] ?? 0); i++) {
      const column = indices[i] ?? 0
      const at = next[column] ?? 0
      next[column] = at + 1
      result.indices[at] = row
      result.values[at] = values[i] ?? 0
    }
  }
  return result
}

type Entries = Pick<SparseMatrix, 'indices' | 'values'>

/** Adds the rows of `dense` that four entries name, from the `i`-th on. */
function addFourRows(sums: Float64Array, { indices, values }: Entries, i: number, dense: Float32Array): void {
  const width = sums.length
  const a = values[i] ?? 0
  const b = values[i + 1] ?? 0
  const c = values[i + 2] ?? 0
  const d = values[i + 3] ?? 0
  const atA = (indices[i] ?? 0) * width
  const atB = (indices[i + 1] ?? 0) * width
  const atC = (indices[i + 2] ?? 0) * width
  const atD = (indices[i + 3] ?? 0) * width
  for (let k = 0; k < width; k++) {
    sums[k] =
      (sums[k] ?? 0) +
      a * (dense[atA + k] ?? 0) +
      b * (dense[atB + k] ?? 0) +
      c * (dense[atC + k] ?? 0) +
      d * (dense[atD + k] ?? 0)
  }
}

/**
 * Adds the rows of `dense` that the entries name, each times its value; four at a time, so that the sums are read and
 * written once for them.
 */
export function addRows(
  sums: Float64Array,
  entries: Entries,
  { from, to }: { from: number; to: number },
  dense: Float32Array,
): void {
  let i = from
  for (; i + 3 < to; i += 4) addFourRows(sums, entries, i, dense)
  for (; i < to; i++) addRow(sums, dense, (entries.indices[i] ?? 0) * sums.length, entries.values[i] ?? 0)
}

/** `matrix · dense`, where `dense` has `width` columns, row after row. */
export function multiplySparse(matrix: SparseMatrix, dense: Float32Array, width: number): Float32Array {
  const out = new Float32Array(matrix.rows * width)
  const sums = new Float64Array(width)
  for (let row = 0; row < matrix.rows; row++) {
    sums.fill(0)
    addRows(sums, matrix, { from: matrix.offsets[row] ?? 0, to: matrix.offsets[row + 1] ?? 0 }, dense)
    out.set(sums, row * width)
  }
  return out
}
