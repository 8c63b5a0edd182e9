import { indentOf, shiftLine, type Shift } from '../../text/indentation.ts'
import type { Side } from '../side.ts'
import { hasBody, isStub } from '../stub.ts'
import type { Unit } from '../units/unit.ts'
import { isSignificant } from '../words.ts'
import { compare, endOfUnit, isBlank, isComment, type Parties, type UnitItem } from './block-items.ts'
import { Uncertain, type LineChange } from './line-change.ts'

const OPEN_END = /(?:[([{,\\=+&|<]|\b(?:and|or|not))$/
const LONG_TEXT = /`|"""|'''/
const STYLES = /\.(?:css|scss|sass|less|pcss)$/i
const PROPERTY = /(?<=[{;\s])[\w-]+(?=\s*:)/g
const ONLY_DOTS = /^\s*(?:\.{3}|…)\s*$/
const DOTS_FOR_BODY = /[:{]\s*(?:\/\*\s*)?(?:\.{3}|…)/

/** Throws unless the first line of a value, which is all that is known of it, is the whole statement. */
function requireOneStatement({ lines }: Side, { start }: Unit): void {
  const line = lines[start] ?? ''
  const next = lines[start + 1] ?? ''
  const goesOn = !isBlank(next) && indentOf(next).length > indentOf(line).length
  if (goesOn || OPEN_END.test(line.trimEnd()) || LONG_TEXT.test(line)) throw new Uncertain()
}

/** The lines of a unit must be of no other one at its level. */
function requireOwnLines({ units }: Side, index: number): void {
  const { lead = 0, last = 0, parent = null } = units[index] ?? {}
  const isShared = units.some(
    (other, i) =>
      i !== index && other.parent === parent && other.kind !== 'value' && other.lead <= last && other.last >= lead,
  )
  if (isShared || (parent !== null && units[parent]?.start === lead)) throw new Uncertain()
}

/** A rule of the block must set all that the rule of the file sets. */
function requireProperties({ file, block }: Parties, unit: Unit, own: Unit): void {
  if (!STYLES.test(file.path)) return
  const properties = ({ lines }: Side, { start, last }: Unit): Set<string> =>
    new Set(
      lines
        .slice(start, last + 1)
        .join('\n')
        .match(PROPERTY),
    )
  const shown = properties(block, own)
  for (const name of properties(file, unit)) if (!shown.has(name)) throw new Uncertain()
}

/** The comments above the unit of the file, where the block shows none; its decorators must be shown. */
function keptComments(parties: Parties, unit: Unit, own: { lead: number; start: number }): readonly string[] {
  const { file, block } = parties
  const before = file.lines.slice(unit.lead, unit.start)
  const after = block.lines.slice(own.lead, own.start)
  compare(parties, file.lines.length * after.length)
  const isElsewhere = (line: string): boolean => file.lines.some(other => other.trim() === line.trim())
  if (before.length === 0 && after.length > 0 && after.every(isElsewhere)) throw new Uncertain()
  const isMark = (line: string): boolean => !isComment(line) && !isBlank(line)
  if (before.some(isMark) && !after.some(isMark)) throw new Uncertain()
  if (after.some(isComment)) return []
  const firstMark = before.findIndex(isMark)
  return firstMark < 0 ? before : before.slice(0, firstMark)
}

/**
 * The lines of a unit of the block as the file is to have them.
 *
 * @throws {Uncertain} Some of it is left out.
 */
export function linesToPlace({ block, isElision }: Parties, { index, lead }: UnitItem, shift: Shift | null): string[] {
  const unit = block.units[index]
  if (unit === undefined) return []
  if (unit.kind === 'value') requireOneStatement(block, unit)
  const lines = block.lines.slice(lead, unit.last + 1)
  if (lines.some(isElision)) throw new Uncertain()
  return shift === null ? lines : lines.map(line => shiftLine(line, shift) ?? line)
}

/** Whether the block leaves out lines of a unit. */
export function leavesOut(parties: Parties, index: number): boolean {
  const { block, isElision } = parties
  const { start } = block.units[index] ?? { start: 0 }
  return block.lines.slice(start, endOfUnit(parties, index)).some(isElision)
}

/** Whether dots or a remark are all that a unit has in place of its body. */
function isBodyLeftOut(parties: Parties, index: number): boolean {
  const { block, isElision } = parties
  const { start } = block.units[index] ?? { start: 0 }
  const [head = '', ...body] = block.lines.slice(start, endOfUnit(parties, index))
  if (body.length === 0) return DOTS_FOR_BODY.test(head)
  const isDots = (line: string): boolean => ONLY_DOTS.test(line) || isElision(line)
  return body.some(isDots) && body.every(line => isDots(line) || !isSignificant(line))
}

/**
 * The change that replaces a unit of the file by that of the block; null where the block leaves out all of its body,
 * which stays.
 *
 * @throws {Uncertain} It would lose something that the block does not show.
 */
export function replacement(
  parties: Parties,
  known: number,
  { item, shift }: { item: UnitItem; shift: Shift | null },
): LineChange | null {
  const { file, block } = parties
  const unit = file.units[known]
  const own = block.units[item.index]
  if (unit === undefined || own === undefined) return null
  const isEmptied = hasBody(file, known) && isStub(block, item.index)
  if (isEmptied || leavesOut(parties, item.index)) {
    if (isBodyLeftOut(parties, item.index)) return null
    throw new Uncertain()
  }
  requireOwnLines(file, known)
  if (unit.kind === 'value') requireOneStatement(file, unit)
  requireProperties(parties, unit, own)
  const lines = linesToPlace(parties, item, shift)
  const head = lines[own.start - item.lead] ?? ''
  if (indentOf(head) !== indentOf(file.lines[unit.start] ?? '')) throw new Uncertain()
  const kept = keptComments(parties, unit, { lead: item.lead, start: own.start })
  return { from: unit.lead, to: unit.last + 1, lines: [...kept, ...lines] }
}
