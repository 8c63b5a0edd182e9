import type { Chunk, Hit } from '../core/chunk.ts'
import type { Manifest } from '../core/project.ts'
import type { IndexedFile } from './file-index.ts'

/** The published generation of a project's index, as far as a trace needs it. */
export interface CodeReader {
  readonly manifest: Manifest
  /** The same array for every call on one generation. */
  files: () => readonly IndexedFile[]
  fileText: (repository: string, path: string) => string | null
  chunksOf: (repository: string, path: string) => Chunk[]
  /** Nearest first; `score` is the cosine similarity, in [0, 1]. */
  searchVectors: (query: Float32Array, k: number) => Hit[]
  /** Best first; any text is safe as a query. */
  searchText: (query: string, k: number) => Hit[]
}
