import { readFile } from 'node:fs/promises'
import { FaultlineError } from '../../core/errors.ts'
import type { ForeignManifest, Manifest } from '../../core/project.ts'
import { writeSynced } from './durable-files.ts'
import { isMissing } from './layout.ts'
import { isManifest, isStored } from './manifest-check.ts'
import { FORMAT_VERSION, type ManifestJson, type StoredManifest } from './stored-manifest.ts'

/** The call that makes an index anew, for an error. */
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

function fromJson({ seals, ...rest }: ManifestJson): StoredManifest {
  return { ...rest, checksums: seals }
}

function toJson({ checksums, ...rest }: StoredManifest): ManifestJson {
  return { ...rest, seals: checksums }
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
  return isStored(value) ? fromJson(value) : null
}

/** The error for an index whose manifest says nothing. */
export const damagedManifest = (project: string, what: string, cause?: unknown): FaultlineError =>
  new FaultlineError(
    'INDEX_INCOMPATIBLE',
    `The manifest.json of the index of project ${project} ${what}.`,
    rebuildFix(project),
    { cause },
  )

/**
 * @returns null when there is no such file.
 * @throws {FaultlineError} INDEX_INCOMPATIBLE when it is not a manifest.
 */
export async function readManifestFile(
  path: string,
  project: string,
): Promise<StoredManifest | ForeignManifest | null> {
  let manifest: StoredManifest | ForeignManifest | null
  try {
    manifest = parseManifest(await readFile(path, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return null
    throw damagedManifest(project, 'cannot be read', error)
  }
  if (manifest === null) throw damagedManifest(project, 'is damaged')
  return manifest
}

/** Writes a manifest and flushes it to the disk. */
export async function writeManifestFile(path: string, manifest: StoredManifest): Promise<void> {
  await writeSynced(path, Buffer.from(JSON.stringify(toJson(manifest), null, 2)))
}
