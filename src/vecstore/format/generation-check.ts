import { basename, dirname } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import type { FileChecksum } from './durable-files.ts'
import { missing, readCurrent, type GenerationPaths } from './layout.ts'
import { readManifestFile } from './manifest.ts'
import { FORMAT_VERSION, type StoredManifest } from './stored-manifest.ts'
import type { ChecksumMemory } from './checksum-memory.ts'
import { isScanned } from '../vectors/hnsw-library.ts'
import { VectorFile } from '../vectors/vector-file.ts'

/**
 * Why a generation cannot be read: it went while it was being opened, it is damaged (`segments`: but not its texts), or
 * its format is another one.
 */
export interface Unreadable {
  unreadable: 'gone' | 'damaged' | 'segments' | 'format'
  detail: string
}

/**
 * The files of a generation's vectors that match their checksums. Each only repeats or ranks what can be made again
 * from the texts.
 */
export interface WholeVectors {
  segments: ReadonlySet<number>
  fit: boolean
  hnsw: boolean
}

/** The published generation that a build starts from, and those of its vectors that are whole. */
export interface BaseGeneration {
  manifest: StoredManifest
  paths: GenerationPaths
  vectors: WholeVectors
}

async function wholeManifest(paths: GenerationPaths, project: string): Promise<StoredManifest | Unreadable> {
  try {
    const manifest = await readManifestFile(paths.manifest, project)
    if (manifest === null) return { unreadable: 'gone', detail: 'its manifest is missing' }
    if (manifest.indexState === 'foreign') {
      return {
        unreadable: 'format',
        detail: `its format is ${manifest.formatVersion}, this release reads ${FORMAT_VERSION}`,
      }
    }
    if (manifest.generation !== Number(basename(paths.folder))) {
      return { unreadable: 'damaged', detail: `its manifest is that of generation ${manifest.generation}` }
    }
    return manifest
  } catch (error) {
    if (error instanceof FaultlineError) return { unreadable: 'damaged', detail: 'its manifest is damaged' }
    throw error
  }
}

/** The manifest of a generation that this release can read and whose catalogue and text index match their checksums. */
export async function verifiedManifest(
  paths: GenerationPaths,
  project: string,
  checksums: ChecksumMemory,
): Promise<StoredManifest | Unreadable> {
  const manifest = await wholeManifest(paths, project)
  if ('unreadable' in manifest) return manifest
  const catalogue = await checksums.condition(paths.catalogue, manifest.checksums.catalogue)
  if (catalogue === 'missing') return { unreadable: 'gone', detail: 'its catalogue is missing' }
  if (catalogue === 'damaged') return { unreadable: 'damaged', detail: 'its catalogue does not match its checksum' }
  for (const { number, lexical } of manifest.segments) {
    const segment = await checksums.condition(paths.lexical(number), lexical)
    if (segment !== 'whole') {
      return {
        unreadable: segment === 'missing' ? 'gone' : 'segments',
        detail: `segment ${number} of its text index is ${segment}`,
      }
    }
  }
  return manifest
}

async function requirePublished({ folder }: GenerationPaths): Promise<void> {
  if ((await readCurrent(dirname(folder))) !== Number(basename(folder))) throw missing(basename(folder))
}

function isFileOf(path: string, dimensions: number): boolean {
  using file = new VectorFile(path)
  return file.isOf(dimensions)
}

/** @throws As for a missing file, when one is missing because another generation took the place of this one. */
export async function wholeVectors(
  paths: GenerationPaths,
  { embedding: { dimensions }, segments, checksums: { fit, hnsw } }: StoredManifest,
  checksums: ChecksumMemory,
): Promise<WholeVectors> {
  async function isWhole(path: string, checksum: FileChecksum): Promise<boolean> {
    const condition = await checksums.condition(path, checksum)
    if (condition === 'missing') await requirePublished(paths)
    return condition === 'whole'
  }
  const whole = new Set<number>()
  for (const { number, vectors } of segments) {
    if (
      vectors !== null &&
      (await isWhole(paths.embedded(number), vectors)) &&
      isFileOf(paths.embedded(number), dimensions)
    ) {
      whole.add(number)
    }
  }
  return {
    segments: whole,
    fit: fit === null || (await isWhole(paths.fit, fit)),
    hnsw: hnsw === null || (await isWhole(paths.hnsw, hnsw)),
  }
}

/**
 * Whether nothing of the vectors is missing or damaged, nor their graph where there are too many to be scanned always.
 * Where hnswlib-node is not installed no graph is missing; once it is there, the next build makes it.
 *
 * @param exactBelow - The number of chunks below which there is no graph.
 */
export function areVectorsComplete(manifest: StoredManifest, whole: WholeVectors, exactBelow: number): boolean {
  return (
    manifest.indexState === 'ready' &&
    whole.fit &&
    whole.hnsw &&
    (manifest.checksums.hnsw !== null || isScanned(manifest.chunksTotal, exactBelow)) &&
    manifest.segments.every(({ number }) => whole.segments.has(number))
  )
}
