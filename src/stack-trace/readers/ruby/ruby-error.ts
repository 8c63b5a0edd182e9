import type { CleanText } from '../../layout/clean.ts'
import type { ErrorHead } from '../../failures.ts'
import { isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage, messageAbove } from '../../messages.ts'

const LOGGER = /^[A-Z], \[[^\]]{1,80}\] +[A-Z]+ -- [^:]{0,80}: (?:\[[^\]]{1,80}\] ?){0,4}/
const WORKER =
  /^(?:\d{1,9} TID-\S{1,40} (?:[A-Z]\S{0,80} (?:JID-\S{1,60} )?)?|pid=\d{1,9} tid=\S{1,40} (?:[\w.]{1,40}=\S{0,80} ){0,8})?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL): /
const NAMED = /^((?:[A-Z]\w*::)*[A-Z]\w*)(?:: (.*)|:| - (.*)| \((.*)\):?)$/
const BARE_TYPE = /^(?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception|Failure|Interrupt|NotFound|Invalid|Timeout)$/
const TYPE_AT_END = / \(((?:[A-Z]\w*::)*[A-Z]\w*)\)$/
const HINT = /^\s*[\^~]+\s*$/
const MAX_LINES_ABOVE = 40
const SPEC_FAILURE = 'Failure/Error:'

/** A line without what Ruby's loggers write in front of it. */
export const withoutLogger = (line: string): string => line.replace(LOGGER, '').replace(WORKER, '')

/** `Type: message`, `Type (message):` or `Type - message`. */
export function namedError(line: string): ErrorHead | null {
  const match = NAMED.exec(line)
  if (match !== null) return { type: match[1] ?? null, message: match[2] ?? match[3] ?? match[4] ?? null }
  return BARE_TYPE.test(line) ? { type: line, message: null } : null
}

/** The code that newer versions print below a message, with marks under it, is no part of what was said. */
function withoutHints(lines: string[]): string | null {
  const marks = lines.findIndex((line, index) => index > 1 && HINT.test(line) && isBlankAt(lines, index - 2))
  return joinMessage(marks === -1 ? lines : [...lines.slice(0, marks - 2), ...lines.slice(marks + 1)])
}

/**
 * The error of a first line such as `file:1:in 'f': message (Type)`; the message may go on below it, the type stands
 * at the end of its first line or, in some versions, of its last.
 *
 * @param more - Lines between the first one and the callers.
 */
export function errorOfHeader(first: string, more: string[]): ErrorHead {
  const last = more.findLast(line => line.trim() !== '') ?? ''
  const type = TYPE_AT_END.exec(first) ?? TYPE_AT_END.exec(last)
  const name = type?.[1] ?? null
  const cut = (line: string): string =>
    name !== null && line.trimEnd().endsWith(` (${name})`) ? line.trimEnd().slice(0, -name.length - 3) : line
  return { type: name, message: withoutHints([first, ...more].map(cut)) }
}

/**
 * The line with which the log entry that holds line `at` began: the nearest with a stamp, else the paragraph's first.
 */
function entryStart(text: CleanText, floor: number, at: number): number {
  const lowest = Math.max(floor, at - MAX_LINES_ABOVE)
  for (let above = at; above >= lowest; above--) {
    const line = lineAt(text.lines, above)
    if (text.stamped[above] === 1 || withoutLogger(line) !== line) return above
  }
  let start = at
  while (start > lowest && !isBlankAt(text.lines, start - 1)) start--
  return start
}

/** A spec runner prints the failing code, then `Type:` and the message, or the message alone. */
function specFailure(lines: string[], floor: number, at: number): ErrorHead | null {
  const lowest = Math.max(floor, at - MAX_LINES_ABOVE)
  for (let above = at - 1; above >= lowest; above--) {
    if (lines[above]?.trimStart().startsWith(SPEC_FAILURE) !== true) continue
    let blank = above
    while (blank < at && !isBlankAt(lines, blank)) blank++
    const said = lines.slice(blank < at ? blank : above + 1, at).map(line => line.trim())
    const first = said.findIndex(line => line !== '')
    const type = /^((?:[A-Z]\w*::)*[A-Z]\w*):$/.exec(said[first] ?? '')?.[1]
    return { type: type ?? 'Failure', message: withoutHints(type === undefined ? said : said.slice(first + 1)) }
  }
  return null
}

/**
 * The error whose backtrace begins at line `at` when it stands above, in any of the ways that loggers and test runners
 * print.
 */
export function rubyErrorAbove(text: CleanText, floor: number, at: number): ErrorHead {
  const spec = specFailure(text.lines, floor, at)
  if (spec !== null) return spec
  const last = withoutLogger(lineAt(text.lines, at - 1)).trimEnd()
  const type = at > floor ? TYPE_AT_END.exec(last)?.[1] : undefined
  if (type === undefined) {
    const { type: found, message } = messageAbove(text, floor, at, namedError, withoutLogger)
    return { type: found, message: message === null ? null : withoutHints(message.split('\n')) }
  }
  const start = entryStart(text, floor, at - 1)
  const lines = text.lines.slice(start, at).map(withoutLogger)
  return errorOfHeader(lineAt(lines, 0), lines.slice(1))
}

/** The code that newer versions of Ruby print below a message, with marks under it; null when there is none. */
export function hintedCode(lines: string[]): string | null {
  const marks = lines.findIndex((line, index) => index > 0 && HINT.test(line) && !isBlankAt(lines, index - 1))
  return marks === -1 ? null : lineAt(lines, marks - 1).trim()
}
