import { containerOf, type Outline, type ScopeKind } from '../../core/outline.ts'
import { importKeys } from './import-paths.ts'

/** Rows that wait: some 20 MB. */
const MAX_ROWS = 100_000
/** What is longer is no name that anybody looks up. */
const MAX_NAME_LENGTH = 200

type Definition = [
  name: string,
  blob: number,
  scope: number,
  kind: ScopeKind,
  container: string | null,
  startLine: number,
  endLine: number,
]
type Import = [key: string, blob: number]

interface Insert {
  definition: (...row: Definition) => unknown
  import: (...row: Import) => unknown
}

const isLookedUp = (name: string): boolean => name.length <= MAX_NAME_LENGTH

/** Each once. */
function keysOf({ imports }: Outline): Set<string> {
  return new Set(imports.flatMap(importKeys).filter(isLookedUp))
}

/** Rows of one content keep their order where their names are equal. */
function byName([a]: Definition | Import, [b]: Definition | Import): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * Rows of names, held back until there are many and then inserted by name. One content's names lie all over the tree
 * that they are keyed by: inserted as they come they would split its pages at random, and its new pages would lie among
 * those of texts. A small change would then touch runs of the file all over, each of which travels to other machines.
 */
export class NameRows {
  #definitions: Definition[] = []
  #imports: Import[] = []

  get isFull(): boolean {
    return this.#definitions.length + this.#imports.length >= MAX_ROWS
  }

  add(blob: number, outline: Outline): void {
    for (const [scope, { name, kind, startLine, endLine, parent }] of outline.scopes.entries()) {
      if (!isLookedUp(name)) continue
      this.#definitions.push([name, blob, scope, kind, containerOf(outline, { parent }), startLine, endLine])
    }
    for (const key of keysOf(outline)) this.#imports.push([key, blob])
  }

  /** Forgets the rows of contents that no file has any more. */
  drop(blobs: ReadonlySet<number>): void {
    this.#definitions = this.#definitions.filter(([, blob]) => !blobs.has(blob))
    this.#imports = this.#imports.filter(([, blob]) => !blobs.has(blob))
  }

  /** Gives all rows, each kind by name, and forgets them. */
  insert(into: Insert): void {
    for (const row of this.#definitions.sort(byName)) into.definition(...row)
    this.#definitions = []
    for (const row of this.#imports.sort(byName)) into.import(...row)
    this.#imports = []
  }
}
