import { setImmediate } from 'node:timers/promises'
import type { WholeVectors } from '../format/generation-check.ts'
import { buildHnsw } from './hnsw-build.ts'
import { isScanned } from './hnsw-library.ts'
import type { GenerationPaths } from '../format/layout.ts'
import type { StoredManifest } from '../format/stored-manifest.ts'
import { VectorFile } from './vector-file.ts'
import { byNearness, VectorIndex, type Neighbour } from './vector-index.ts'
import { VectorTable } from './vector-table.ts'

/** The vectors of one generation, searched in the way that suits their number. */
export interface VectorSearch extends Disposable {
  readonly kind: 'exact' | 'hnsw' | 'repairing' | 'none'
  /** The nearest `k` chunks that are not gone, nearest first. @param query - Of length one. */
  search(query: Float32Array, k: number): Neighbour[]
}

interface VectorOptions {
  whole: WholeVectors
  exactBelow: number
  isLive: (chunkId: number) => boolean
}

/**
 * Scans until the graph is built again from the vectors, which the first search begins, in turns of about 20 ms. The
 * next build of the index writes a whole file.
 */
function repairing(all: () => VectorTable, files: Disposable): VectorSearch {
  const stop = new AbortController()
  let index: VectorIndex | null = null
  let building: Promise<void> | null = null
  /** Scanning goes on without a graph, but that there is none must be seen. */
  const report = (error: unknown): void => {
    if (!stop.signal.aborted) process.emitWarning(error instanceof Error ? error : String(error))
  }
  const build = async () => {
    await setImmediate() // the search that asked comes first
    stop.signal.throwIfAborted()
    const table = all()
    index = await buildHnsw([table], table, { signal: stop.signal })
  }
  return {
    get kind() {
      return index === null ? 'repairing' : 'hnsw'
    },
    search(query, k) {
      building ??= build().catch(report)
      const found = index?.search(query, k) ?? []
      return found.length >= Math.min(k, all().size) ? found : all().search(query, k)
    },
    [Symbol.dispose]() {
      stop.abort()
      index?.[Symbol.dispose]()
      files[Symbol.dispose]()
    },
  }
}

/**
 * Opens the files, so that they stay readable, and reads of them what searches need: the HNSW file and the vectors that
 * came after it, or, when the first search asks for them, all vectors. Vectors of damaged files are missing until they
 * are made again.
 */
export function openVectors(
  paths: GenerationPaths,
  manifest: StoredManifest,
  { whole, exactBelow, isLive }: VectorOptions,
): VectorSearch {
  const {
    embedding: { dimensions },
    segments,
    checksums: { hnsw },
  } = manifest
  using opened = new DisposableStack()
  const files = whole.fit
    ? segments
        .filter(({ number, vectors }) => vectors !== null && whole.segments.has(number))
        .map(({ number }) => opened.use(new VectorFile(paths.embedded(number))))
    : []
  if (dimensions === 0 || files.length === 0) return { kind: 'none', search: () => [], [Symbol.dispose]() {} }

  const tableOf = (wanted: readonly VectorFile[], isWanted: (id: number) => boolean) =>
    new VectorTable(
      dimensions,
      wanted.map(file => file.read()),
      isWanted,
    )
  const scans = hnsw === null || isScanned(manifest.chunksTotal, exactBelow)
  const index = scans || !whole.hnsw ? null : VectorIndex.read(paths.hnsw, { dimensions, elements: hnsw.elements })
  let table: VectorTable | null = null
  const all = () => (table ??= tableOf(files, isLive))
  if (index === null || hnsw === null) {
    const open = opened.move()
    return scans
      ? { kind: 'exact', search: (query, k) => all().search(query, k), [Symbol.dispose]: () => open.dispose() }
      : repairing(all, open)
  }

  for (const id of index.ids()) if (!isLive(id)) index.remove(id)
  // the others, nearly all, are not read
  const laterFiles = files.filter(file => (file.readIds().at(-1) ?? 0) > hnsw.throughChunk)
  const later = tableOf(laterFiles, id => id > hnsw.throughChunk && isLive(id))
  const open = opened.move()
  return {
    kind: 'hnsw',
    search(query, k) {
      const found = [...index.search(query, k), ...later.search(query, k)].sort(byNearness).slice(0, k)
      // Now and then a point of an HNSW graph cannot be reached; seen when nearly all are asked for, among many that
      // are nearly equal.
      return found.length >= Math.min(k, index.live + later.size) ? found : all().search(query, k)
    },
    [Symbol.dispose]() {
      index[Symbol.dispose]()
      open.dispose()
    },
  }
}
