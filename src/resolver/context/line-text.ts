import { showLine } from '../../core/visible-text.ts'

/** Longer lines are cut: code is shorter, and longer data explains nothing. */
export const MAX_LINE_CHARS = 500 // code is shorter; data that is longer explains nothing

/**
 * A line of foreign text as the context shows it: invisible characters escaped, and cut where it is longer than code.
 */
export function shownLine(line: string): string {
  if (line.length <= MAX_LINE_CHARS) return showLine(line)
  return showLine(`${line.slice(0, MAX_LINE_CHARS)} … (${line.length - MAX_LINE_CHARS} more characters)`)
}

/** The part of a row right of the line number. */
export const rowBody = (line: string): string => ` | ${shownLine(line)}`.trimEnd()

/** The part of a row left of the bar: the mark of a line of the trace, and the line's number. */
export const rowNumber = (number: number, isMarked: boolean, width: number): string =>
  `${isMarked ? '>>>' : '   '}  ${String(number).padStart(width)}`
