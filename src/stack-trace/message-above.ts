import type { CleanText } from './layout/clean.ts'
import { joinMessage, startsLogEntry } from './trace-reader.ts'
import { lineAt } from './lines.ts'

export interface ErrorHead {
  type: string | null
  message: string | null
}

const MAX_LINES_ABOVE = 40

const between = (text: CleanText, from: number, to: number, lineOf: (line: string) => string): string[] =>
  text.lines.slice(from, to).map(lineOf)

function paragraphAbove(text: CleanText, first: number, at: number, lineOf: (line: string) => string): string[] {
  const blank = (index: number): boolean => lineOf(lineAt(text.lines, index)).trim() === ''
  let end = at
  while (end > first && blank(end - 1)) end--
  let start = end
  while (start > first && !blank(start - 1) && text.stamped[start] !== 1) start--
  return between(text, start, end, lineOf)
}

/**
 * The error whose frames begin at line `at`, for runtimes that print it above them: the nearest line that names one,
 * with the lines between, or else the nearest paragraph.
 *
 * @param floor - First line that may be looked at.
 * @param headOf - Type and message when a line begins an error.
 * @param lineOf - The line without what a logger wrote in front.
 */
export function messageAbove(
  text: CleanText,
  floor: number,
  at: number,
  headOf: (line: string) => ErrorHead | null,
  lineOf = (line: string) => line,
): ErrorHead {
  const first = Math.max(floor, at - MAX_LINES_ABOVE)
  for (let above = at - 1; above >= first; above--) {
    const line = lineOf(lineAt(text.lines, above))
    const head = headOf(line.trim())
    if (head !== null) {
      return { type: head.type, message: joinMessage([head.message ?? '', ...between(text, above + 1, at, lineOf)]) }
    }
    if (text.stamped[above] === 1 || startsLogEntry(line.trim())) break
  }
  return { type: null, message: joinMessage(paragraphAbove(text, first, at, lineOf)) }
}
