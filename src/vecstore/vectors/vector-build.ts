import { readFile, rm } from 'node:fs/promises'
import type { Manifest } from '../../core/project.ts'
import { CatalogueReader, contentKeyOf, type IndexedFileRow } from '../catalogue/catalogue-reader.ts'
import type { ChunkPlaces } from '../catalogue/chunk-places.ts'
import { checksumOf, sync, writeSynced, type FileChecksum } from '../format/durable-files.ts'
import type { PreviousVectors } from './previous-vectors.ts'
import type { BaseGeneration } from '../format/generation-check.ts'
import { buildHnsw, measureRecall } from './hnsw-build.ts'
import { isScanned } from './hnsw-library.ts'
import type { GenerationPaths } from '../format/layout.ts'
import type { LexicalSegment, TermRows } from '../lexical/lexical-segment.ts'
import type { HnswRecord, SegmentRecord, SpaceGrowth } from '../format/stored-manifest.ts'
import type { SegmentMemory } from '../lexical/segment-memory.ts'
import type { TextSegment } from '../catalogue/text-segments.ts'
import { createVectorFile, VectorFile, type VectorRows, type VectorWriter } from './vector-file.ts'
import { VectorTable } from './vector-table.ts'

/** Vectors that came after the HNSW file was built, or went since, as a share of it: above, it is built anew. */
const MAX_STALE_SHARE = 0.25
/** More vectors than this are not scanned beside it: that takes about 0.5 ms a query. */
const MAX_UNRANKED = 4_000
const FLOAT_BYTES = 4

/** What makes vectors comparable: those of one index all lie in one space. */
export type VectorSpace = Manifest['embedding']

/** What a space was learned as. */
interface LearnedFit {
  bytes: Uint8Array
  /** What it was learned from, where it can be learned from that again. */
  sample: Uint8Array | null
}

/** A segment whose chunks wait for vectors. */
export interface PendingSegment {
  number: number
  /** Ascending; those that are gone included. */
  chunkIds: Uint32Array
  /**
   * The terms of these chunks, in their order. Made when they are looked at, about 15 ms a million, and again after
   * those of another segment were.
   */
  rows(): TermRows
}

/** A chunk with its text. Chunks of one `content` and `chunkIndex` have the same. */
export interface ChunkText {
  chunkId: number
  /** As `contentKeyOf` names it. */
  content: string
  chunkIndex: number
  text: string
}

interface FinishOptions {
  signal?: AbortSignal
  onProgress?: (done: number, total: number) => void
}

interface VectorBuildRequest {
  /** Paths in the folder that is being built now. */
  paths: () => GenerationPaths
  base: BaseGeneration | null
  previous: PreviousVectors | null
  segments: TextSegment[]
  opened: SegmentMemory
  files: readonly IndexedFileRow[]
  places: ChunkPlaces
  lastChunk: number
  chunksTotal: number
  exactBelow: number
  /**
   * The error to throw in place of one that a file met: that the disk is full, or that a later build removed the
   * folder.
   */
  reported: (error: unknown) => unknown
  /** @throws {FaultlineError} DISK_FULL when there is not so much free beside what must stay free. */
  requireFreeSpace: (bytes: number) => Promise<void>
}

/** One segment and its rows are in memory at a time: many would take as much as all vectors. */
function oneAtATime(open: (record: SegmentRecord) => LexicalSegment): (record: SegmentRecord) => TermRows {
  let held: { number: number; lexical: LexicalSegment; rows: TermRows | null } | null = null
  const holding = (record: SegmentRecord) => {
    if (held?.number === record.number) return held
    held = null
    return (held = { number: record.number, lexical: open(record), rows: null })
  }
  const rowsOf = (record: SegmentRecord): TermRows => {
    const one = holding(record)
    return (one.rows ??= one.lexical.chunkRows())
  }
  return record => ({
    documentCount: record.chunks,
    get termCount() {
      return holding(record).lexical.termCount
    },
    get offsets() {
      return rowsOf(record).offsets
    },
    get termIds() {
      return rowsOf(record).termIds
    },
    get counts() {
      return rowsOf(record).counts
    },
    termAt: id => holding(record).lexical.termAt(id),
  })
}

function readVectors(path: string): VectorRows {
  using file = new VectorFile(path)
  return file.read()
}

/**
 * The vectors of a generation that is being built: those of the one before as long as they are of the same space, and
 * what is put to them.
 */
export class VectorBuild {
  readonly #request: VectorBuildRequest
  #space: VectorSpace | null = null
  #growth: SpaceGrowth = { throughChunk: 0, countedThrough: 0, occurrences: 0, unknownOccurrences: 0 }
  #fitChecksum: FileChecksum | null = null
  #hnsw: HnswRecord | null = null
  #annRecall: number | null = null
  #isFinished = false

