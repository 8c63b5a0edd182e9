import type { WholeVectors } from './generation-check.ts'
import type { GenerationPaths } from './layout.ts'
import type { StoredManifest } from './manifest.ts'
import { VectorFile } from './vector-file.ts'
import { byNearness, VectorIndex, type Neighbour } from './vector-index.ts'
import { VectorTable } from './vector-table.ts'

/** The vectors of one generation, searched in the way that suits their number. */
export interface VectorSearch extends Disposable {
  readonly kind: 'exact' | 'hnsw' | 'repairing' | 'none'
  /** The nearest `k` chunks that are not gone, nearest first. @param query - Of length one. */
  search (query: Float32Array, k: number): Neighbour[]
}

interface VectorOptions { whole: WholeVectors, exactBelow: number, isLive: (chunkId: number) => boolean }

/**
 * Opens the files, so that they stay readable, and reads of them what searches need: the HNSW file and the vectors that came after it, or, when
 * the first search asks for them, all vectors. Vectors of damaged files are missing until they are made again.
 */
export function openVectors (paths: GenerationPaths, manifest: StoredManifest, { whole, exactBelow, isLive }: VectorOptions): VectorSearch {
  const { embedding: { dimensions }, segments, seals: { hnsw } } = manifest
  using opened = new DisposableStack()
  const files = whole.fit ? segments.filter(({ number, vectors }) => vectors !== null && whole.segments.has(number)).map(({ number }) => opened.use(new VectorFile(paths.embedded(number)))) : []
  if (dimensions === 0 || files.length === 0) return { kind: 'none', search: () => [], [Symbol.dispose] () {} }

  const tableOf = (isWanted: (id: number) => boolean) => new VectorTable(dimensions, files.map(file => file.read()), isWanted)
  const isScanned = hnsw === null || manifest.chunksTotal < exactBelow
  const index = isScanned || !whole.hnsw ? null : VectorIndex.read(paths.hnsw, { dimensions, elements: hnsw.elements })
  const open = opened.move()
  let table: VectorTable | null = null
  const scan = (query: Float32Array, k: number) => (table ??= tableOf(isLive)).search(query, k)
  if (index === null || hnsw === null) return { kind: isScanned ? 'exact' : 'repairing', search: scan, [Symbol.dispose]: () => open.dispose() }

  for (const id of index.ids()) if (!isLive(id)) index.remove(id)
  const later = tableOf(id => id > hnsw.throughChunk && isLive(id))
  return {
    kind: 'hnsw',
    search (query, k) {
      const found = [...index.search(query, k), ...later.search(query, k)].sort(byNearness).slice(0, k)
      // Now and then a point of an HNSW graph cannot be reached; seen when nearly all are asked for, among many that are nearly equal.
      return found.length >= Math.min(k, index.live + later.size) ? found : scan(query, k)
    },
    [Symbol.dispose]: () => open.dispose(),
  }
}
