import type { CleanText } from '../../layout/clean.ts'
import type { ErrorHead } from '../../failures.ts'
import { indentOf, lineAt } from '../../lines.ts'
import { joinMessage, startsLogEntry } from '../../messages.ts'

const NAME = /^[A-Za-z_$][\w$.]*$/
const ERROR_SUFFIX = /(?:Error|Exception|Warning|Rejection|Failure|Fault|Timeout)$/
const NAMED_TYPE = /^[A-Z][\w$]*$/
const ERROR_CODE = / \[[\w-]{1,64}\]$/
const CODE_FRAME = /^\s{0,40}>?\s{0,12}(?:\d{1,9})?\s{1,4}[|\u2502]/
const TITLE = /^\s{0,4}\u25CF \S/
const CARET = /^\s*\^[\^~]*\s*$/
// What Node.js calls an error that no one caught, and a warning, give way to the error itself.
const WRAPPER = /Warning$|^(?:uncaughtException|unhandledRejection)$/
const THROWN = 'thrown: ' // what is no error
const LOWERCASE = 'error: ' // how Deno and Bun begin
const LABEL = /^\s*(?:Stack trace|Stack|Call stack|Backtrace):\s*$/i
const MAX_LINES_ABOVE = 40
const MAX_SEGMENTS = 8

/** Deno prints the failing line and a caret between the message and the stack. */
function withoutCode(lines: string[]): string[] {
  const caret = lines.findIndex(line => CARET.test(line))
  return caret < 2 ? lines : lines.filter((_, index) => index !== caret && index !== caret - 1)
}

const isErrorType = (name: string): boolean => NAME.test(name) && ERROR_SUFFIX.test(name)

/** `prefix: TypeError [CODE]: message` → the type and what follows. A warning that wraps an error gives way to it. */
function findType(line: string): { type: string; message: string } | null {
  let found: { type: string; message: string } | null = null
  let start = 0
  for (let segment = 0; segment < MAX_SEGMENTS && start <= line.length; segment++) {
    const colon = line.indexOf(': ', start)
    const end = colon === -1 ? line.trimEnd().replace(/:$/, '').length : colon
    const name = line.slice(start, end).replace(ERROR_CODE, '')
    const type = name.slice(name.lastIndexOf(' ') + 1)
    const alone = colon !== -1 || type === name.trim() // a line of prose may end with the word "Error"
    if (alone && isErrorType(type)) {
      found = { type, message: colon === -1 ? '' : line.slice(colon + 2) }
      if (!WRAPPER.test(type)) return found
    }
    if (colon === -1) break
    start = colon + 2
  }
  return found
}

/** Type and message of an error whose text is these lines; the type is null when the first one names none. */
export function errorFrom(lines: string[]): ErrorHead {
  const [first = '', ...more] = lines[0]?.startsWith(LOWERCASE) === true ? withoutCode(lines) : lines
  if (first.startsWith(LOWERCASE) && findType(first) === null) {
    return { type: 'Error', message: joinMessage([first.slice(LOWERCASE.length), ...more]) }
  }
  const head = findType(first)
  if (head !== null) {
    return {
      type: head.type,
      message: joinMessage([head.message, ...more.filter(line => !CODE_FRAME.test(line) && !LABEL.test(line))]),
    }
  }
  const named = first.split(': ', 1)[0] ?? ''
  if (named.length < first.length && NAMED_TYPE.test(named)) {
    return { type: named, message: joinMessage([first.slice(named.length + 2), ...more]) }
  }
  return { type: null, message: joinMessage(lines.filter(line => !CODE_FRAME.test(line))) }
}

/** Whether a text begins with the name of an error, as an entry of a list of errors does. */
export function startsWithError(text: string): boolean {
  const end = text.search(/[:\s\]]/)
  return isErrorType(end === -1 ? text : text.slice(0, end))
}

/** Jest draws a dot before the name of a test; all below it is the message, without `Error: ` before it. */
function titleAbove(lines: string[], first: number, at: number): number {
  for (let above = at - 1; above >= first; above--) if (TITLE.test(lineAt(lines, above))) return above
  return -1
}

const isFiller = (line: string): boolean => line.trim() === '' || CODE_FRAME.test(line) || CARET.test(line)

function paragraphAbove(text: CleanText, first: number, at: number): string[] {
  let end = at
  while (end > first && isFiller(lineAt(text.lines, end - 1))) end--
  let start = end
  while (start > first && !isFiller(lineAt(text.lines, start - 1)) && text.stamped[start] !== 1) start--
  return text.lines.slice(start, end).map(line => line.trim())
}

/**
 * The error whose stack begins at line `at`: the nearest line above that names an error type, or else the nearest
 * paragraph (test runners print the message, a code frame, then the stack).
 */
export function errorAbove(text: CleanText, floor: number, at: number): ErrorHead {
  const first = Math.max(floor, at - MAX_LINES_ABOVE)
  const indent = indentOf(lineAt(text.lines, at))
  for (let above = at - 1; above >= first; above--) {
    const line = lineAt(text.lines, above)
    if (findType(line) !== null && indentOf(line) <= indent) return errorFrom(text.lines.slice(above, at))
    if (text.stamped[above] === 1 || startsLogEntry(line.trim())) break
  }
  const title = titleAbove(text.lines, first, at)
  if (title === -1) return errorFrom(paragraphAbove(text, first, at))
  const said = text.lines
    .slice(title + 1, at)
    .filter(line => !CODE_FRAME.test(line))
    .map(line => line.trim())
    .join('\n')
    .trim()
  const error = errorFrom(said.split('\n'))
  return error.type === null && !said.startsWith(THROWN) ? { ...error, type: 'Error' } : error
}
