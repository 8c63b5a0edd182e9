import { constants } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'
import type { IndexedRepository, Manifest } from '../core/project.ts'
import { CatalogueReader, type IndexedFileRow } from './catalogue/catalogue-reader.ts'
import { CatalogueWriter, type BlobContent, type NewFile } from './catalogue/catalogue-writer.ts'
import { ChunkPlaces } from './catalogue/chunk-places.ts'
import { linkOrCopy, checksumOf, sync, writeSynced, type FileChecksum } from './format/durable-files.ts'
import { asDiskFull, reportingFullDisk, requireFreeSpace } from './format/full-disk.ts'
import { PreviousVectors } from './vectors/previous-vectors.ts'
import type { BaseGeneration } from './format/generation-check.ts'
import {
  entriesOf,
  generationPaths,
  isMissing,
  listGenerations,
  readCurrent,
  removeGenerations,
  unfinishedPaths,
  writeCurrent,
  type GenerationPaths,
} from './format/layout.ts'
import { FORMAT_VERSION, type StoredManifest } from './format/stored-manifest.ts'
import type { SegmentMemory } from './lexical/segment-memory.ts'
import { TextSegments } from './catalogue/text-segments.ts'
import { VectorBuild } from './vectors/vector-build.ts'

export interface TextContent {
  /** What the vectors will be made with; named while there are none. */
  embedding: Pick<Manifest['embedding'], 'provider' | 'model'>
  chunker: string
  repositories: IndexedRepository[]
}

/**
 * The next generation of a project, being built in a folder of its own, in two phases: files are added and `finishText`
 * makes them searchable by words; then `vectors` is filled. After each phase `publish` may be called. Nothing is
 * visible before it, and after a kill at any instant either the old generation or the whole new one is published.
 * Disposing of the builder removes what was not published.
 */
export interface GenerationBuilder extends AsyncDisposable {
  readonly catalogue: CatalogueWriter
  /** @throws {FaultlineError} DISK_FULL when less is free than an index may be begun with. */
  requireFreeSpace(): Promise<void>
  /**
   * Adds a file to the catalogue and its chunks to the text index: about 30 MB of code a second. @throws
   * {FaultlineError} DISK_FULL
   */
  addFile(file: NewFile, content: BlobContent): Promise<void>
  /** Ends the first phase; no file can be added afterwards. @throws {FaultlineError} DISK_FULL */
  finishText(content: TextContent): Promise<VectorBuild>
  /**
   * Makes what is there the project's generation: with all its vectors `ready`, else `lexical_ready`.
   * @throws {FaultlineError} DISK_FULL; PROJECT_BUSY when another build was begun meanwhile.
   */
  publish(): Promise<StoredManifest>
}

interface BuildRequest {
  project: string
  projectDir: string
  /** The generation to start from; null to start empty. */
  base: BaseGeneration | null
  minFreeBytes: number
  /** Number of chunks below which vectors are searched by exact scan. */
  exactBelow: number
  opened: SegmentMemory
  now: () => Date
}

type TextState = Pick<StoredManifest, 'filesIndexed' | 'chunksTotal' | 'languages' | 'contents'> & {
  content: TextContent
  vectors: VectorBuild
  catalogueChecksum: Promise<FileChecksum>
}

/** All files of a generation but its catalogue, those that are damaged left out. */
async function linkFiles({ manifest, paths: from, vectors }: BaseGeneration, to: GenerationPaths): Promise<void> {
  for (const { number, vectors: embedded } of manifest.segments) {
    await linkOrCopy(from.lexical(number), to.lexical(number))
    if (embedded !== null && vectors.segments.has(number)) await linkOrCopy(from.embedded(number), to.embedded(number))
  }
  if (manifest.seals.fit !== null && vectors.fit) await linkOrCopy(from.fit, to.fit)
  if (manifest.seals.hnsw !== null && vectors.hnsw) await linkOrCopy(from.hnsw, to.hnsw)
}

/** Segments that were merged are linked in the folder but no part of the generation. */
async function removeOthers({ segments, lexical, embedded }: GenerationPaths, kept: readonly number[]): Promise<void> {
  const wanted = new Set(kept.flatMap(number => [basename(lexical(number)), basename(embedded(number))]))
  for (const name of await entriesOf(segments)) if (!wanted.has(name)) await rm(join(segments, name), { force: true })
}

async function syncedChecksumOf(path: string): Promise<FileChecksum> {
  const [checksum] = await Promise.all([checksumOf(path), sync(path)])
  return checksum
}

function filesIn(cataloguePath: string): readonly IndexedFileRow[] {
  using reader = new CatalogueReader(cataloguePath)
  return reader.files()
}

function overtaken(project: string, cause?: unknown): FaultlineError {
  return new FaultlineError(
    'PROJECT_BUSY',
    `Another index of project ${project} was begun while this one was being built.`,
    'Send the request again.',
    { cause },
  )
}

