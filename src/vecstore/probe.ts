import { openForBuilding } from './catalogue/catalogue-schema.ts'
import { hnswProblem } from './vectors/hnsw-library.ts'

function failure(attempt: () => void): string | null {
  try {
    attempt()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** How vectors of many chunks are searched on this machine: exactly where hnswlib-node cannot be loaded. */
export function searchHere(): 'hnsw' | 'exact' {
  return hnswProblem() === null ? 'hnsw' : 'exact'
}

/**
 * Whether the two halves of a store work on this machine, tried in memory: null, or what is wrong. Without HNSW exact
 * search stands in.
 */
export function probeStore(): { hnsw: string | null; catalogue: string | null } {
  return {
    hnsw: hnswProblem(),
    catalogue: failure(() => openForBuilding(':memory:', { isNew: true }).close()),
  }
}
