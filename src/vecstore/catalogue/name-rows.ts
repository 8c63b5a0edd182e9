import { containerOf, type Outline, type ScopeKind } from '../../core/outline.ts'
import { importKeys } from './import-paths.ts'

/** Rows that wait: some 20 MB. */
const MAX_ROWS = 100_000
/** What is longer is no name that anybody looks up. */
const MAX_NAME_LENGTH = 200

export type DefinitionRow = [
  name: string,
  blob: number,
  scope: number,
  kind: ScopeKind,
  container: string | null,
  startLine: number,
  endLine: number,
]
export type ImportRow = [key: string, blob: number]

/** The rows of one content. */
export interface NamesOfContent {
  definitions: readonly DefinitionRow[]
  imports: readonly ImportRow[]
}

interface Insert {
  definition: (...row: DefinitionRow) => unknown
  import: (...row: ImportRow) => unknown
}

const isLookedUp = (name: string): boolean => name.length <= MAX_NAME_LENGTH

/** Each once. */
function keysOf({ imports }: Outline): Set<string> {
  return new Set(imports.flatMap(importKeys).filter(isLookedUp))
}

/** All rows of a content, each once. */
function rowsOf(blob: number, outline: Outline): NamesOfContent {
  const definitions = outline.scopes.flatMap(({ name, kind, startLine, endLine, parent }, scope): DefinitionRow[] =>
    isLookedUp(name) ? [[name, blob, scope, kind, containerOf(outline, { parent }), startLine, endLine]] : [],
  )
  return { definitions, imports: Array.from(keysOf(outline), key => [key, blob]) }
}

/** Parts rows that are wanted and are there already from those that are there and those that are wanted alone. */
function differences<Row extends DefinitionRow | ImportRow>(
  there: readonly Row[],
  wanted: readonly Row[],
): { missing: Row[]; stale: Row[] } {
  const keyed = (rows: readonly Row[]) => new Map(rows.map(row => [JSON.stringify(row), row]))
  const [present, asked] = [keyed(there), keyed(wanted)]
  const without = (rows: Map<string, Row>, others: Map<string, Row>) =>
    [...rows].flatMap(([key, row]) => (others.has(key) ? [] : [row]))
  return { missing: without(asked, present), stale: without(present, asked) }
}

/** Rows of one content keep their order where their names are equal. */
function byName([a]: DefinitionRow | ImportRow, [b]: DefinitionRow | ImportRow): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * Rows of names, held back until there are many and then inserted by name. One content's names lie all over the tree
 * that they are keyed by: inserted as they come they would split its pages at random, and its new pages would lie among
 * those of texts. A small change would then touch runs of the file all over, each of which travels to other machines.
 */
export class NameRows {
  #definitions: DefinitionRow[] = []
  #imports: ImportRow[] = []

  get isFull(): boolean {
    return this.#definitions.length + this.#imports.length >= MAX_ROWS
  }

  add(blob: number, outline: Outline): void {
    this.change(blob, outline, { definitions: [], imports: [] })
  }

  /**
   * The rows of a content that takes the place of another one. @returns Which of the other's are to go; those that both
   * have stay as they are.
   */
  change(blob: number, outline: Outline | null, there: NamesOfContent): NamesOfContent {
    const wanted = outline === null ? { definitions: [], imports: [] } : rowsOf(blob, outline)
    const definitions = differences(there.definitions, wanted.definitions)
    const imports = differences(there.imports, wanted.imports)
    for (const row of definitions.missing) this.#definitions.push(row)
    for (const row of imports.missing) this.#imports.push(row)
    return { definitions: definitions.stale, imports: imports.stale }
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
