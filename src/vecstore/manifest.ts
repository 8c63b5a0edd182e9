import { readFile } from 'node:fs/promises'
import { FaultlineError } from '../core/errors.ts'
import type { Manifest } from '../core/project.ts'
import type { FileSeal } from './disk.ts'

/** Grows with any change of the files of a generation that an older or newer release could misread. */
export const FORMAT_VERSION = 1

/** What the vectors file must turn out to be; hnswlib itself accepts files of another dimension and with flipped bits. */
export interface VectorsSeal extends FileSeal {
  dimensions: number
  /** Points in the file, of which `live` are not marked as deleted. */
  elements: number
  live: number
}

/** What a generation holds of one repository; `chunksTotal` and the sum of `languages` are counts of its rows. */
export interface RepositoryContent { repository: string, chunksTotal: number, languages: Record<string, number> }

/** The manifest as it is stored: with what proves the two files beside it whole. */
export interface StoredManifest extends Manifest {
  contents: RepositoryContent[]
  seals: { catalogue: FileSeal, vectors: VectorsSeal }
}

export const rebuildFix = (project: string): string => `POST /clone with the repository's url and "project_name": "${project}" builds the index again.`

/**
 * @returns null when there is no such file.
 * @throws {FaultlineError} INDEX_INCOMPATIBLE when it is not a manifest.
 */
export async function readManifestFile (path: string, project: string): Promise<StoredManifest | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const manifest = parseManifest(text)
  if (manifest === null) throw new FaultlineError('INDEX_INCOMPATIBLE', `The index of project ${project} has a damaged manifest.`, rebuildFix(project))
  return manifest
}

/** Checks what this release relies on, also in manifests of other format versions: those must still be listed and rebuilt. */
function parseManifest (text: string): StoredManifest | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null // a torn or foreign file; the caller says so
  }
  return isManifest(value) ? value : null
}

function isManifest (value: unknown): value is StoredManifest {
  if (!isRecord(value) || !isRecord(value.embedding) || !isRecord(value.languages) || !isRecord(value.seals)) return false
  const { embedding, seals } = value
  return isCount(value.formatVersion) && isCount(value.generation) && isCount(value.filesIndexed) && isCount(value.chunksTotal) &&
    typeof value.publishedAt === 'string' && typeof value.chunker === 'string' &&
    typeof embedding.model === 'string' && typeof embedding.provider === 'string' && typeof embedding.fitId === 'string' && isCount(embedding.dimensions) &&
    Array.isArray(value.contents) && Array.isArray(value.repositories) && value.repositories.every(isRepository) &&
    isSeal(seals.catalogue) && isSeal(seals.vectors)
}

function isRepository (value: unknown): boolean {
  return isRecord(value) && typeof value.repository === 'string' && typeof value.commit === 'string' && Array.isArray(value.include) && Array.isArray(value.exclude)
}

const isSeal = (value: unknown): boolean => isRecord(value) && isCount(value.bytes) && typeof value.sha256 === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value)
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