export async function createGenerationBuilder(request: BuildRequest): Promise<GenerationBuilder> {
  const { project, projectDir, base, minFreeBytes, exactBelow, opened: memory, now } = request
  let current = await readCurrent(projectDir)
  let generation = Math.max(current ?? 0, (await listGenerations(projectDir))[0] ?? 0) + 1
  let paths = unfinishedPaths(projectDir, generation)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rm(paths.folder, { recursive: true, force: true }))
  await mkdir(paths.segments, { recursive: true, mode: 0o700 })
  const text = new TextSegments(paths, memory)
  const catalogue = opened.use(
    await reportingFullDisk(async () => {
      if (base !== null) {
        await copyFile(base.paths.catalogue, paths.catalogue, constants.COPYFILE_FICLONE)
        await linkFiles(base, paths)
      }
      return new CatalogueWriter(paths.catalogue, { isNew: base === null })
    }),
  )
  const previous = base === null ? null : opened.use(new PreviousVectors(base))
  if (base !== null) {
    text.open(
      base.manifest.segments.map(segment =>
        base.vectors.segments.has(segment.number) ? segment : { ...segment, vectors: null },
      ),
    )
  }
  let state: TextState | null = null

  async function finishText(content: TextContent): Promise<VectorBuild> {
    catalogue.dropRetired()
    const { files: filesIndexed, chunks: chunksTotal } = catalogue.counts()
    const languages = catalogue.languages()
    const contents = content.repositories.map(({ repository }) => ({
      repository,
      chunksTotal: catalogue.chunksIn(repository),
      languages: catalogue.languages(repository),
    }))
    const lastChunk = catalogue.lastChunkId
    catalogue.finish()
    const catalogueChecksum = syncedChecksumOf(paths.catalogue) // the disk works meanwhile
    catalogueChecksum.catch(() => {}) // `publish` reports it
    const files = filesIn(paths.catalogue)
    const places = new ChunkPlaces(files)
    const segments = await text.finish(id => places.has(id))
    await removeOthers(
      paths,
      segments.map(({ record }) => record.number),
    )
    const vectors = new VectorBuild({
      paths: () => paths,
      base,
      previous,
      segments,
      opened: memory,
      files,
      places,
      lastChunk,
      chunksTotal,
      exactBelow,
      reported,
      requireFreeSpace: bytes => requireFreeSpace(projectDir, minFreeBytes + bytes),
    })
    state = { content, filesIndexed, chunksTotal, languages, contents, vectors, catalogueChecksum }
    return vectors
  }

  async function publish(): Promise<StoredManifest> {
    if (state === null) throw new Error('The text of a generation must be finished before it is published.')
    const {
      vectors,
      content: { embedding, ...content },
      catalogueChecksum,
      ...counts
    } = state
    const manifest: StoredManifest = {
      formatVersion: FORMAT_VERSION,
      generation,
      publishedAt: now().toISOString(),
      indexState: vectors.isComplete ? 'ready' : 'lexical_ready',
      embedding:
        vectors.space === null
          ? { provider: embedding.provider, model: embedding.model, dimensions: 0, fitId: '' }
          : vectors.space,
      annRecall: vectors.annRecall,
      ...content,
      ...counts,
      growth: vectors.growth,
      segments: vectors.records,
      seals: { catalogue: await catalogueChecksum, fit: vectors.fitChecksum, hnsw: vectors.hnsw },
    }
    await writeSynced(paths.manifest, Buffer.from(JSON.stringify(manifest, null, 2)))
    await sync(paths.segments)
    await sync(paths.folder)
    if ((await readCurrent(projectDir)) !== current) throw overtaken(project)
    const published = generationPaths(projectDir, generation)
    await rename(paths.folder, published.folder)
    await sync(projectDir)
    await writeCurrent(projectDir, generation)
    await removeGenerations(
      projectDir,
      (await listGenerations(projectDir)).filter(other => other < generation),
    )
    current = generation++
    if (!vectors.isComplete) paths = await folderAfter(published, manifest)
    return manifest
  }

  /** The next folder, with the files of the one that was just published. */
  async function folderAfter(published: GenerationPaths, manifest: StoredManifest): Promise<GenerationPaths> {
    const next = unfinishedPaths(projectDir, generation)
    await mkdir(next.segments, { recursive: true, mode: 0o700 })
    await linkOrCopy(published.catalogue, next.catalogue)
    const whole = {
      segments: new Set(manifest.segments.flatMap(({ number, vectors }) => (vectors === null ? [] : [number]))),
      fit: true,
      hnsw: true,
    }
    await linkFiles({ manifest, paths: published, vectors: whole }, next)
    return next
  }

  /** A later build removes the folders of earlier ones. */
  const reported = (error: unknown): unknown => (isMissing(error) ? overtaken(project, error) : asDiskFull(error))

  async function unlessOvertaken<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw reported(error)
    }
  }

  const open = opened.move()
  return {
    catalogue,
    requireFreeSpace: () => requireFreeSpace(projectDir, minFreeBytes),
    addFile: (file, content) =>
      unlessOvertaken(async () => {
        const { id, firstChunk } = catalogue.addFile(file, content)
        for (const [i, { startOffset, endOffset }] of content.chunks.entries()) {
          await text.add({
            chunkId: firstChunk + i,
            fileId: id,
            path: file.path,
            text: content.text.slice(startOffset, endOffset),
          })
        }
      }),
    finishText: content => unlessOvertaken(() => finishText(content)),
    publish: () => unlessOvertaken(publish),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
