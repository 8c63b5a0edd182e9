import { createRequire } from 'node:module'

/** What is used of an index of hnswlib-node. Declared here, as a package that may be missing has no types. */
export interface HnswGraph {
  initIndex(maxElements: number, links?: number, efConstruction?: number): void
  addPoint(point: number[], label: number): void
  markDelete(label: number): void
  setEf(breadth: number): void
  searchKnn(query: number[], k: number): { distances: number[]; neighbors: number[] }
  getCurrentCount(): number
  getMaxElements(): number
  getIdsList(): number[]
  readIndexSync(path: string): void
  writeIndex(path: string): Promise<boolean>
}

interface HnswLibrary {
  HierarchicalNSW: new (space: 'ip', dimensions: number) => HnswGraph
}

/** The library, or why there is none. */
type Loaded = { library: HnswLibrary } | { problem: string }

/** @throws {Error} Where a search finds another vector than the nearest. */
function tryOut({ HierarchicalNSW }: HnswLibrary): void {
  const graph = new HierarchicalNSW('ip', 2)
  graph.initIndex(2)
  graph.addPoint([1, 0], 1)
  graph.addPoint([0, 1], 2)
  if (graph.searchKnn([0, 1], 1).neighbors[0] !== 2) throw new Error('a search finds the wrong vector')
}

function load(): Loaded {
  try {
    // asked for in one go, as searches are; an import would make each of them wait
    const require = createRequire(import.meta.url)
    const library = require('hnswlib-node') as HnswLibrary
    tryOut(library)
    return { library }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { problem: message.split('\n', 1)[0] ?? '' }
  }
}

let loaded: Loaded | null = null

/**
 * Loads hnswlib-node when it is first asked for, in about 10 ms. It is compiled when it is installed, which takes a
 * compiler, and so it is an optional dependency.
 */
function hnswLibrary(): Loaded {
  return (loaded ??= load())
}

/** Why no HNSW index can be made or read on this machine; null where it can. */
export function hnswProblem(): string | null {
  const found = hnswLibrary()
  return 'problem' in found ? found.problem : null
}

/** An empty graph by inner product. @throws {Error} Where there is no library: see `hnswProblem`. */
export function newGraph(dimensions: number): HnswGraph {
  const found = hnswLibrary()
  if ('problem' in found) throw new Error(`hnswlib-node cannot be used: ${found.problem}`)
  return new found.library.HierarchicalNSW('ip', dimensions)
}

/** Whether the vectors of so many chunks are found by scanning: of few, and wherever there is no hnswlib-node. */
export const isScanned = (chunks: number, exactBelow: number): boolean => chunks < exactBelow || hnswProblem() !== null
