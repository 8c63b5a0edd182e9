import { RecentlyUsed } from '../../core/recently-used.ts'
import type { Definition, Outline } from '../../core/outline.ts'
import type { CatalogueReader } from './catalogue-reader.ts'
import type { ChunkLines } from './chunk-lines.ts'

/** Characters of texts. */
const MAX_TEXT_CHARS = 32 * 1_048_576
/** Scopes and imports; about 100 bytes each. */
const MAX_OUTLINE_ROWS = 131_072
/** About 100 bytes each. */
const MAX_DEFINITIONS = 65_536
/** About 80 bytes each. */
const MAX_CHUNKS = 131_072
/** The most definitions of one name that are returned. */
const MAX_ANSWERS = 200

/**
 * What a catalogue says of contents, by the content's id; what was asked for last is kept unpacked. Nobody may change
 * what he gets.
 */
export class FileContents {
  readonly #catalogue: CatalogueReader
  readonly #texts = new RecentlyUsed<number, string>(MAX_TEXT_CHARS, text => text.length)
  readonly #outlines = new RecentlyUsed<number, { outline: Outline | null }>(
    MAX_OUTLINE_ROWS,
    ({ outline }) => 1 + (outline === null ? 0 : outline.scopes.length + outline.imports.length),
  )
  readonly #chunkLines = new RecentlyUsed<number, readonly ChunkLines[]>(MAX_CHUNKS, chunks => chunks.length + 1)
  readonly #definitions = new RecentlyUsed<string, readonly Definition[]>(
    MAX_DEFINITIONS,
    definitions => definitions.length + 1,
  )

  constructor(catalogue: CatalogueReader) {
    this.#catalogue = catalogue
  }

  text(blob: number): string {
    return this.#texts.get(blob, () => this.#catalogue.text(blob))
  }

  outline(blob: number): Outline | null {
    return this.#outlines.get(blob, () => ({ outline: this.#catalogue.outline(blob) })).outline
  }

  chunkLines(blob: number): readonly ChunkLines[] {
    return this.#chunkLines.get(blob, () => this.#catalogue.chunkLines(blob))
  }

  definitionsOf(name: string): readonly Definition[] {
    return this.#definitions.get(name, () => this.#catalogue.definitionsOf(name, MAX_ANSWERS))
  }
}
