import { test } from 'tap'
import fc from 'fast-check'
import { symmetricEigen } from '../../../src/embedding/lsa/eigen.ts'

test('eigenvalues come largest first, with their vectors as columns', async t => {
  const { values, vectors } = symmetricEigen(Float64Array.from([2, 1, 1, 2]), 2)
  t.ok(Math.abs((values[0] ?? 0) - 3) < 1e-12 && Math.abs((values[1] ?? 0) - 1) < 1e-12, String(values))
  t.ok(
    Math.abs((vectors[0] ?? 0) - (vectors[2] ?? 9)) < 1e-12 && Math.abs((vectors[1] ?? 0) + (vectors[3] ?? 9)) < 1e-12,
    String(vectors),
  )
})

test(
  'any symmetric matrix times its eigenvectors is these times their eigenvalues, and the vectors are ' + 'orthonormal',
  async t => {
    const anySymmetric = fc.integer({ min: 1, max: 9 }).chain(size =>
      fc.array(fc.integer({ min: -9, max: 9 }), { minLength: size * size, maxLength: size * size }).map(entries => ({
        size,
        matrix: Float64Array.from(
          entries,
          (_, at) => (entries[at] ?? 0) + (entries[(at % size) * size + Math.floor(at / size)] ?? 0),
        ),
      })),
    )
    fc.assert(
      fc.property(anySymmetric, ({ size, matrix }) => {
        const { values, vectors } = symmetricEigen(matrix, size)
        for (let i = 0; i < size; i++) {
          for (let k = 0; k < size; k++) {
            let product = 0
            let angle = 0
            for (let j = 0; j < size; j++) {
              product += (matrix[i * size + j] ?? 0) * (vectors[j * size + k] ?? 0)
              angle += (vectors[j * size + i] ?? 0) * (vectors[j * size + k] ?? 0)
            }
            if (
              Math.abs(product - (vectors[i * size + k] ?? 0) * (values[k] ?? 0)) > 1e-8 ||
              Math.abs(angle - (i === k ? 1 : 0)) > 1e-10
            ) {
              return false
            }
          }
        }
        return values.every((value, i) => i === 0 || value <= (values[i - 1] ?? 0))
      }),
    )
    t.pass()
  },
)
