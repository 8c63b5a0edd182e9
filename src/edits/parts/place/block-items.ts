import { indentOf } from '../../text/indentation.ts'
import type { Side } from '../side.ts'
import { Uncertain } from './line-change.ts'
import { importRange } from './merge-imports.ts'

/** A block and the file that it is a part of. */
export interface Parties {
  file: Side
  block: Side
  /** Whether a line of the block stands for lines of the file. */
  isElision: (line: string) => boolean
  /** The comparisons that are left: a block that needs more is refused. */
  work: { left: number }
}

/** The part of a file in which units are placed: its top, or the inside of a container. */
export interface Level {
  /** The unit around it; null for the top. */
  parent: number | null
  from: number
  /** The first line after it. */
  to: number
}

/** A unit of the block, with the first of the lines above that belong to it. */
export interface UnitItem {
  kind: 'unit'
  index: number
  lead: number
}

/** A piece of the block, in the order of its lines: lines that stand for others, a unit, an import, other lines. */
export type Item = { kind: 'gap' } | UnitItem | { kind: 'import' | 'loose'; from: number; to: number }

const CLOSES = /^[\s})\];,]*$|^\s*(?:end|fi|done|esac)\b[;.]?\s*$/
const COMMENT = /^\s*(?:\/\/|#|\/?\*|--|<!--|;|%)/
const COMMENT_MARKS = ['<!--', '-->', '/*', '*/', '//', '#', '--', ';']

/** Counts comparisons. @throws {Uncertain} None are left. */
export function compare({ work }: Parties, comparisons: number): void {
  work.left -= comparisons
  if (work.left < 0) throw new Uncertain()
}

/** Whether a line has nothing in it. */
export const isBlank = (line: string | undefined): boolean => (line ?? '').trim() === ''

/** Whether a line only closes what a line above opens. */
export const isCloser = (line: string): boolean => CLOSES.test(line)

/** Whether a line begins as a comment does. */
export const isComment = (line: string): boolean => COMMENT.test(line)

/** All of a file as a level. */
export const topOf = ({ lines }: Side): Level => ({ parent: null, from: 0, to: lines.length })

/** The inside of a container as a level. */
export function insideOf({ units }: Side, parent: number): Level {
  const { start, last } = units[parent] ?? { start: 0, last: -1 }
  return { parent, from: start + 1, to: last + 1 }
}

/** The units of a level, in the order of their lines. */
export const childrenOf = ({ units }: Side, { parent }: Level): number[] =>
  units
    .flatMap((unit, i) => (unit.parent === parent ? [i] : []))
    .sort((a, b) => (units[a]?.start ?? 0) - (units[b]?.start ?? 0))

/** Whether a line is a comment with nothing but the name of the file. */
function isOwnName(line: string, path: string): boolean {
  if (!isComment(line)) return false
  let text = line
  for (const mark of COMMENT_MARKS) text = text.replace(mark, '')
  return text.trim() === path
}

/** The line after a unit of the block, and after remarks further in that stand for the rest of it. */
export function endOfUnit({ block: { lines, units }, isElision }: Parties, index: number): number {
  const { start, last } = units[index] ?? { start: 0, last: 0 }
  const depth = indentOf(lines[start] ?? '').length
  let end = last + 1
  while (isElision(lines[end] ?? '') && indentOf(lines[end] ?? '').length > depth) end++
  return end
}

/** Takes a unit with what belongs to it; comments above that stand for what is left out are none of it. */
function unitItems({ file, block, isElision }: Parties, index: number): Item[] {
  const { lead, start } = block.units[index] ?? { lead: 0, start: 0 }
  const above = block.lines.slice(lead, start)
  const last = above.findLastIndex(line => isElision(line) || isOwnName(line, file.path))
  const gap: Item[] = above.some(isElision) ? [{ kind: 'gap' }] : []
  return [...gap, { kind: 'unit', index, lead: lead + last + 1 }]
}

/** The units of a level of the block by their first lines, without values that stand in the file just so. */
function unitStarts({ file, block }: Parties, level: Level): Map<number, number> {
  const known = new Set(file.lines.map(line => line.trim()))
  const starts = new Map<number, number>()
  for (const index of childrenOf(block, level)) {
    const unit = block.units[index]
    if (unit === undefined) continue
    // The lines that such a value goes on with are compared with those of the file.
    if (unit.kind === 'value' && known.has(block.lines[unit.start]?.trim() ?? '')) continue
    if (starts.has(unit.lead) || unit.lead < level.from) throw new Uncertain()
    starts.set(unit.lead, index)
  }
  return starts
}

/**
 * The pieces of a block at one of its levels.
 *
 * @throws {Uncertain} Two units share a line.
 */
export function blockItems(parties: Parties, level: Level): Item[] {
  const { file, block, isElision } = parties
  const { lines } = block
  compare(parties, file.lines.length + file.units.length + block.units.length)
  const starts = unitStarts(parties, level)
  const imports = new Set(block.imports.map(({ line }) => line - 1))
  const endsLoose = (at: number): boolean =>
    isCloser(lines[at] ?? '') || starts.has(at) || imports.has(at) || isElision(lines[at] ?? '')
  const items: Item[] = []
  let at = level.from
  while (at < level.to) {
    const line = lines[at] ?? ''
    const index = starts.get(at)
    if (index !== undefined) {
      items.push(...unitItems(parties, index))
      at = endOfUnit(parties, index)
    } else if (imports.has(at)) {
      const to = importRange(lines, at)
      items.push({ kind: 'import', from: at, to })
      at = to
    } else if (isElision(line) || isCloser(line) || isOwnName(line, file.path)) {
      if (isElision(line)) items.push({ kind: 'gap' })
      at++
    } else {
      const from = at
      while (at < level.to && (at === from || !endsLoose(at))) at++
      items.push({ kind: 'loose', from, to: at })
    }
  }
  return items
}
