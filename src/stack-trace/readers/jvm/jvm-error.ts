import type { CleanText } from '../../layout/clean.ts'
import type { ErrorHead } from '../../failures.ts'
import { indentOf, lineAt } from '../../lines.ts'
import { errorInside, joinMessage, MAX_MESSAGE_LINES, opensField, startsLogEntry } from '../../messages.ts'

const TYPE = /^(?:[\p{L}_$][\p{L}\p{N}_$-]*\.)*[\p{L}_$][\p{L}\p{N}_$-]*$/u
const ERROR_SUFFIX =
  /(?:Error|Exception|Failure|Failed|Throwable|Fault|Violation|Interrupt|Timeout|Cancelled|Death|Shutdown|Panic)s?\d*(?:\$[\w$]+)?$/
const THREAD = 'Exception in thread "'
const MAX_LINES_ABOVE = 40
const MAX_SEGMENTS = 8

/** `type: message` where an error is known to stand, whatever its name: obfuscated code has errors named `a.b`. */
export function splitError(text: string): { type: string; message: string } | null {
  const colon = text.search(/:(?:\s|$)/)
  const end = colon === -1 ? text.length : colon
  const type = end === text.length ? text : text.slice(0, end).trimEnd()
  return TYPE.test(type) ? { type, message: text.slice(end + 1).trimStart() } : null
}

/** `com.acme.Oops`: a package, and then a class. */
const looksQualified = (type: string): boolean => /^(?:[\p{Ll}_][\p{L}\p{N}_]*\.)+\p{Lu}/u.test(type)

/** `Exception in thread "a name" type: message`; the name may hold quotes. */
function withoutThread(text: string): string {
  if (!text.startsWith(THREAD)) return text
  for (
    let end = text.indexOf('" ', THREAD.length), tries = 0;
    end !== -1 && tries < MAX_SEGMENTS;
    end = text.indexOf('" ', end + 1), tries++
  ) {
    const rest = text.slice(end + 2)
    if (TYPE.test(rest.split(':', 1)[0] ?? '')) return rest
  }
  return text
}

/** `type: message` at the beginning of a text: `java.lang.Error: closed`; null when it begins otherwise. */
export function leadingError(text: string): { type: string; message: string } | null {
  const error = splitError(withoutThread(text.trim()))
  return error !== null && (ERROR_SUFFIX.test(error.type) || looksQualified(error.type)) ? error : null
}

/** Whether a line begins as the JVM reports an uncaught exception. */
export const namesThread = (line: string): boolean => line.startsWith(THREAD)

const isErrorName = (name: string): boolean => TYPE.test(name) && ERROR_SUFFIX.test(name)

/** Whether a line begins an entry of a log; where every line has a timestamp, that tells nothing. */
export function beginsEntry(text: CleanText, line: number, below: number): boolean {
  return (text.stamped[line] === 1 && text.stamped[below] !== 1) || startsLogEntry(lineAt(text.lines, line).trim())
}

function messageLines(text: CleanText, from: number, to: number): string[] {
  return text.lines.slice(from, Math.min(to, from + MAX_MESSAGE_LINES))
}

const LINK = /^(?:Caused by|Suppressed|Wrapped by): /

/** A line without the word that says how its error belongs to the one before. */
export const afterLink = (line: string): string => line.trimStart().replace(LINK, '')

/** The error that a line names at its beginning, or behind what a logger wrote. */
const errorIn = (line: string): { type: string; message: string } | null =>
  leadingError(afterLink(line)) ?? errorInside(line, isErrorName)

/**
 * Where the error begins whose first frame is at `at`, and what it says; the line is `at` itself when nothing was
 * found.
 */
export function jvmErrorAbove(text: CleanText, floor: number, at: number): ErrorHead & { line: number } {
  const first = Math.max(floor, at - MAX_LINES_ABOVE)
  const indent = indentOf(lineAt(text.lines, at))
  let other: (ErrorHead & { line: number }) | null = null
  let isParagraph = true // a message may hold empty lines; above one only a line that begins with an error counts
  for (let above = at - 1; above >= first; above--) {
    const line = lineAt(text.lines, above)
    if (indentOf(line) <= indent) {
      const found = isParagraph ? errorIn(line) : leadingError(afterLink(line))
      if (found !== null) {
        return {
          type: found.type,
          message: joinMessage([found.message, ...messageLines(text, above + 1, at)]),
          line: above,
        }
      }
    }
    if (at - above > MAX_MESSAGE_LINES) break
    if (line.trim() === '') isParagraph = false
    if (isParagraph && other === null && !opensField(line)) {
      other = { type: null, message: joinMessage([line]), line: above }
    }
    if (beginsEntry(text, above, at)) break
  }
  return other ?? { type: null, message: null, line: at }
}

/** `cause` for `Caused by: `, and so on; null for a line that begins otherwise. */
export function linkOf(trimmed: string): 'cause' | 'suppressed' | 'wrapper' | null {
  if (trimmed.startsWith('Caused by: ')) return 'cause'
  if (trimmed.startsWith('Suppressed: ')) return 'suppressed'
  return trimmed.startsWith('Wrapped by: ') ? 'wrapper' : null
}
