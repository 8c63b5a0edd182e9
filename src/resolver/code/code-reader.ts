import type { Chunk } from '../../core/chunk.ts'
import type { Definition, Outline } from '../../core/outline.ts'
import type { Manifest } from '../../core/project.ts'
import type { IndexedFile } from './file-index.ts'

/** A chunk that was found, without its text. */
export interface ChunkHit {
  repository: string
  path: string
  startLine: number
  endLine: number
  chunkIndex: number
  totalChunks: number
  /** Higher is better; comparable within one answer only. */
  score: number
}

export interface FileHit {
  repository: string
  path: string
  score: number
}

/** The published generation of a project's index, as far as a trace needs it. */
export interface CodeReader {
  readonly manifest: Manifest
  /** The same array for every call on one generation. */
  files: () => readonly IndexedFile[]
  fileText: (repository: string, path: string) => string | null
  /** What the file defines and imports; null for a language without a scanner and for a file that is not there. */
  outline: (repository: string, path: string) => Outline | null
  /** What `createRowCounter` said of the text as it was indexed; null when it was not asked. */
  rowTokens: (repository: string, path: string) => Uint8Array | null
  chunksOf: (repository: string, path: string) => Chunk[]
  /** All definitions with exactly this name, at most 200. */
  definitionsOf: (name: string) => readonly Definition[]
  /** In the order of their lines. */
  definitionsIn: (repository: string, path: string) => Definition[]
  /** Files whose imports resolve to this one, by path or module name; at most 200. */
  importersOf: (repository: string, path: string) => IndexedFile[]
  /** Files that this one imports, at most 200. */
  importsOf: (repository: string, path: string) => IndexedFile[]
  /** BM25 over chunks; terms as `core/tokenize.ts` makes them, each with its weight. Best first. */
  searchTerms: (query: ReadonlyMap<string, number>, k: number) => ChunkHit[]
  /** BM25 over whole files. Best first. */
  searchFileTerms: (query: ReadonlyMap<string, number>, k: number) => FileHit[]
  /**
   * Files that may hold a text as it is, in the order of `files()`: all that do and some more. Null when it has no
   * identifier to go by.
   */
  filesHolding: (text: string) => IndexedFile[] | null
  /** Chunks that hold a term. */
  documentFrequency: (term: string) => number
  /** Nearest first; `score` is the cosine similarity, in [0, 1]. Nothing while there are no vectors. */
  searchVectors: (query: Float32Array, k: number) => ChunkHit[]
}
