import type { Side } from '../side.ts'
import type { Unit } from '../units/unit.ts'
import { childrenOf, type Level } from './block-items.ts'

/** A line that says something of all that follows it in its type: `private` of Ruby, `private:` of C++. */
const SECTION = new RegExp(
  '^\\s*(?:@?(?:public|private|protected|internal|package|optional|required)|module_function|signals|Q_SIGNALS' +
    '|(?:public|private|protected)\\s+(?:slots|SLOTS|Q_SLOTS))(?:\\s*:)?\\s*(?:(?:#|//).*)?$',
)
/** The words of Ruby that hide all methods below them. */
const HIDES = /^\s*(?:private|protected)\s*(?:#.*)?$/
/** What is in or out by a condition before the compiler sees it. */
const CONDITION = /^\s*#\s*(if|ifdef|ifndef|endif)\b/

/** The lines of a level that stand in none of its units. */
function* ownLines(side: Side, level: Level, to: number): Generator<{ at: number; line: string }> {
  const units = childrenOf(side, level).map(index => side.units[index])
  let next = 0
  for (let at = level.from; at < Math.min(to, level.to); at++) {
    while (next < units.length && (units[next]?.last ?? -1) < at) next++
    const unit = units[next]
    if (unit !== undefined && unit.kind !== 'value' && at >= unit.start) at = unit.last
    else yield { at, line: side.lines[at] ?? '' }
  }
}

/** The section that a line of a level stands in, as the line says that begins it; '' for none. */
export function sectionAt(side: Side, level: Level, at: number): string {
  let section = ''
  for (const { line } of ownLines(side, level, at)) if (SECTION.test(line)) section = line.trim()
  return section
}

/** The first line of a level that hides what follows it, where it has no other sections; null for none. */
export function hidingAt(side: Side, level: Level): number | null {
  const marks = [...ownLines(side, level, level.to)].filter(({ line }) => SECTION.test(line))
  const [first] = marks
  return first !== undefined && marks.every(({ line }) => HIDES.test(line)) ? first.at : null
}

/** Whether a line stands under a condition that not all units of its file stand under. */
export function isConditional(side: Side, at: number): boolean {
  const open: number[] = []
  for (const [line, text] of side.lines.entries()) {
    const word = CONDITION.exec(text)?.[1]
    if (word === undefined) continue
    if (word !== 'endif') open.push(line)
    else {
      const from = open.pop() ?? 0
      const holdsPlace = from < at && at <= line
      const isOutside = ({ start, last }: Unit): boolean => last < from || start > line
      if (holdsPlace && side.units.some(unit => unit.kind !== 'value' && isOutside(unit))) return true
    }
  }
  return false
}
