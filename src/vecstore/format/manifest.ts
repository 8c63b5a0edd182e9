import { readFile } from 'node:fs/promises'
import { FaultlineError } from '../../core/errors.ts'
import type { ForeignManifest, Manifest, PublishedManifest } from '../../core/project.ts'
import type { FileSeal } from './disk.ts'
import { isManifest, isStored } from './manifest-check.ts'

/** Grows with any change of the files of a generation that an older or newer release could misread. */
export const FORMAT_VERSION = 3

/** What one build added to the text index, and the vectors of the same chunks; null while they have none. */
export interface SegmentRecord {
  number: number
  chunks: number
  lexical: FileSeal
  vectors: FileSeal | null
}

/**
 * The HNSW file holds the vectors of chunks up to `throughChunk`; later ones are searched by exact scan, and those gone
 * since are passed over.
 */
export interface HnswRecord extends FileSeal {
  elements: number
  throughChunk: number
}

/** What tells whether an index has outgrown the space that its vectors were learned in. */
export interface SpaceGrowth {
  /** The last chunk that was there when it was learned. */
  throughChunk: number
  /** The last chunk whose terms are counted: those of later ones were published before they had vectors. */
  countedThrough: number
  /** Terms in all chunks then and since, with repetitions, and those that the space does not know. */
  occurrences: number
  unknownOccurrences: number
}

/** What a generation holds of one repository; `chunksTotal` and the sum of `languages` are counts of its rows. */
export interface RepositoryContent {
  repository: string
  chunksTotal: number
  languages: Record<string, number>
}

/** The manifest as it is stored: with what proves the files beside it whole. */
export interface StoredManifest extends PublishedManifest {
  contents: RepositoryContent[]
  segments: SegmentRecord[]
  growth: SpaceGrowth
  /** `fit` is null for vectors that need none, `hnsw` in a project that is small enough to be scanned. */
  seals: { catalogue: FileSeal; fit: FileSeal | null; hnsw: HnswRecord | null }
}

export const rebuildFix = (project: string): string =>
  `POST /clone with the repository's url and "project_name": "${project}" builds the index again.`

function foreign({
  formatVersion,
  generation,
  publishedAt,
  embedding,
  chunker,
  repositories,
  filesIndexed,
  chunksTotal,
  languages,
}: Manifest): ForeignManifest {
  return {
    formatVersion,
    generation,
    publishedAt,
    embedding,
    chunker,
    repositories,
    filesIndexed,
    chunksTotal,
    languages,
    indexState: 'foreign',
  }
}

/**
 * Checks all that is read of a manifest of this release; of other format versions what is needed to list and rebuild
 * them.
 */
function parseManifest(text: string): StoredManifest | ForeignManifest | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null // a torn or foreign file; the caller says so
  }
  if (!isManifest(value)) return null
  if (value.formatVersion !== FORMAT_VERSION) return foreign(value)
  return isStored(value) ? value : null
}

/**
 * @returns null when there is no such file.
 * @throws {FaultlineError} INDEX_INCOMPATIBLE when it is not a manifest.
 */
export async function readManifestFile(
  path: string,
  project: string,
): Promise<StoredManifest | ForeignManifest | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const manifest = parseManifest(text)
  if (manifest === null) {
    throw new FaultlineError(
      'INDEX_INCOMPATIBLE',
      `The index of project ${project} has a damaged manifest.`,
      rebuildFix(project),
    )
  }
  return manifest
}
