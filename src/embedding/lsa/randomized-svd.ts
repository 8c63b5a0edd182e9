import { multiplyDense, symmetricProduct } from './dense.ts'
import { symmetricEigen } from './eigen.ts'
import { seededBits } from './seeded-random.ts'
import { multiplySparse, transpose, type SparseMatrix } from './sparse-matrix.ts'

/** How many singular vectors are wanted, and how good. */
interface SvdOptions {
  /** Singular values wanted; fewer come back when the matrix has fewer that are not zero. */
  rank: number
  /** Columns tried beyond the rank: what makes the last singular vectors good. */
  oversampling?: number
  /** Each squares the gaps between singular values once more and costs two passes over the matrix. */
  powerIterations?: number
  seed: number
}

/** A truncated singular value decomposition, without the left side. */
interface Svd {
  rank: number
  /** Descending. */
  singularValues: Float64Array
  /**
   * Orthonormal right singular vectors: the columns of a matrix of `columns × rank`, row after row. The largest side of
   * each is positive.
   */
  right: Float32Array
}

/** A column that adds less than this share of its squared length to those before it counts as dependent on them. */
const DEPENDENT = 1e-12
/** Below this share one pass leaves the columns visibly oblique; a second one does not. */
const ILL_CONDITIONED = 1e-5
/** Squared singular values below this share of the largest are noise of single precision. */
const NOISE = 1e-10

/** Even numbers between −1 and 1 do as well as normal ones as a start, and are the same on every machine. */
function randomStart(count: number, seed: number): Float32Array {
  const bits = seededBits(seed)
  const start = new Float32Array(count)
  for (let i = 0; i < count; i++) start[i] = bits() / 2 ** 31 - 1
  return start
}

/** Column `j` of the inverse, from the columns before it. */
function invertColumn(upper: Float64Array, inverse: Float64Array, size: number, j: number): void {
  const pivot = upper[j * size + j] ?? 1
  inverse[j * size + j] = 1 / pivot
  for (let i = 0; i < j; i++) {
    let sum = 0
    for (let k = i; k < j; k++) sum += (inverse[i * size + k] ?? 0) * (upper[k * size + j] ?? 0)
    inverse[i * size + j] = -sum / pivot
  }
}

/**
 * The inverse of the upper triangle R with RᵀR = gram, and the least share of a column that is not in the span of those
 * before it.
 */
function invertedCholesky(gram: Float64Array, size: number): { inverse: Float64Array; leastShare: number } {
  const upper = new Float64Array(size * size)
  const inverse = new Float64Array(size * size)
  let leastShare = 1
  for (let j = 0; j < size; j++) {
    const own = gram[j * size + j] ?? 0
    let rest = own
    for (let k = 0; k < j; k++) rest -= (upper[k * size + j] ?? 0) ** 2
    // its row of both triangles stays zero, and so does its column of the result
    if (!(rest > own * DEPENDENT)) continue
    leastShare = Math.min(leastShare, rest / own)
    const pivot = Math.sqrt(rest)
    upper[j * size + j] = pivot
    for (let i = j + 1; i < size; i++) {
      let sum = gram[j * size + i] ?? 0
      for (let k = 0; k < j; k++) sum -= (upper[k * size + j] ?? 0) * (upper[k * size + i] ?? 0)
      upper[j * size + i] = sum / pivot
    }
    invertColumn(upper, inverse, size, j)
  }
  return { inverse, leastShare }
}

/** Orthonormal columns with the same span; dependent ones become zero. */
function orthonormalise(columns: Float32Array, rows: number, width: number): Float32Array {
  let current = columns
  for (let pass = 0; pass < 2; pass++) {
    const { inverse, leastShare } = invertedCholesky(symmetricProduct(current, current, rows, width), width)
    current = multiplyDense(current, rows, inverse, { width, upper: true })
    if (leastShare > ILL_CONDITIONED) break
  }
  return current
}

/**
 * In place. Singular vectors are given up to their sign; this one makes all of the first positive where all entries of
 * the matrix are.
 */
function withPositiveSums(right: Float32Array, rank: number): Float32Array {
  const sums = new Float64Array(rank)
  for (let i = 0; i < right.length; i++) sums[i % rank] = (sums[i % rank] ?? 0) + (right[i] ?? 0)
  for (let i = 0; i < right.length; i++) if ((sums[i % rank] ?? 0) < 0) right[i] = -(right[i] ?? 0)
  return right
}

/**
 * The largest singular values and their right vectors by a randomised range finder with power iterations (Halko,
 * Martinsson, Tropp 2011), orthonormalised on the side of the rows only (Cholesky), which is the short side here. The
 * same input gives the same bits.
 */
export function randomizedSvd(
  matrix: SparseMatrix,
  { rank, oversampling = 10, powerIterations = 2, seed }: SvdOptions,
): Svd {
  const width = Math.min(rank + oversampling, matrix.rows, matrix.columns)
  if (width === 0) return { rank: 0, singularValues: new Float64Array(0), right: new Float32Array(0) }
  const transposed = transpose(matrix)
  const { rows } = matrix
  const square = (basis: Float32Array) => multiplySparse(matrix, multiplySparse(transposed, basis, width), width)

  let basis = orthonormalise(multiplySparse(matrix, randomStart(matrix.columns * width, seed), width), rows, width)
  for (let i = 0; i < powerIterations; i++) basis = orthonormalise(square(basis), rows, width)
  const { values, vectors } = symmetricEigen(symmetricProduct(basis, square(basis), rows, width), width)

  const enough = (values[0] ?? 0) * NOISE
  const kept = Math.min(rank, values.filter(value => value > enough).length)
  const singularValues = values.slice(0, kept).map(Math.sqrt)
  // to the left singular vectors, over the singular values: what the right ones are made with
  const turn = new Float64Array(width * kept)
  for (let i = 0; i < width; i++) {
    for (let k = 0; k < kept; k++) turn[i * kept + k] = (vectors[i * width + k] ?? 0) / (singularValues[k] ?? 1)
  }
  const right = multiplySparse(transposed, multiplyDense(basis, rows, turn, { width: kept }), kept)
  return { rank: kept, singularValues, right: withPositiveSums(right, kept) }
}
