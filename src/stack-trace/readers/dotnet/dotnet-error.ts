import type { CleanText } from '../../layout/clean.ts'
import type { ErrorHead } from '../../failures.ts'
import { indentOf, lineAt } from '../../lines.ts'
import { errorInside, joinMessage, MAX_MESSAGE_LINES, opensField, startsLogEntry } from '../../messages.ts'

/** What stands above a stack: one exception, or a chain of them. */
export interface DotnetError {
  /** The exception itself, then the inner ones that its text names. */
  heads: ErrorHead[]
  /** Whether the stack of the outermost one is printed first, as xUnit does. */
  isOutermostFirst?: boolean
}

const TYPE = /^(?:[\p{L}_][\p{L}\p{N}_+]*\.)*[\p{L}_][\p{L}\p{N}_+]*(?:`\d{1,3}(?:\[.{0,300}\])?)?$/u
const ERROR_SUFFIX = /(?:Exception|Error|Failure|Fault|Cancelled|Canceled)(?:`\d.*)?$/
const CODE = / \((?:0x[0-9A-Fa-f]{1,8}|-?\d{1,11})\)$/
const PREFIX =
  /^(?:\[(?:Fatal|Error|Warning|Message|Info|Debug) {0,4}: {0,8}[^\]:]{1,60}\] |Unhandled [Ee]xception[.:] {0,3}|\[ERROR\] FATAL UNHANDLED EXCEPTION: |Message: {1,4}|Error Message: {0,4}|Exception: |Fatal error\. )/
const LABEL = /^(?:Error Message|Message|Stack ?Trace|Exception details|StackTrace|Stack trace):?$/i
const STACK_END = /^--- .{1,100} ---$/
const MAX_LINES_ABOVE = 40
const MAX_INNER = 8

// xUnit marks inner exceptions with dashes alone, Visual Studio names what the properties of one are.
const DASHED = /^-{4,40} (?=[\p{L}_][\p{L}\p{N}_.+`]{0,300} : )/u
const PROPERTY = /^\s{1,8}(?:HResult|Source)=/
const MESSAGE = /^\s{1,8}Message=/

/** Whether a line begins an inner exception. */
export const startsInner = (line: string): boolean => /^\s*--->/.test(line) || DASHED.test(line)

function errorAt(bare: string): { type: string; message: string } | null {
  const end = bare.search(/ ?:(?:\s|$)/)
  const type = (end === -1 ? bare : bare.slice(0, end)).replace(CODE, '')
  if (!TYPE.test(type) || !(ERROR_SUFFIX.test(type) || type.split('.').length > 2)) return null
  return { type, message: end === -1 ? '' : bare.slice(end).replace(/^ ?:\s?/, '') }
}

/** `Type: message`, as it stands at the beginning of a text; null when none does. */
function leadingError(text: string): { type: string; message: string } | null {
  const trimmed = text.trim()
  return errorAt(trimmed.replace(PREFIX, '')) ?? errorAt(trimmed)
}

function splitInner(line: string): string[] {
  const [first = '', ...inner] = line.split(/\s{0,4}---> ?/, MAX_INNER)
  if (first.trim() === '' && inner.length > 0) return ['', ...inner]
  const pieces = [first]
  for (const piece of inner) {
    if (leadingError(piece) !== null) pieces.push(piece)
    else pieces[pieces.length - 1] = `${pieces.at(-1) ?? ''} ---> ${piece}`
  }
  return pieces
}

/** The exceptions that a head of several lines names: `A: m ---> B: n` holds the inner ones, outermost first. */
export function headsOf(lines: string[]): ErrorHead[] {
  const heads: ErrorHead[] = []
  for (const line of lines) {
    for (const [index, piece] of splitInner(line).entries()) {
      const error = index > 0 || heads.length === 0 ? leadingError(piece) : null
      const last = heads.at(-1)
      if (error !== null) heads.push({ type: error.type, message: joinMessage([error.message]) })
      else if (last === undefined) heads.push({ type: null, message: joinMessage([piece]) })
      else last.message = joinMessage([last.message ?? '', piece])
    }
  }
  return heads
}

const isErrorName = (name: string): boolean => TYPE.test(name) && ERROR_SUFFIX.test(name)

function withFirst(error: { type: string; message: string }, line: string, more: string[]): ErrorHead[] {
  const from = line.indexOf(error.type)
  return headsOf([
    line.slice(from),
    ...more
      .filter(one => !LABEL.test(one.trim()) && !PROPERTY.test(one))
      .map(one => one.replace(MESSAGE, '').replace(DASHED, '---> ')),
  ])
}

/** Test runners print `Error Message:`, what an assertion said, then `Stack Trace:`. */
function messageBetween(lines: string[], first: number, end: number): DotnetError | null {
  for (let above = end - 1; above >= first; above--) {
    const label = lineAt(lines, above).trim()
    if (LABEL.test(label) || label.endsWith(' [FAIL]')) {
      return { heads: [{ type: null, message: joinMessage(lines.slice(above + 1, end).map(line => line.trim())) }] }
    }
  }
  return null
}

function messageAbove(text: CleanText, first: number, at: number): DotnetError | null {
  const line = lineAt(text.lines, at - 1)
  if (LABEL.test(line.trim())) return messageBetween(text.lines, first, at - 1)
  if (at - 1 < first || line.trim() === '' || opensField(line) || indentOf(line) > indentOf(lineAt(text.lines, at))) {
    return null
  }
  return { heads: [{ type: null, message: joinMessage([line]) }] }
}

/**
 * The error whose stack begins at line `at`: the nearest line above that names one, with what follows it. Inner
 * exceptions stand on lines of their own or behind `--->`.
 */
export function topError(text: CleanText, floor: number, at: number): DotnetError | null {
  const first = Math.max(floor, at - MAX_LINES_ABOVE)
  for (let above = at - 1; above >= first; above--) {
    const line = lineAt(text.lines, above)
    const trimmed = line.trim()
    if (trimmed === '' || at - above > MAX_MESSAGE_LINES || STACK_END.test(trimmed)) break
    if (startsInner(line) || LABEL.test(trimmed)) continue
    const [bare = '', ...inner] = splitInner(trimmed)
    const error = leadingError(bare) ?? errorInside(bare, isErrorName)
    if (error === null && inner.length > 0) continue // the last line of a message that names an inner exception
    if (error !== null) {
      const more = text.lines.slice(above + 1, at)
      return { heads: withFirst(error, trimmed, more), isOutermostFirst: more.some(one => DASHED.test(one)) }
    }
    if (startsLogEntry(trimmed)) break
  }
  return messageAbove(text, first, at)
}
