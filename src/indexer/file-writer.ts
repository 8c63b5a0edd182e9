import type { Embedder } from '../embedding/embedder.ts'
import type { CatalogueWriter, EmbeddedChunk, KnownBlob } from '../vecstore/catalogue-writer.ts'
import type { Chunker, LineRange } from './chunker.ts'
import type { PhaseClock } from './phase-clock.ts'

const BATCH_FILES = 64
const BATCH_CHARS = 4 * 1_048_576
/** Written between two looks at the disk: about 20 MB. */
const CHUNKS_PER_LOOK = 2_000

interface SourceFile { repository: string, path: string, language: string, oid: string, text: string }

/** The embedder answered in another space than the one the index began in; the index must be built from the start. */
export class FitChangedError extends Error {}

export interface Space { fitId: string, dimensions: number }

interface FileWriterDeps {
  catalogue: CatalogueWriter
  /** Throws when the disk is nearly full; asked now and then. */
  requireFreeSpace: () => Promise<void>
  chunker: Chunker
  embedder: Embedder
  clock: PhaseClock
  /** The space of the vectors that are there already; null in an empty index. */
  space: Space | null
  onWritten: (files: number) => void
  signal?: AbortSignal
}

/** Cuts, embeds and writes files in batches, which bounds what is in memory at a time. Call `flush` after the last file. */
export class FileWriter {
  readonly #deps: FileWriterDeps
  #batch: Array<SourceFile & { ranges: LineRange[] }> = []
  #batchChars = 0
  #space: Space | null
  #chunksWritten = 0
  #chunksAtLook = 0

  constructor (deps: FileWriterDeps) {
    this.#deps = deps
    this.#space = deps.space
  }

  /** The space of all vectors; null while there is none. */
  get space (): Space | null { return this.#space }

  get chunksWritten (): number { return this.#chunksWritten }

  /** @returns The number of its chunks, or null when these are more than `room` and the file is left out. @throws As `flush`. */
  async write (file: SourceFile, room = Infinity): Promise<number | null> {
    const { chunker, clock } = this.#deps
    const ranges = clock.measure('chunk', () => chunker.chunk(file.text, file.language))
    if (ranges.length > room) return null
    this.#batch.push({ ...file, ranges })
    this.#batchChars += file.text.length
    if (this.#batch.length >= BATCH_FILES || this.#batchChars >= BATCH_CHARS) await this.flush()
    return ranges.length
  }

  /** Writes a file whose blob is in the catalogue already: nothing is cut or embedded again. Otherwise as `write`. */
  async writeKnown (file: Omit<SourceFile, 'text'>, { text, lines, chunks }: KnownBlob, room: number): Promise<number | null> {
    const { catalogue, clock, onWritten } = this.#deps
    if (chunks.length > room) return null
    await this.#lookAtDisk()
    clock.measure('store', () => catalogue.addFile({ ...file, lines }, text, chunks))
    this.#chunksWritten += chunks.length
    onWritten(1)
    return chunks.length
  }

  /** @throws {FitChangedError} @throws {FaultlineError} DISK_FULL */
  async flush (): Promise<void> {
    const { embedder, clock, catalogue, signal, onWritten } = this.#deps
    const files = this.#batch
    if (files.length === 0) return
    this.#batch = []
    this.#batchChars = 0
    signal?.throwIfAborted()
    await this.#lookAtDisk()
    const texts = files.flatMap(({ text, ranges }) => ranges.map(({ startOffset, endOffset }) => text.slice(startOffset, endOffset)))
    const vectors = texts.length === 0 ? [] : await clock.measureAsync('embed', () => this.#embed(embedder, texts, signal))
    let used = 0
    clock.measure('store', () => {
      for (const { ranges, text, ...file } of files) {
        const chunks = ranges.map((range, j): EmbeddedChunk => ({ ...range, vector: vectors[used + j] ?? missingVector() }))
        used += ranges.length
        catalogue.addFile({ ...file, lines: ranges.at(-1)?.endLine ?? 0 }, text, chunks)
      }
    })
    this.#chunksWritten += used
    onWritten(files.length)
  }

  async #lookAtDisk (): Promise<void> {
    if (this.#chunksWritten - this.#chunksAtLook < CHUNKS_PER_LOOK) return
    this.#chunksAtLook = this.#chunksWritten
    await this.#deps.requireFreeSpace()
  }

  async #embed (embedder: Embedder, texts: string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const { vectors, fitId } = await embedder.embed(texts, signal)
    const dimensions = vectors[0]?.length ?? 0
    if (vectors.length !== texts.length || dimensions === 0 || vectors.some(vector => vector.length !== dimensions || !vector.every(Number.isFinite))) {
      throw new Error(`The embedder ${embedder.model} answered ${vectors.length} vectors of ${dimensions} dimensions for ${texts.length} texts, or some that are not finite.`)
    }
    this.#space ??= { fitId, dimensions }
    if (this.#space.fitId !== fitId || this.#space.dimensions !== dimensions) throw new FitChangedError(`${this.#space.fitId} became ${fitId}`)
    return vectors
  }
}

function missingVector (): never {
  throw new Error('A chunk has no vector.')
}
