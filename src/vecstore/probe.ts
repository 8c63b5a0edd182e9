import { openForBuilding } from './catalogue/catalogue-schema.ts'
import { VectorIndex } from './vectors/vector-index.ts'

function tryVectors(): void {
  const index = VectorIndex.create(2, 2)
  index.add(1, Float32Array.of(1, 0))
  index.add(2, Float32Array.of(0, 1))
  const [nearest] = index.search(Float32Array.of(0, 1), 1)
  if (nearest?.id !== 2) throw new Error('a search finds the wrong vector')
}

function failure(attempt: () => void): string | null {
  try {
    attempt()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Whether the two halves of a store work on this machine, tried in memory: null, or what is wrong. */
export function probeStore(): { vectors: string | null; catalogue: string | null } {
  return {
    vectors: failure(tryVectors),
    catalogue: failure(() => openForBuilding(':memory:', { isNew: true }).close()),
  }
}
