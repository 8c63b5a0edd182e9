import type { GenerationBuilder } from '../vecstore/generation-builder.ts'
import type { CatalogueWriter } from '../vecstore/catalogue/catalogue-writer.ts'
import type { Chunker } from './chunker.ts'
import { outlineOf } from '../outline/outline.ts'
import type { PhaseClock } from './phase-clock.ts'

/** Written between two looks at the disk: about 5 MB. */
const CHUNKS_PER_LOOK = 2_000

interface SourceFile {
  repository: string
  path: string
  language: string
  oid: string
  text: string
}

type KnownBlob = NonNullable<ReturnType<CatalogueWriter['knownBlob']>>

interface FileWriterDeps {
  builder: Pick<GenerationBuilder, 'addFile' | 'requireFreeSpace'>
  chunker: Chunker
  /** What the resolver wants to know of each line; nothing without it. */
  countRows?: (text: string) => Uint8Array
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
  async write({ text, ...file }: SourceFile, room = Infinity): Promise<number | null> {
    const { chunker, countRows, clock } = this.#deps
    const content = clock.measure('chunk', () => {
      const outline = outlineOf(text, file.language)
      return {
        text,
        outline,
        chunks: chunker.chunk(text, file.language, outline),
        rowTokens: countRows?.(text) ?? null,
      }
    })
    return await this.#write({ ...file, lines: content.chunks.at(-1)?.endLine ?? 0 }, content, room)
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