  constructor(request: VectorBuildRequest) {
    this.#request = request
    const { base, segments } = request
    if (base === null) return
    const { manifest, vectors } = base
    if (manifest.embedding.dimensions === 0 || !vectors.fit) {
      for (const segment of segments) segment.record = { ...segment.record, vectors: null }
      return
    }
    this.#space = manifest.embedding
    this.#growth = manifest.growth
    this.#fitChecksum = manifest.checksums.fit
    this.#hnsw = vectors.hnsw ? manifest.checksums.hnsw : null
    this.#annRecall = this.#hnsw === null ? null : manifest.annRecall
  }

  /** Chunks that are not gone. */
  get chunksTotal(): number {
    return this.#request.chunksTotal
  }
  /** Null while there are no vectors at all. */
  get space(): VectorSpace | null {
    return this.#space
  }
  get growth(): SpaceGrowth {
    return this.#growth
  }
  get records(): SegmentRecord[] {
    return this.#request.segments.map(({ record }) => record)
  }
  get fitChecksum(): FileChecksum | null {
    return this.#fitChecksum
  }
  get hnsw(): HnswRecord | null {
    return this.#hnsw
  }
  /** 1 as well while all is scanned because the graph is not built yet. */
  get annRecall(): number | null {
    return this.#hnsw === null && this.hasAllVectors ? 1 : this.#annRecall
  }
  /** Whether each chunk has its vector, with or without the graph that ranks them. */
  get hasAllVectors(): boolean {
    return this.#space !== null && this.records.every(({ vectors }) => vectors !== null)
  }
  get isComplete(): boolean {
    return this.#isFinished && this.pending().length === 0
  }

  isLive(chunkId: number): boolean {
    return this.#request.places.has(chunkId)
  }

  /** All segments, for learning from them. */
  segments(): PendingSegment[] {
    const { segments, opened, paths } = this.#request
    const rows = oneAtATime(record => opened.open(paths(), record))
    return segments.map(({ record, chunkIds }) => ({ number: record.number, chunkIds, rows: () => rows(record) }))
  }

  pending(): PendingSegment[] {
    const waiting = new Set(this.records.filter(({ vectors }) => vectors === null).map(({ number }) => number))
    return this.segments().filter(({ number }) => waiting.has(number))
  }

  /** What the space was learned as; null when it needs nothing of the kind. */
  async readFit(): Promise<Uint8Array | null> {
    return this.#fitChecksum === null ? null : await this.#guarded(() => readFile(this.#request.paths().fit))
  }

  /**
   * Begins another space: all vectors of the previous one are dropped. @throws {FaultlineError} DISK_FULL, also when
   * those of all chunks would fill the disk.
   */
  async beginSpace(space: VectorSpace, fit: LearnedFit | null): Promise<void> {
    await this.#guarded(() => this.#beginSpace(space, fit))
  }

