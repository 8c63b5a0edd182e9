import { constants } from 'node:fs'
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'
import type { IndexedRepository, Manifest } from '../core/project.ts'
import { CatalogueReader, type IndexedFileRow } from './catalogue/catalogue-reader.ts'
import { CatalogueWriter, type BlobContent, type NewFile } from './catalogue/catalogue-writer.ts'
import { ChunkPlaces } from './catalogue/chunk-places.ts'
import type { CountedRows } from './catalogue/row-tokens.ts'
import { checksumOf, linkIfThere, linkOrCopy, sync, unshare, type FileChecksum } from './format/durable-files.ts'
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
import { writeManifestFile } from './format/manifest.ts'
import { FORMAT_VERSION, type SegmentRecord, type StoredManifest } from './format/stored-manifest.ts'
import type { CountedTerms } from './lexical/chunk-terms.ts'
import type { SegmentMemory } from './lexical/segment-memory.ts'
import { TextSegments } from './catalogue/text-segments.ts'
import { VectorBuild } from './vectors/vector-build.ts'

/** The content of a file, and the terms of its chunks where they were counted already. */
export interface FileContent extends BlobContent {
  terms?: CountedTerms
}

/** What a generation holds, as its manifest says it. */
export interface TextContent {
  /** What the vectors will be made with; named while there are none. */
  embedding: Pick<Manifest['embedding'], 'provider' | 'model'>
  chunker: string
  repositories: IndexedRepository[]
}

/**
 * The next generation of a project, being built in a folder of its own, in two phases: files are added and `finishText`
 * makes them searchable by words; then `vectors` is filled, and at last ranked. After each phase `publish` may be
 * called. Nothing is visible before it, and after a kill at any instant either the old generation or the whole new one
 * is published. Disposing of the builder removes what was not published.
 */
export interface GenerationBuilder extends AsyncDisposable {
  readonly catalogue: CatalogueWriter
  /** @throws {FaultlineError} DISK_FULL when less is free than an index may be begun with. */
  requireFreeSpace(): Promise<void>
  /**
   * Adds a file to the catalogue and its chunks to the text index: about 30 MB of code a second. @throws
   * {FaultlineError} DISK_FULL
   */
  addFile(file: NewFile, content: FileContent): Promise<void>
  /** Ends the first phase; no file can be added afterwards. @throws {FaultlineError} DISK_FULL */
  finishText(content: TextContent): Promise<VectorBuild>
  /**
   * Where the catalogue lies until the next `publish`, for reading it; once the first phase has ended.
   */
  readonly cataloguePath: string
  /**
   * Puts in the tokens of contents that were added without; after the first phase.
   *
   * @returns Whether there was room for a copy of the catalogue. Else nothing was changed: answers need no counts, and
   * the next build makes up for them.
   * @throws {FaultlineError} DISK_FULL
   */
  putRowTokens(counted: Iterable<CountedRows>): Promise<boolean>
  /**
   * Makes what is there the project's generation: with all its vectors `ready`, else `lexical_ready`. Vectors that are
   * not ranked yet are scanned.
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

interface TextState extends Pick<StoredManifest, 'filesIndexed' | 'chunksTotal' | 'languages' | 'contents'> {
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
  if (manifest.checksums.fit !== null && vectors.fit) {
    await linkOrCopy(from.fit, to.fit)
    await linkIfThere(from.sample, to.sample)
  }
  if (manifest.checksums.hnsw !== null && vectors.hnsw) await linkOrCopy(from.hnsw, to.hnsw)
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

/** The place of the next generation: a folder that is removed unless it was published. */
class NextGeneration implements AsyncDisposable {
  readonly #projectDir: string
  /** The generation that is published, as far as this build knows. */
  #current: number | null
  #number: number
  #paths: GenerationPaths

  private constructor(projectDir: string, current: number | null, number: number) {
    this.#projectDir = projectDir
    this.#current = current
    this.#number = number
    this.#paths = unfinishedPaths(projectDir, number)
  }

  static async after(projectDir: string): Promise<NextGeneration> {
    const current = await readCurrent(projectDir)
    const [newest = 0] = await listGenerations(projectDir)
    return new NextGeneration(projectDir, current, Math.max(current ?? 0, newest) + 1)
  }

