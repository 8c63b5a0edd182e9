import type { CleanText } from '../../layout/clean.ts'
import { isReport, phpError, phpErrorAbove, reportLine, type PhpError } from './php-error.ts'
import { phpRow, tableRow, withoutPhpMark, type PhpRow } from './php-frame.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { namedByCaller, pushFrame } from '../../frames.ts'
import { isBlankAt, lineAt } from '../../lines.ts'
import type { TraceReader } from '../../trace-reader.ts'

const TRACE_MARKS = new Set(['Stack trace:', '[stacktrace]'])
const TABLE_MARKS = new Set(['Call Stack:', 'Stack trace:'])
const EXCEPTION = /^[\w\\]{1,200}(?:Exception|Error)$/
const PREVIOUS = '[previous exception]'
const THROWN = /^thrown in .+ on line \d{1,9}$/
const MILD = /(?:warning|notice|deprecated|standards)$/i
const MAX_HEAD_LINES = 30
const MAX_LINES_TO_TABLE = 5
const MAX_LINES_OF_REPORT = 3

const mayBe = (line: string): boolean =>
  line.includes('#') ||
  line.includes('tack') ||
  line.includes(' line ') ||
  line.includes('Uncaught ') ||
  line.includes('Fatal error: ')

/** `#0 {main}` alone tells nothing: other runtimes may number rows, too. */
const isGuessed = (lines: string[], at: number): boolean =>
  phpRow(lineAt(lines, at))?.isMain === true && !TRACE_MARKS.has(withoutPhpMark(lineAt(lines, at - 1)))

function traceMark(lines: string[], from: number): number | null {
  for (let at = from; at < from + MAX_HEAD_LINES; at++) {
    if (TRACE_MARKS.has(withoutPhpMark(lineAt(lines, at)))) return at
  }
  return null
}

function skipBlank(lines: string[], at: number): number {
  let next = at
  while (next < at + 3 && next < lines.length && withoutPhpMark(lineAt(lines, next)) === '') next++
  return next
}

function afterThrown(lines: string[], at: number): number {
  const line = lineAt(lines, at).trim()
  return THROWN.test(line) || line === '"}' ? at + 1 : at
}

// A page makes a list of rows: `#1` becomes `1.`
const listedRow = (line: string): PhpRow | null => phpRow(line.replace(/^\s{0,8}(\d{1,4})\. /, '#$1 '))

/** The next row of a stack: below the first one, a row of a list counts, too. */
const rowInside = (line: string): PhpRow | null => phpRow(line) ?? listedRow(line)

const isFirst = (line: string): boolean => withoutPhpMark(line).startsWith('#0 ')

function readRows(lines: string[], at: number): { rows: PhpRow[]; next: number } {
  const rows: PhpRow[] = []
  let next = at
  for (; next < lines.length; next++) {
    if (rows.length > 0 && isBlankAt(lines, next) && listedRow(lineAt(lines, next + 1)) !== null) continue
    const row = rows.length > 0 ? rowInside(lineAt(lines, next)) : phpRow(lineAt(lines, next))
    if (row === null || (rows.length > 0 && isFirst(lineAt(lines, next)))) break
    rows.push(row)
    if (row.isMain) return { rows, next: next + 1 }
  }
  return { rows, next }
}

/** @param rows - Outermost first. */
function exceptionOf(error: PhpError, rows: PhpRow[]): RawException {
  const main = rows.some(({ isMain }) => isMain) ? '{main}' : null
  const frames: RawFrame[] = []
  for (const { frame, isMain } of rows) if (!isMain) pushFrame(frames, frame)
  const last = frames.at(-1)
  // A function of PHP itself that throws does so where it is called: the place is that row's.
  const thrownThere =
    error.place !== null && last !== undefined && last.file === error.place.file && last.line === error.place.line
  if (error.place !== null && !thrownThere) frames.push(error.place)
  const isMild = error.type !== null && MILD.test(error.type)
  return {
    type: error.type,
    message: error.message,
    relation: isMild ? 'separate' : 'root',
    frames: namedByCaller(frames, main),
  }
}

