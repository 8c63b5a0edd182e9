import { test } from 'tap'
import fc from 'fast-check'
import { randomizedSvd } from '../../../src/embedding/lsa/randomized-svd.ts'
import { seededBits } from '../../../src/embedding/lsa/seeded-random.ts'
import type { SparseMatrix } from '../../../src/embedding/lsa/sparse-matrix.ts'

type Rows = number[][]

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

function sparse(rows: Rows, columns: number): SparseMatrix {
  const entries = rows.map(row => row.flatMap((value, index) => (value === 0 ? [] : [{ value, index }])))
  const offsets = Uint32Array.from([
    0,
    ...entries.map((_, i) => entries.slice(0, i + 1).reduce((sum, row) => sum + row.length, 0)),
  ])
  return {
    rows: rows.length,
    columns,
    offsets,
    indices: Uint32Array.from(entries.flat(), ({ index }) => index),
    values: Float32Array.from(entries.flat(), ({ value }) => value),
  }
}

/** The first `count` rows of an orthogonal matrix: the identity, mirrored a few times. */
function orthonormalRows(count: number, size: number, seed: number): Rows {
  const bits = seededBits(seed)
  let rows: Rows = Array.from({ length: count }, (_, i) => Array.from({ length: size }, (_, j) => (i === j ? 1 : 0)))
  for (let mirror = 0; mirror < 3; mirror++) {
    const normal = Array.from({ length: size }, () => bits() / 2 ** 31 - 1)
    const squares = dot(normal, normal)
    rows = rows.map(row => {
      const twice = (2 * dot(row, normal)) / squares
      return row.map((value, j) => value - twice * (normal[j] ?? 0))
    })
  }
  return rows
}

/** The matrix that has these singular values, and its right singular vectors. */
function matrixOf(
  singularValues: readonly number[],
  rows: number,
  columns: number,
): { matrix: SparseMatrix; right: Rows } {
  const left = orthonormalRows(singularValues.length, rows, 11)
  const right = orthonormalRows(singularValues.length, columns, 12)
  const dense = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_, j) =>
      singularValues.reduce((sum, value, k) => sum + value * (left[k]?.[i] ?? 0) * (right[k]?.[j] ?? 0), 0),
    ),
  )
  return { matrix: sparse(dense, columns), right }
}

const columnsOf = ({ right, rank }: { right: Float32Array; rank: number }): Rows =>
  Array.from({ length: rank }, (_, k) =>
    Array.from({ length: right.length / rank }, (_, i) => right[i * rank + k] ?? 0),
  )

function worstAngle(columns: Rows): number {
  return Math.max(...columns.flatMap((a, i) => columns.map((b, j) => Math.abs(dot(a, b) - (i === j ? 1 : 0)))))
}

test('the singular values and right vectors of a matrix made from them are found', async t => {
  const values = [20, 9, 5, 4, 2, 1, 0.5, 0.25]
  const { matrix, right } = matrixOf(values, 60, 90)
  const svd = randomizedSvd(matrix, { rank: 6, seed: 3 })
  t.equal(svd.rank, 6)
  for (const [k, value] of svd.singularValues.entries()) {
    t.ok(Math.abs(value - (values[k] ?? 0)) < 1e-4 * value, `${value} for ${values[k]}`)
  }
  const found = columnsOf(svd)
  t.ok(worstAngle(found) < 1e-5, `orthonormal up to ${worstAngle(found)}`)
  for (const [k, vector] of found.entries()) t.ok(Math.abs(dot(vector, right[k] ?? [])) > 0.99999, `vector ${k}`)
})

test('values that fall slowly are found with few columns beyond the rank', async t => {
  const values = Array.from({ length: 60 }, (_, i) => 10 / (1 + i / 4))
  const { singularValues, ...svd } = randomizedSvd(matrixOf(values, 120, 150).matrix, { rank: 20, seed: 3 })
  for (const [k, value] of singularValues.entries()) {
    t.ok(value < (values[k] ?? 0) * 1.0001 && value > (values[k] ?? 0) * 0.97, `${value} for ${values[k]}`)
  }
  t.ok(worstAngle(columnsOf(svd)) < 1e-5)
})

test('values that differ by a thousand times keep their vectors at right angles', async t => {
  const values = [1000, 100, 10, 1.5, 1]
  const svd = randomizedSvd(matrixOf(values, 40, 30).matrix, { rank: 5, seed: 3 })
  t.ok(worstAngle(columnsOf(svd).slice(0, 3)) < 1e-3, `${worstAngle(columnsOf(svd))}`)
  t.ok(Math.abs((svd.singularValues[2] ?? 0) - 10) < 0.05, `${svd.singularValues[2]}`)
})

test('a matrix with fewer directions than were asked for gives only those', async t => {
  const row = [3, 0, 4, 0, 0]
  const other = [0, 1, 0, 0, 2]
  const svd = randomizedSvd(sparse([row, row, other, row, other, [0, 0, 0, 0, 0]], 5), { rank: 4, seed: 1 })
  t.equal(svd.rank, 2)
  t.ok(Math.abs((svd.singularValues[0] ?? 0) - Math.sqrt(75)) < 1e-4)
  t.ok(Math.abs((svd.singularValues[1] ?? 0) - Math.sqrt(10)) < 1e-4)
  t.ok(worstAngle(columnsOf(svd)) < 1e-5)
})

test('a matrix of zeros, and one of nothing, have no singular vectors', async t => {
  t.equal(
    randomizedSvd(
      sparse(
        [
          [0, 0],
          [0, 0],
        ],
        2,
      ),
      { rank: 2, seed: 1 },
    ).rank,
    0,
  )
  t.equal(randomizedSvd(sparse([], 0), { rank: 2, seed: 1 }).rank, 0)
})

test('the same matrix and seed give the same bits', async t => {
  const { matrix } = matrixOf([5, 4, 3, 2, 1], 30, 40)
  const [first, second, other] = [1, 1, 2].map(seed => randomizedSvd(matrix, { rank: 3, seed }).right)
  t.same(first, second)
  t.notSame(first, other)
})

test('whatever the matrix, the vectors are orthonormal and hold no more than the matrix', async t => {
  const anyMatrix = fc.integer({ min: 1, max: 12 }).chain(columns =>
    fc.record({
      columns: fc.constant(columns),
      rows: fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: columns, maxLength: columns }), {
        maxLength: 12,
      }),
    }),
  )
  fc.assert(
    fc.property(anyMatrix, fc.integer({ min: 1, max: 12 }), ({ rows, columns }, rank) => {
      const svd = randomizedSvd(sparse(rows, columns), { rank, seed: 1 })
      const energy = rows.flat().reduce((sum, value) => sum + value * value, 0)
      const found = svd.singularValues.reduce((sum, value) => sum + value * value, 0)
      const whole = rank >= Math.min(rows.length, columns)
      return (
        (svd.rank === 0 || worstAngle(columnsOf(svd)) < 2e-3) &&
        found <= energy * 1.0001 &&
        (!whole || found >= energy * 0.9999)
      )
    }),
  )
  t.pass()
})
