// Matrices lie row after row in one array. Four terms of a sum are added in one go, so that what they are added to is
// read and written once: half the time of the plain loops.

/** Rows of one tile: as many as stay in the nearest cache while their columns are paired. */
const TILE_ROWS = 64

/** Adds the row of `matrix` that begins at `start`, times `factor`. */
export function addRow(sums: Float64Array, matrix: Float32Array | Float64Array, start: number, factor: number): void {
  for (let k = 0; k < sums.length; k++) sums[k] = (sums[k] ?? 0) + factor * (matrix[start + k] ?? 0)
}

/** Adds a row of the left matrix times the right one: see `multiplyDense`. */
function addProduct(sums: Float64Array, row: Float32Array, right: Float64Array, upper: boolean): void {
  const width = sums.length
  let i = 0
  for (; i + 3 < row.length; i += 4) {
    const a = row[i] ?? 0
    const b = row[i + 1] ?? 0
    const c = row[i + 2] ?? 0
    const d = row[i + 3] ?? 0
    const first = upper ? i : 0
    let at = i * width + first
    for (let column = first; column < width; column++, at++) {
      sums[column] =
        (sums[column] ?? 0) +
        a * (right[at] ?? 0) +
        b * (right[at + width] ?? 0) +
        c * (right[at + 2 * width] ?? 0) +
        d * (right[at + 3 * width] ?? 0)
    }
  }
  for (; i < row.length; i++) addRow(sums, right, i * width, row[i] ?? 0)
}

/**
 * `left · right`, of `rows × inner` and `inner × width`. With `upper`, what stands below the diagonal of `right` is
 * known to be zero.
 */
export function multiplyDense(
  left: Float32Array,
  rows: number,
  right: Float64Array,
  { width, upper = false }: { width: number; upper?: boolean },
): Float32Array {
  const inner = right.length / width
  const out = new Float32Array(rows * width)
  const sums = new Float64Array(width)
  for (let row = 0; row < rows; row++) {
    sums.fill(0)
    addProduct(sums, left.subarray(row * inner, (row + 1) * inner), right, upper)
    out.set(sums, row * width)
  }
  return out
}

function addUpTo(out: Float64Array, at: number, count: number, sums: readonly number[]): void {
  for (let k = 0; k < count; k++) out[at + k] = (out[at + k] ?? 0) + (sums[k] ?? 0)
}

function addTile(out: Float64Array, { left, right, first, last, width }: Tile): void {
  for (let i = 0; i < width; i += 2) {
    const second = i + 1 < width
    for (let j = i; j < width; j += 4) {
      const columns = Math.min(4, width - j)
      let a0 = 0
      let a1 = 0
      let a2 = 0
      let a3 = 0
      let b0 = 0
      let b1 = 0
      let b2 = 0
      let b3 = 0
      for (let row = first; row < last; row++) {
        const at = row * width
        const a = left[at + i] ?? 0
        // beyond the last column it is read and then thrown away, as are the columns below
        const b = left[at + i + 1] ?? 0
        const r0 = right[at + j] ?? 0
        const r1 = right[at + j + 1] ?? 0
        const r2 = right[at + j + 2] ?? 0
        const r3 = right[at + j + 3] ?? 0
        a0 += a * r0
        a1 += a * r1
        a2 += a * r2
        a3 += a * r3
        b0 += b * r0
        b1 += b * r1
        b2 += b * r2
        b3 += b * r3
      }
      addUpTo(out, i * width + j, columns, [a0, a1, a2, a3])
      if (second) addUpTo(out, (i + 1) * width + j, columns, [b0, b1, b2, b3])
    }
  }
}

/**
 * `leftᵀ · right`, both of `rows × width`, where the result is known to be symmetric: only its upper half is computed.
 * Sums in double precision.
 */
export function symmetricProduct(left: Float32Array, right: Float32Array, rows: number, width: number): Float64Array {
  const out = new Float64Array(width * width)
  for (let first = 0; first < rows; first += TILE_ROWS) {
    addTile(out, { left, right, first, last: Math.min(rows, first + TILE_ROWS), width })
  }
  for (let i = 0; i < width; i++) for (let j = 0; j < i; j++) out[i * width + j] = out[j * width + i] ?? 0
  return out
}

interface Tile {
  left: Float32Array
  right: Float32Array
  first: number
  last: number
  width: number
}
