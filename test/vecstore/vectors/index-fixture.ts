import type { VectorRows } from '../../../src/vecstore/vectors/vector-file.ts'
import { VectorIndex } from '../../../src/vecstore/vectors/vector-index.ts'
import { VectorTable } from '../../../src/vecstore/vectors/vector-table.ts'
import { unitVector } from '../../../src/vecstore/vectors/vector-math.ts'

export const DIMENSIONS = 128

/**
 * The same pseudo-random unit vectors in every run. As with vectors of code, the directions in which they differ are
 * fewer than their dimensions.
 */
export function vectors(count: number): Float32Array[] {
  let state = 12_345
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 31 - 1
  }
  const directions = Array.from({ length: 16 }, () => Float32Array.from({ length: DIMENSIONS }, next))
  return Array.from({ length: count }, () => {
    const shares = directions.map(next)
    return unitVector(
      Float32Array.from({ length: DIMENSIONS }, (_, i) =>
        directions.reduce((sum, direction, d) => sum + (direction[i] ?? 0) * (shares[d] ?? 0), 0),
      ),
    )
  })
}

function rowsOf(all: Float32Array[]): VectorRows {
  const values = new Float32Array(all.length * DIMENSIONS)
  for (const [i, vector] of all.entries()) values.set(vector, i * DIMENSIONS)
  return { dimensions: DIMENSIONS, ids: Uint32Array.from(all, (_, i) => i + 1), values }
}

export function filled(all: Float32Array[]): { index: VectorIndex; table: VectorTable } {
  const index = VectorIndex.create(DIMENSIONS, all.length)
  for (const [i, vector] of all.entries()) index.add(i + 1, vector)
  return { index, table: new VectorTable(DIMENSIONS, [rowsOf(all)]) }
}
