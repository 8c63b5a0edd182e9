import type { PublishedManifest } from '../../core/project.ts'
import type { FileChecksum } from './durable-files.ts'

/** Grows with any change of the files of a generation that an older or newer release could misread. */
export const FORMAT_VERSION = 3

/** A segment that one build added to the text index, and the vectors of its chunks; null while they have none. */
export interface SegmentRecord {
  number: number
  chunks: number
  lexical: FileChecksum
  vectors: FileChecksum | null
}

/**
 * The HNSW file holds the vectors of chunks up to `throughChunk`; later ones are searched by exact scan, and those gone
 * since are passed over.
 */
export interface HnswRecord extends FileChecksum {
  elements: number
  throughChunk: number
}

/** Counts that say whether an index has outgrown the space that its vectors were learned in. */
export interface SpaceGrowth {
  /** The last chunk that was there when it was learned. */
  throughChunk: number
  /** The last chunk whose terms are counted: those of later ones were published before they had vectors. */
  countedThrough: number
  /** Terms in all chunks then and since, with repetitions, and those that the space does not know. */
  occurrences: number
  unknownOccurrences: number
}

/** The content of one repository in a generation; `chunksTotal` and the sum of `languages` are counts of its rows. */
export interface RepositoryContent {
  repository: string
  chunksTotal: number
  languages: Record<string, number>
}

/** The manifest with what only the store reads, such as the checksums of the files beside it. */
export interface StoredManifest extends PublishedManifest {
  contents: RepositoryContent[]
  segments: SegmentRecord[]
  growth: SpaceGrowth
  /** `fit` is null for vectors that need none, `hnsw` in a project that is small enough to be scanned. */
  checksums: { catalogue: FileChecksum; fit: FileChecksum | null; hnsw: HnswRecord | null }
}

/** The content of manifest.json, in which the checksums have the name `seals`. */
export type ManifestJson = Omit<StoredManifest, 'checksums'> & { seals: StoredManifest['checksums'] }
