import type { GenerationBuilder } from '../vecstore/generation-builder.ts'
import type { CatalogueWriter } from '../vecstore/catalogue/catalogue-writer.ts'
import { makeContent, type ContentTools, type MadeContent, type SourceText } from './make-contents.ts'
import type { PhaseClock } from './phase-clock.ts'

/** Written between two looks at the disk: about 5 MB. */
const CHUNKS_PER_LOOK = 2_000

interface SourceFile extends SourceText {
  repository: string
  oid: string
}

type KnownBlob = NonNullable<ReturnType<CatalogueWriter['knownBlob']>>

interface FileWriterDeps extends ContentTools {
  builder: Pick<GenerationBuilder, 'addFile' | 'requireFreeSpace'>
  clock: PhaseClock
  onWritten: (files: number) => void
}

/** Outlines, cuts, counts and writes one file at a time. */
export class FileWriter {
  readonly #deps: FileWriterDeps
  #chunksWritten = 0
  #chunksAtLook = 0

  constructor(deps: FileWriterDeps) {
    this.#deps = deps
  }

  get chunksWritten(): number {
    return this.#chunksWritten
  }

  /**
   * @returns The number of its chunks, or null when these are more than `room` and the file is left out. @throws
   * {FaultlineError} DISK_FULL
   */
  async write(file: SourceFile, room = Infinity): Promise<number | null> {
    return await this.writeMade(file, this.make(file), room)
  }

  /** What is to be written of a text, made in this thread. */
  make(source: SourceText, { countsLater = false } = {}): MadeContent {
    return this.#deps.clock.measure('chunk', () => makeContent(source, { ...this.#deps, countsLater }))
  }

  /** Writes a file whose content was made before. Otherwise as `write`. */
  async writeMade({ text, ...file }: SourceFile, made: MadeContent, room: number): Promise<number | null> {
    return await this.#write({ ...file, lines: made.chunks.at(-1)?.endLine ?? 0 }, { text, ...made }, room)
  }

  /** Writes a file whose content is in the catalogue already: it is not outlined or cut again. Otherwise as `write`. */
  async writeKnown(
    file: Omit<SourceFile, 'text'>,
    { lines, ...content }: KnownBlob,
    room: number,
  ): Promise<number | null> {
    return await this.#write({ ...file, lines }, content, room)
  }

  async #write(
    ...[file, content, room]: [...Parameters<GenerationBuilder['addFile']>, number]
  ): Promise<number | null> {
    const { builder, clock, onWritten } = this.#deps
    const { length } = content.chunks
    if (length > room) return null
    if (this.#chunksWritten - this.#chunksAtLook >= CHUNKS_PER_LOOK) {
      this.#chunksAtLook = this.#chunksWritten
      await builder.requireFreeSpace()
    }
    await clock.measureAsync('store', () => builder.addFile(file, content))
    this.#chunksWritten += length
    onWritten(1)
    return length
  }
}