  get number(): number {
    return this.#number
  }

  get paths(): GenerationPaths {
    return this.#paths
  }

  async makeFolder(): Promise<void> {
    await mkdir(this.#paths.segments, { recursive: true, mode: 0o700 })
  }

  async isOvertaken(): Promise<boolean> {
    return (await readCurrent(this.#projectDir)) !== this.#current
  }

  /** Makes the folder the published generation and removes older ones. What follows is the next generation again. */
  async publish(): Promise<GenerationPaths> {
    const published = generationPaths(this.#projectDir, this.#number)
    await rename(this.#paths.folder, published.folder)
    await sync(this.#projectDir)
    await writeCurrent(this.#projectDir, this.#number)
    const older = (await listGenerations(this.#projectDir)).filter(other => other < this.#number)
    await removeGenerations(this.#projectDir, older)
    this.#current = this.#number++
    return published
  }

  /** Begins another folder, with the files of the one that was just published. */
  async copyOf(published: GenerationPaths, manifest: StoredManifest): Promise<void> {
    const next = unfinishedPaths(this.#projectDir, this.#number)
    await mkdir(next.segments, { recursive: true, mode: 0o700 })
    await linkOrCopy(published.catalogue, next.catalogue)
    const whole = {
      segments: new Set(manifest.segments.flatMap(({ number, vectors }) => (vectors === null ? [] : [number]))),
      fit: true,
      hnsw: true,
    }
    await linkFiles({ manifest, paths: published, vectors: whole }, next)
    this.#paths = next
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#paths.folder, { recursive: true, force: true })
  }
}

/** Everything that a builder has open. */
interface BuilderParts {
  next: NextGeneration
  text: TextSegments
  catalogue: CatalogueWriter
  previous: PreviousVectors | null
  open: AsyncDisposableStack
}

class Builder implements GenerationBuilder {
  readonly #request: BuildRequest
  readonly #parts: BuilderParts
  #state: TextState | null = null

  constructor(request: BuildRequest, parts: BuilderParts) {
    this.#request = request
    this.#parts = parts
  }

  get catalogue(): CatalogueWriter {
    return this.#parts.catalogue
  }

  async requireFreeSpace(bytes = 0): Promise<void> {
    const { projectDir, minFreeBytes } = this.#request
    await requireFreeSpace(projectDir, minFreeBytes + bytes)
  }

  async addFile(file: NewFile, content: FileContent): Promise<void> {
    await this.#guarded(async () => {
      const { id, firstChunk } = this.catalogue.addFile(file, content)
      const { text: segments } = this.#parts
      const { text, terms, chunks } = content
      for (const [i, { startOffset, endOffset }] of chunks.entries()) {
        const place = { chunkId: firstChunk + i, fileId: id }
        if (terms !== undefined) await segments.addCounted(place, terms, i)
        else await segments.add({ ...place, path: file.path, text: text.slice(startOffset, endOffset) })
      }
    })
  }

  async finishText(content: TextContent): Promise<VectorBuild> {
    return await this.#guarded(() => this.#finishText(content))
  }

  get cataloguePath(): string {
    return this.#parts.next.paths.catalogue
  }

  async putRowTokens(counted: Iterable<CountedRows>): Promise<boolean> {
    const { size } = await stat(this.cataloguePath)
    try {
      await this.requireFreeSpace(size)
    } catch (error) {
      if (error instanceof FaultlineError && error.code === 'DISK_FULL') return false
      throw error
    }
    await this.#guarded(() => this.#putRowTokens(counted))
    return true
  }

  async publish(): Promise<StoredManifest> {
    return await this.#guarded(() => this.#publish())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.open.disposeAsync()
  }

  async #finishText(content: TextContent): Promise<VectorBuild> {
    const { base, exactBelow, opened } = this.#request
    const { catalogue, next, previous, text } = this.#parts
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
    const { paths } = next
    const catalogueChecksum = syncedChecksumOf(paths.catalogue) // the disk works meanwhile
    catalogueChecksum.catch(() => {}) // `publish` reports it
    const files = filesIn(paths.catalogue)
    const places = new ChunkPlaces(files)
    const segments = await text.finish(id => places.has(id))
    const kept = segments.map(({ record }) => record.number)
    await removeOthers(paths, kept)
    const vectors = new VectorBuild({
      paths: () => next.paths,
      base,
      previous,
      segments,
      opened,
      files,
      places,
      lastChunk,
      chunksTotal,
      exactBelow,
      reported: error => this.#reported(error),
      requireFreeSpace: bytes => this.requireFreeSpace(bytes),
    })
    this.#state = { content, filesIndexed, chunksTotal, languages, contents, vectors, catalogueChecksum }
    return vectors
  }

  async #putRowTokens(counted: Iterable<CountedRows>): Promise<void> {
    const state = this.#textState()
    await state.catalogueChecksum // it was read whole
    const path = this.cataloguePath
    await unshare(path)
    using writer = new CatalogueWriter(path, { isNew: false })
    writer.putRowTokens(counted)
    writer.finish()
    state.catalogueChecksum = syncedChecksumOf(path)
    state.catalogueChecksum.catch(() => {}) // `publish` reports it
  }

  #textState(): TextState {
    if (this.#state === null) throw new Error('The text of a generation must be finished first.')
    return this.#state
  }

  async #publish(): Promise<StoredManifest> {
    const state = this.#textState()
    const { next } = this.#parts
    const { paths } = next
    const manifest = await this.#manifest(state)
    await writeManifestFile(paths.manifest, manifest)
    await sync(paths.segments)
    await sync(paths.folder)
    if (await next.isOvertaken()) throw overtaken(this.#request.project)
    const published = await next.publish()
    if (!state.vectors.isComplete) await next.copyOf(published, manifest)
    return manifest
  }

  async #manifest({ vectors, content, catalogueChecksum, ...counts }: TextState): Promise<StoredManifest> {
    const { embedding, chunker, repositories } = content
    const noSpace = { provider: embedding.provider, model: embedding.model, dimensions: 0, fitId: '' }
    return {
      formatVersion: FORMAT_VERSION,
      generation: this.#parts.next.number,
      publishedAt: this.#request.now().toISOString(),
      indexState: vectors.hasAllVectors ? 'ready' : 'lexical_ready',
      embedding: vectors.space ?? noSpace,
      annRecall: vectors.annRecall,
      chunker,
      repositories,
      ...counts,
      growth: vectors.growth,
      segments: vectors.records,
      checksums: { catalogue: await catalogueChecksum, fit: vectors.fitChecksum, hnsw: vectors.hnsw },
    }
  }

  /** The error to throw in place of one that a file met; a later build removes the folders of earlier ones. */
  #reported(error: unknown): unknown {
    return isMissing(error) ? overtaken(this.#request.project, error) : asDiskFull(error)
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#reported(error)
    }
  }
}

async function copyCatalogue(base: BaseGeneration | null, paths: GenerationPaths): Promise<CatalogueWriter> {
  if (base !== null) {
    await copyFile(base.paths.catalogue, paths.catalogue, constants.COPYFILE_FICLONE)
    await linkFiles(base, paths)
  }
  return new CatalogueWriter(paths.catalogue, { isNew: base === null })
}

/** The segments of a base, without the vectors that are not whole. */
function wholeSegments({ manifest, vectors }: BaseGeneration): SegmentRecord[] {
  return manifest.segments.map(segment =>
    vectors.segments.has(segment.number) ? segment : { ...segment, vectors: null },
  )
}

/** Begins the generation after those that a project has. @throws {FaultlineError} DISK_FULL */
export async function createGenerationBuilder(request: BuildRequest): Promise<GenerationBuilder> {
  const { projectDir, base, opened: memory } = request
  await using opened = new AsyncDisposableStack()
  const next = opened.use(await NextGeneration.after(projectDir))
  await next.makeFolder()
  const text = new TextSegments(next.paths, memory)
  const catalogue = opened.use(await reportingFullDisk(() => copyCatalogue(base, next.paths)))
  const previous = base === null ? null : opened.use(new PreviousVectors(base))
  if (base !== null) text.open(wholeSegments(base))
  return new Builder(request, { next, text, catalogue, previous, open: opened.move() })
}
