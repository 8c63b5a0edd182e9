import { constants } from 'node:fs'
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { FaultlineError } from '../core/errors.ts'
import type { IndexedRepository, Manifest } from '../core/project.ts'
import { CatalogueWriter } from './catalogue-writer.ts'
import { reportingFullDisk, requireFreeSpace, sealOf, sync } from './disk.ts'
import { readVectorIndex, wholeManifest } from './generation-reader.ts'
import { generationPaths, isMissing, listGenerations, readCurrent, removeGenerations, unfinishedPaths, writeCurrent, type GenerationPaths } from './layout.ts'
import { FORMAT_VERSION, type StoredManifest } from './manifest.ts'
import { VectorIndex } from './vector-index.ts'

/** Points added between two looks at the signal: about 100 ms. */
const POINTS_PER_TURN = 200
/** An index in which more points than this share are marked as deleted is built anew. */
const MAX_DELETED_SHARE = 0.25

export interface PublishedContent {
  embedding: Manifest['embedding']
  chunker: string
  repositories: IndexedRepository[]
}

export interface PublishOptions { signal?: AbortSignal, onProgress?: (done: number, total: number) => void }

/**
 * The next generation of a project, being built in a folder of its own. Nothing of it is visible before `publish`, and after a kill at
 * any instant either the old generation or the whole new one is published. Disposing of it without publishing removes it.
 */
export interface GenerationBuilder extends AsyncDisposable {
  readonly generation: number
  readonly catalogue: CatalogueWriter
  /** @throws {FaultlineError} DISK_FULL when less is free than an index may be begun with. */
  requireFreeSpace (): Promise<void>
  /**
   * Builds the vector index, syncs all files, and makes this the project's generation. Blocks the thread about 0.5 ms for each new chunk.
   * @throws {FaultlineError} DISK_FULL; PROJECT_BUSY when another build was begun meanwhile.
   */
  publish (content: PublishedContent, options?: PublishOptions): Promise<StoredManifest>
}

interface BuildRequest {
  project: string
  projectDir: string
  /** The generation to start from; null to start empty. */
  base: GenerationPaths | null
  minFreeBytes: number
  now: () => Date
}

export async function createGenerationBuilder ({ project, projectDir, base, minFreeBytes, now }: BuildRequest): Promise<GenerationBuilder> {
  const current = await readCurrent(projectDir)
  const generation = Math.max(current ?? 0, (await listGenerations(projectDir))[0] ?? 0) + 1
  const paths = unfinishedPaths(projectDir, generation)
  await mkdir(paths.folder, { mode: 0o700 })
  const catalogue = await reportingFullDisk(async () => {
    if (base !== null) await copyFile(base.catalogue, paths.catalogue, constants.COPYFILE_FICLONE)
    return new CatalogueWriter(paths.catalogue, { isNew: base === null })
  })
  const lastOldChunk = catalogue.lastChunkId()

  async function seal (content: PublishedContent, options: PublishOptions): Promise<StoredManifest> {
    const removed = catalogue.dropRetired()
    const { files, chunks } = catalogue.counts()
    const dimensions = content.embedding.dimensions
    const reused = base === null ? null : await reusableIndex(base, { project, dimensions, removed, chunks })
    const index = reused ?? VectorIndex.create(dimensions, chunks)
    await addVectors(index, catalogue, { afterId: reused === null ? 0 : lastOldChunk, total: chunks - index.live, ...options })
    if (index.live !== chunks) throw new Error(`The vector index holds ${index.live} points for ${chunks} chunks.`)
    const languages = catalogue.languages()
    const contents = content.repositories.map(({ repository }) => ({ repository, chunksTotal: catalogue.chunksIn(repository), languages: catalogue.languages(repository) }))
    catalogue.finish()
    await index.write(paths.vectors)
    await Promise.all([sync(paths.catalogue), sync(paths.vectors)])
    const [catalogueSeal, vectorsSeal] = await Promise.all([sealOf(paths.catalogue), sealOf(paths.vectors)])
    return {
      formatVersion: FORMAT_VERSION,
      generation,
      publishedAt: now().toISOString(),
      ...content,
      filesIndexed: files,
      chunksTotal: chunks,
      languages,
      contents,
      seals: { catalogue: catalogueSeal, vectors: { ...vectorsSeal, dimensions, elements: index.elements, live: index.live } },
    }
  }

  return {
    generation,
    catalogue,
    requireFreeSpace: () => requireFreeSpace(projectDir, minFreeBytes),
    publish: (content, options = {}) => reportingFullDisk(async () => {
      try {
        const manifest = await seal(content, options)
        await writeFile(paths.manifest, JSON.stringify(manifest, null, 2), { mode: 0o600, flush: true })
        await sync(paths.folder)
        options.signal?.throwIfAborted()
        if (await readCurrent(projectDir) !== current) throw overtaken(project)
        await rename(paths.folder, generationPaths(projectDir, generation).folder)
        await sync(projectDir)
        await writeCurrent(projectDir, generation)
        await removeGenerations(projectDir, (await listGenerations(projectDir)).filter(other => other < generation))
        return manifest
      } catch (error) {
        throw isMissing(error) ? overtaken(project, error) : error // a later build removes the folders of earlier ones
      }
    }),
    async [Symbol.asyncDispose] () {
      catalogue[Symbol.dispose]()
      await rm(paths.folder, { recursive: true, force: true })
    },
  }
}

function overtaken (project: string, cause?: unknown): FaultlineError {
  return new FaultlineError('PROJECT_BUSY', `Another index of project ${project} was begun while this one was being built.`, 'Send the request again.', { cause })
}

/** The base's index without the removed points, or null when a new one is the better or the only way. */
async function reusableIndex (base: GenerationPaths, { project, dimensions, removed, chunks }: { project: string, dimensions: number, removed: number[], chunks: number }): Promise<VectorIndex | null> {
  const manifest = await wholeManifest(base, project)
  if ('unreadable' in manifest || manifest.embedding.dimensions !== dimensions) return null
  const { elements, live } = manifest.seals.vectors
  if (elements - live + removed.length > elements * MAX_DELETED_SHARE) return null
  const index = await readVectorIndex(base, manifest)
  if (index === null) return null
  for (const id of removed) index.remove(id)
  index.reserve(chunks - index.live)
  return index
}

async function addVectors (index: VectorIndex, catalogue: CatalogueWriter, { afterId, total, signal, onProgress }: PublishOptions & { afterId: number, total: number }): Promise<void> {
  let done = 0
  for (const { id, vector } of catalogue.vectorsAfter(afterId)) {
    index.add(id, vector)
    if (++done % POINTS_PER_TURN === 0) {
      onProgress?.(done, total)
      await setImmediate()
      signal?.throwIfAborted()
    }
  }
  onProgress?.(done, total)
}
