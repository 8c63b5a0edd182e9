import { startsRow } from '../trace-rows.ts'
import { beginsLine, completesRow, lostItsEnd } from './wrapped-rows.ts'
import { lineAt } from '../lines.ts'

const MIN_WIDTH = 40
const MAX_WIDTH = 400
const USUAL_WIDTHS = new Set([72, 76, 79, 80, 100, 120, 132, 160])
const MAX_PIECES = 8
const MAX_ROW = 1024 // each piece is asked whether the row before it is whole
// An error of Python is hardly ever named so: this is the rest of a function's name, or of a number.
const NO_ERROR = /^(?:[a-z_\d<][\w<>]*|[\d,]{0,9} ?(?:line|in|n) .*)$/
// Ruby has a space there, which a break at spaces took.
const BLOCK_LABEL = /:in [`'](?:block|(?:block|rescue|ensure)(?: \(\d{1,4} levels\))? in)$/

// Rows that a mail program ended too early, and how the most common ones look once they are whole.
const AT_WHOLE =
  /:\d{1,9}\)(?: \{|,)?$|\((?:Native Method|Unknown Source|<anonymous>|native)\)$|^[^(]*:\d{1,9}:\d{1,9}(?: \{|,)?$/
const SOFT_ENDS =
  /File "[^"]{1,4000}"(?:,(?: line)?)?$|File "[^"]{1,4000}", line \d{1,9},?(?: in)?$|^\s*at (?:async|new|async new)$|:\d{1,9}:in [`'][^`']{1,300}$|\.rb:\d{1,9}:$|^\s*at \S.{0,400} \([^()]*$/

/** Lines after joining, and for each the position of its first piece among the old ones. */
interface Unwrapped {
  lines: string[]
  starts: number[]
}

function joinedFrom(lines: string[], at: number, width: number): string {
  let joined = lineAt(lines, at)
  for (let next = at; next < at + MAX_PIECES && lineAt(lines, next).length === width; next++) {
    joined += lineAt(lines, next + 1)
  }
  return joined
}

/** The longest line's length, when lines of just that length are broken rows; 0 when the text was not wrapped. */
function terminalWidth(lines: string[]): number {
  let width = 0
  for (const line of lines) if (line.length > width) width = line.length
  if (width < MIN_WIDTH || width > MAX_WIDTH) return 0
  for (let at = 0; at < lines.length - 1; at++) {
    const line = lineAt(lines, at)
    if (line.length !== width) continue
    const next = lineAt(lines, at + 1)
    if (
      completesRow(line, next, joinedFrom(lines, at, width)) ||
      (lostItsEnd(line, next) && (USUAL_WIDTHS.has(width) || NO_ERROR.test(next)))
    ) {
      return width
    }
  }
  return 0
}

function joinHard(lines: string[], width: number): Unwrapped {
  const joined: Unwrapped = { lines: [], starts: [] }
  let goesOn = false
  lines.forEach((line, at) => {
    const last = joined.lines.at(-1) ?? ''
    if (goesOn && last.length < MAX_ROW && !beginsLine(line, last)) {
      joined.lines[joined.lines.length - 1] =
        `${last}${BLOCK_LABEL.test(last) && !line.startsWith(' ') ? ' ' : ''}${line}`
    } else joined.starts[joined.lines.push(line) - 1] = at
    goesOn = line.length === width
  })
  return joined
}

function completes(row: string, rest: string): boolean {
  const next = rest.trim()
  if (row.includes('File "')) {
    if (/"$/.test(row)) return next.startsWith(', line') || next.startsWith('line ')
    if (/line$/.test(row)) return /^\d/.test(next)
    if (/"[,]$/.test(row)) return next.startsWith('line ')
    return /in$/.test(row) ? /^[\w<>.]{1,200}$/.test(next) : next.startsWith('in ') || next.startsWith(', in')
  }
  if (row.endsWith(':')) return /^in [`']/.test(next)
  if (/:in [`'][^`']*$/.test(row)) return /'\)?$/.test(next)
  return AT_WHOLE.test(next)
}

/** A mail program breaks at spaces: a row that ends too early goes on in the next line. */
function joinSoft({ lines, starts }: Unwrapped): Unwrapped {
  const joined: Unwrapped = { lines: [], starts: [] }
  let pieces = 0
  lines.forEach((line, at) => {
    const last = joined.lines.at(-1)
    if (
      last !== undefined &&
      pieces < MAX_PIECES &&
      line !== '' &&
      last.length < 2000 &&
      SOFT_ENDS.test(last) &&
      !startsRow(line) &&
      completes(last, line)
    ) {
      joined.lines[joined.lines.length - 1] = `${last.trimEnd()}${last.endsWith(':') ? '' : ' '}${line.trimStart()}`
      pieces++
    } else {
      joined.starts[joined.lines.push(line) - 1] = starts[at] ?? at
      pieces = 0
    }
  })
  return joined
}

/**
 * Joins lines that a terminal or a mail program broke at its width, also in the middle of a path; null when there are
 * none. A terminal's width is believed only when a row of a trace is whole after joining and was not before. Linear.
 */
export function unwrapLines(lines: string[]): Unwrapped | null {
  const width = terminalWidth(lines)
  const hard = width === 0 ? { lines, starts: [...lines.keys()] } : joinHard(lines, width)
  const soft = joinSoft(hard)
  return soft.lines.length === lines.length ? null : soft
}