/** `Next …` is what the exception before it led to; `[previous exception]` is what caused the one before. */
function readMore({ lines }: CleanText, at: number, exceptions: RawException[]): Failure {
  let next = at
  for (;;) {
    const head = skipBlank(lines, next)
    const first = withoutPhpMark(lineAt(lines, head))
    const leadsOn = first.startsWith('Next ')
    const mark = leadsOn || first.startsWith(PREVIOUS) ? traceMark(lines, head) : null
    if (mark === null) return { exceptions, next: afterThrown(lines, next) }
    const { rows, next: end } = readRows(lines, mark + 1)
    const error = phpError(lines.slice(head, mark).map(withoutPhpMark))
    const before = exceptions.at(-1)
    if (leadsOn && before !== undefined) before.relation = 'cause'
    exceptions.push({ ...exceptionOf(error, rows.toReversed()), relation: leadsOn ? 'root' : 'cause' })
    next = end
  }
}

function readTrace(text: CleanText, at: { head: number; rows: number }, floor: number): Failure {
  const { rows, next } = readRows(text.lines, at.rows)
  const error = phpErrorAbove(text, floor, at.head)
  const thrown = rows[0]?.frame.function ?? ''
  // A client of an error tracker lists the exception as the innermost row.
  const named = error.type === null && EXCEPTION.test(thrown) ? { ...error, type: thrown, message: null } : error
  return readMore(text, next, [exceptionOf(named, rows.toReversed())])
}

function readTable(text: CleanText, at: number, floor: number): Failure {
  const rows: PhpRow[] = []
  let next = at + 1
  for (; next < text.lines.length; next++) {
    const row = tableRow(lineAt(text.lines, next))
    if (row === null) break
    rows.push(row)
  }
  return { exceptions: [exceptionOf(phpErrorAbove(text, floor, at, true), rows)], next }
}

/** A report that is followed by a table is the head of that table's trace. */
function isBeforeTable(lines: string[], at: number): boolean {
  for (let next = at + 1; next <= at + MAX_LINES_TO_TABLE; next++) {
    const line = lineAt(lines, next)
    if (isReport(line)) return false
    if (next === at + 1 && isFirst(line) && phpRow(line) !== null) return true
    if (TABLE_MARKS.has(withoutPhpMark(line)) || TRACE_MARKS.has(withoutPhpMark(line))) return true
  }
  return false
}

/** The place stands at the end of the report, which may have been wrapped. */
function readReport(lines: string[], at: number): Failure | null {
  for (let next = at + 1; next <= at + MAX_LINES_OF_REPORT; next++) {
    const error = reportLine(lines.slice(at, next).join(' '))
    if (error !== null) return { exceptions: [exceptionOf(error, [])], next }
    if (next >= lines.length || lineAt(lines, next).trim() === '' || isReport(lineAt(lines, next))) break
  }
  return null
}

/** Reads PHP's fatal errors, warnings, exceptions as text or in a log, and Xdebug's tables. */
export const php: TraceReader = {
  language: 'php',
  opens: ['#', 'tack', ' line', 'Uncaught', 'Fatal error:'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    if (!mayBe(line)) return null
    if (phpRow(line) !== null) return isGuessed(text.lines, at) ? null : readTrace(text, { head: at, rows: at }, floor)
    if (line.includes('#') && !line.includes('tack') && !line.includes(' line ')) return null
    const marked = withoutPhpMark(line)
    if (TABLE_MARKS.has(marked) && tableRow(lineAt(text.lines, at + 1)) !== null) return readTable(text, at, floor)
    if (TRACE_MARKS.has(marked) && phpRow(lineAt(text.lines, at + 1)) !== null) {
      return readTrace(text, { head: at, rows: at + 1 }, floor)
    }
    return isReport(line) && !isBeforeTable(text.lines, at) ? readReport(text.lines, at) : null
  },
}
