import type { Chunk } from '../../core/chunk.ts'
import type { Definition, Outline } from '../../core/outline.ts'
import type { Manifest } from '../../core/project.ts'
import type { IndexedFile } from './file-index.ts'

/** A chunk that a search found, without its text. */
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

/** A file that a search found. */
export interface FileHit {
  repository: string
  path: string
  score: number
}

/** The part of a project's published generation that resolving a trace needs. */
export interface CodeReader {
  readonly manifest: Manifest
  /** Every indexed file. Returns the same array for every call on one generation. */
  files: () => readonly IndexedFile[]
  fileText: (repository: string, path: string) => string | null
  /** What the file defines and imports; null for a language without a scanner and for a missing file. */
  outline: (repository: string, path: string) => Outline | null
  /** The counts that `createRowCounter` made of the text when it was indexed; null when there are none. */
  rowTokens: (repository: string, path: string) => Uint8Array | null
  chunksOf: (repository: string, path: string) => Chunk[]
  /** All definitions with exactly this name, at most 200. */
  definitionsOf: (name: string) => readonly Definition[]
  /** As `definitionsOf`; null where there are more than `most`, which is found out without reading them. */
  fewDefinitionsOf: (name: string, most: number) => readonly Definition[] | null
  /** The names of all definitions that have so many characters. */
  definitionNames: (atLeast: number, atMost: number) => string[]
  /** The definitions of one file, in the order of their lines. */
  definitionsIn: (repository: string, path: string) => Definition[]
  /** Files whose imports resolve to this one, by path or module name; at most 200. */
  importersOf: (repository: string, path: string) => IndexedFile[]
  /** Files that this one imports, at most 200. */
  importsOf: (repository: string, path: string) => IndexedFile[]
  /** Ranks chunks by BM25. The query maps terms, as `core/tokenize.ts` makes them, to weights. Best first. */
  searchTerms: (query: ReadonlyMap<string, number>, k: number) => ChunkHit[]
  /** Ranks whole files by BM25. Best first. */
  searchFileTerms: (query: ReadonlyMap<string, number>, k: number) => FileHit[]
  /**
   * Files that may contain a text literally, in the order of `files()`: all that do and some more. Null when the text
   * has no identifier to search by.
   */
  filesHolding: (text: string) => IndexedFile[] | null
  /** The number of chunks that contain a term. */
  documentFrequency: (term: string) => number
  /** Nearest first; `score` is the cosine similarity, in [0, 1]. Nothing while there are no vectors. */
  searchVectors: (query: Float32Array, k: number) => ChunkHit[]
}
