import { indentOf } from '../../../text/indentation.ts'
import { isBalanced } from '../items.ts'
import type { List, ListItem } from './list.ts'

/** A line behind which branches stand: `switch (x) {`, `when (x) {`, `match x {`, `case "$x" in`. */
const CHOOSES = /\b(?:switch|when|match|select)\b.*[{:]\s*$|^\s*case\b.*\bin\s*$/
/** What a branch is for: `case 'a':`, `is Added ->`, `Some(x) =>`, `start)`. */
const BRANCH = /^(?:case\s+(.{1,200}?):(?!:)|(.{1,200}?)\s*(?:->|=>)|([\w"'.*|-]{1,200})\)|(default)\s*:)/
const NOTHING = /^(?!)/
const MAX_LINE = 500

/** Whether a text closes as many brackets as it opens: in a lambda, an arrow stands behind an open one. */
const isClosed = (text: string): boolean => isBalanced(text) && !/[({[]$/.test(text.trimEnd())

/** The condition of a branch that a line begins; null for none. */
function conditionOf(line: string): string | null {
  const found = line.length > MAX_LINE ? null : BRANCH.exec(line.trim())
  const condition = found?.slice(1).find(text => text !== undefined)
  return condition === undefined || !isClosed(condition) ? null : condition
}

/** A choice whose branches are read. */
interface Choice {
  depth: number
  /** The depth of its first branch. */
  inside: number | null
  items: ListItem[]
}

/** One pass over the lines of code and the choices in it. */
class BranchReader {
  readonly lists: List[] = []
  readonly #open: Choice[] = []

  read(line: string, at: number): void {
    const depth = indentOf(line).length
    const condition = conditionOf(line)
    this.#closeTo(depth, condition !== null)
    if (condition !== null) this.#add(condition, { at, depth })
    if (line.length > MAX_LINE || !CHOOSES.test(line)) return
    const items: ListItem[] = []
    this.lists.push({ lead: line.trim(), items, standsForMany: NOTHING })
    this.#open.push({ depth, inside: null, items })
  }

  /** In Go a branch is no deeper than what it belongs to. */
  #closeTo(depth: number, isBranch: boolean): void {
    for (let last = this.#open.at(-1); last !== undefined; last = this.#open.at(-1)) {
      if (last.depth < depth || (last.depth === depth && isBranch)) return
      this.#open.pop()
    }
  }

  #add(condition: string, { at, depth }: { at: number; depth: number }): void {
    const around = this.#open.at(-1)
    if (around === undefined || (around.inside ?? depth) !== depth) return
    around.inside = depth
    around.items.push({ text: condition.replaceAll(/["'`]/g, '"').replaceAll(/\s+/g, ' '), key: null, line: at })
  }
}

/** The branches of each choice, by their conditions. */
export function branchLists(lines: readonly string[]): List[] {
  const reader = new BranchReader()
  for (const [at, line] of lines.entries()) if (line.trim() !== '') reader.read(line, at)
  return reader.lists
}
