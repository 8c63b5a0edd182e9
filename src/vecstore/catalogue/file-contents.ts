import { threadCaches } from '../../core/cache-budget.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import type { Definition, Outline } from '../../core/outline.ts'
import type { CatalogueReader } from './catalogue-reader.ts'
import type { ChunkLines } from './chunk-lines.ts'

/** Of anything that is kept, beside what it holds. */
const ENTRY_BYTES = 100
/** Of a scope, an import or a definition. */
const ROW_BYTES = 100
const CHUNK_BYTES = 80
/** The most definitions of one name that are returned. */
const MAX_ANSWERS = 200

/**
 * What a catalogue says of contents, by the content's id; what was asked for last is kept unpacked, as far as the
 * caches of the thread have room. Nobody may change what he gets. To be closed with its catalogue.
 */
export class FileContents implements Disposable {
  readonly #catalogue: CatalogueReader
  readonly #texts = new RecentlyUsed<number, string>(threadCaches, text => ENTRY_BYTES + text.length)
  readonly #outlines = new RecentlyUsed<number, { outline: Outline | null }>(
    threadCaches,
    ({ outline }) =>
      ENTRY_BYTES + (outline === null ? 0 : ROW_BYTES * (outline.scopes.length + outline.imports.length)),
  )
  readonly #chunkLines = new RecentlyUsed<number, readonly ChunkLines[]>(
    threadCaches,
    chunks => ENTRY_BYTES + CHUNK_BYTES * chunks.length,
  )
  readonly #definitions = new RecentlyUsed<string, readonly Definition[]>(
    threadCaches,
    definitions => ENTRY_BYTES + ROW_BYTES * definitions.length,
  )
  /** How many definitions a common name has at least. */
  readonly #leastDefinitions = new RecentlyUsed<string, number>(threadCaches, () => ENTRY_BYTES)

  constructor(catalogue: CatalogueReader) {
    this.#catalogue = catalogue
  }

  [Symbol.dispose](): void {
    for (const cache of [this.#texts, this.#outlines, this.#chunkLines, this.#definitions, this.#leastDefinitions]) {
      cache.clear()
    }
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

  /** As `definitionsOf`; null where there are more than `most`, which is found out without reading them. */
  fewDefinitionsOf(name: string, most: number): readonly Definition[] | null {
    const known = this.#definitions.find(name)
    if (known === undefined && this.#isCommon(name, most)) return null
    const all = known ?? this.definitionsOf(name)
    return all.length > most ? null : all
  }

  #isCommon(name: string, most: number): boolean {
    const counted = this.#leastDefinitions.find(name)
    if (counted !== undefined && counted > most) return true
    if (!this.#catalogue.hasMoreDefinitions(name, most)) return false
    this.#leastDefinitions.set(name, most + 1)
    return true
  }
}