  async #beginSpace(space: VectorSpace, fit: LearnedFit | null): Promise<void> {
    const { segments, paths, lastChunk, chunksTotal, requireFreeSpace } = this.#request
    await requireFreeSpace((fit?.bytes.length ?? 0) + chunksTotal * (space.dimensions + 1) * FLOAT_BYTES)
    for (const segment of segments) {
      segment.record = { ...segment.record, vectors: null }
      await rm(paths().embedded(segment.record.number), { force: true })
    }
    await this.#dropHnsw()
    for (const path of [paths().fit, paths().sample]) await rm(path, { force: true })
    this.#fitChecksum = fit === null ? null : await writeSynced(paths().fit, fit.bytes)
    if (fit !== null && fit.sample !== null) await writeSynced(paths().sample, fit.sample)
    this.#space = space
    this.#growth = { throughChunk: lastChunk, countedThrough: lastChunk, occurrences: 0, unknownOccurrences: 0 }
  }

  /** Whether the chunk's terms are not counted yet. */
  isNew(chunkId: number): boolean {
    return chunkId > this.#growth.countedThrough
  }

  /** Counts the terms of all chunks that are new, which were put into the space. */
  grow(occurrences: number, unknownOccurrences: number): void {
    const before = this.#growth
    this.#growth = {
      ...before,
      countedThrough: this.#request.lastChunk,
      occurrences: before.occurrences + occurrences,
      unknownOccurrences: before.unknownOccurrences + unknownOccurrences,
    }
  }

  /** Chunks that came after the space was learned and are not gone. */
  newChunks(): number {
    return this.#chunksAfter(this.#growth.throughChunk)
  }

  /**
   * The vectors of a segment, in the order of these chunk ids; they count when `finish` has ended.
   * @throws {RangeError} There is no such segment, or no space yet. @throws {FaultlineError} DISK_FULL, PROJECT_BUSY;
   * what it answers throws them, too.
   */
  async begin(number: number, ids: Uint32Array): Promise<VectorWriter> {
    const segment = this.#request.segments.find(({ record }) => record.number === number)
    if (segment === undefined || this.#space === null) throw new RangeError(`Segment ${number} can have no vectors.`)
    const { dimensions } = this.#space
    const { paths, requireFreeSpace } = this.#request
    const writer = await this.#guarded(async () => {
      await requireFreeSpace(ids.length * (dimensions + 1) * FLOAT_BYTES)
      return await createVectorFile(paths().embedded(number), { dimensions, ids })
    })
    return {
      ...writer,
      append: values => this.#guarded(() => writer.append(values)),
      finish: () =>
        this.#guarded(async () => (segment.record = { ...segment.record, vectors: await writer.finish() }).vectors),
    }
  }

  /**
   * The same for vectors that are there already. @throws {RangeError} When they are not of this space, or not finite.
   */
  async write(number: number, { dimensions, ids, values }: VectorRows): Promise<void> {
    if (dimensions !== this.#space?.dimensions) {
      throw new RangeError(`Vectors of ${dimensions} dimensions do not belong into segment ${number}.`)
    }
    await using writer = await this.begin(number, ids)
    await writer.append(values)
    await writer.finish()
  }

  /** The chunks of a segment that are not gone, with their texts, by ascending id. */
  *texts({ chunkIds }: PendingSegment): Generator<ChunkText> {
    const { files, places } = this.#request
    using catalogue = this.#catalogue()
    let blob = -1
    let text = ''
    let lines: ReturnType<CatalogueReader['chunkLines']> = []
    for (const chunkId of chunkIds) {
      const place = places.find(chunkId)
      const file = place === null ? undefined : files[place.file]
      if (place === null || file === undefined) continue
      if (file.blob !== blob) {
        blob = file.blob
        text = catalogue.text(blob)
        lines = catalogue.chunkLines(blob)
      }
      const { startOffset = 0, endOffset = 0 } = lines[place.chunkIndex] ?? {}
      yield {
        chunkId,
        content: contentKeyOf(file.record),
        chunkIndex: place.chunkIndex,
        text: text.slice(startOffset, endOffset),
      }
    }
  }

  /**
   * The vectors that the generation before had, by content and chunk: for chunks that moved to another file or segment.
   */
  previousVectors(): (content: string, chunkIndex: number) => Float32Array | null {
    const { previous } = this.#request
    if (previous === null || this.#space === null || previous.fitId !== this.#space.fitId) return () => null
    return (content, chunkIndex) => previous.find(content, chunkIndex)
  }

  /**
   * Ranks the vectors where there are enough of them. To be called when none is pending. @throws {FaultlineError}
   * DISK_FULL, PROJECT_BUSY
   */
  async finish(options: FinishOptions = {}): Promise<void> {
    await this.#guarded(() => this.#finish(options))
  }

  async #finish({ signal, onProgress }: FinishOptions): Promise<void> {
    const { chunksTotal, exactBelow, places, lastChunk, paths } = this.#request
    const total = chunksTotal
    if (isScanned(total, exactBelow)) {
      await this.#dropHnsw()
      this.#annRecall = 1
    } else if (this.isGraphDue) {
      await this.#dropHnsw()
      const dimensions = this.#space?.dimensions ?? 0
      const numbers = this.records.map(({ number }) => number)
      const isLive = (id: number) => places.has(id)
      function* tables(): Generator<VectorTable> {
        for (const number of numbers) yield new VectorTable(dimensions, [readVectors(paths().embedded(number))], isLive)
      }
      const index = await buildHnsw(tables(), { dimensions, size: total }, { signal, onProgress })
      await this.#request.requireFreeSpace(index.bytes)
      await index.write(paths().hnsw)
      await sync(paths().hnsw)
      this.#hnsw = { ...(await checksumOf(paths().hnsw)), elements: index.elements, throughChunk: lastChunk }
      this.#annRecall = measureRecall(index, tables, total)
    }
    onProgress?.(total, total)
    this.#isFinished = true
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#request.reported(error)
    }
  }

  #catalogue(): CatalogueReader {
    try {
      return new CatalogueReader(this.#request.paths().catalogue)
    } catch (error) {
      throw this.#request.reported(error)
    }
  }

  /** Whether `finish` builds the graph of nearest neighbours anew, about 0.08 ms a chunk. */
  get isGraphDue(): boolean {
    if (isScanned(this.chunksTotal, this.#request.exactBelow)) return false
    if (this.#hnsw === null) return true
    const { elements, throughChunk } = this.#hnsw
    const unranked = this.#chunksAfter(throughChunk)
    const gone = elements - (this.chunksTotal - unranked)
    return unranked > MAX_UNRANKED || unranked + gone > elements * MAX_STALE_SHARE
  }

  #chunksAfter(throughChunk: number): number {
    return this.#request.files.reduce(
      (sum, { firstChunk, chunks }) => sum + (firstChunk > throughChunk ? chunks : 0),
      0,
    )
  }

  async #dropHnsw(): Promise<void> {
    this.#hnsw = null
    this.#annRecall = null
    await rm(this.#request.paths().hnsw, { force: true })
  }
}
