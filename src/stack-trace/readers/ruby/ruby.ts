import type { CleanText } from '../../layout/clean.ts'
import { errorOfHeader, hintedCode, namedError, rubyErrorAbove, withoutLogger } from './ruby-error.ts'
import { bareFrame, isNumbered, rubyLine, type RubyLine } from './ruby-frame.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { indentOf, isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const REVERSED_HEADER = 'Traceback (most recent call last):'
const ELIDED = /^\.\.\. {0,2}(\d{1,9}) levels\.\.\.$/
const ELISION = /^(?:\.\.\. .{0,60}|\d{1,6}: ?\.\.\..{0,60})$/
const CAUSE_HEADING = /^(?:# )?(?:--- )?(?:Caused by|Causes)(?:: ?---|:| )(.*)$/
const SEPARATOR = /^# -{3,}$/
const SYNTAX_PLACE = /^([^\s:][^:]*|[A-Za-z]:[^:]+):(\d{1,9}): /
const ASSERTION = /^(\S{1,200}[#(]\S{1,300}) \[(.+):(\d{1,9})\]:$/
const MAX_CAUSE_LINES = 20
const MAX_CAUSES = 50 // a log of errors without callers is no chain

function withInnermost(callers: RawFrame[], innermost: RawFrame, more: RawFrame[]): RawFrame[] {
  for (const frame of [innermost, ...more]) pushFrame(callers, frame)
  return callers
}

/** Without callers nothing but its own text tells where a message ends. */
function messageEnd(text: CleanText, from: number, limit: number): number {
  let end = from
  while (
    end < limit &&
    !isBlankAt(text.lines, end) &&
    text.stamped[end] === 0 &&
    !startsLogEntry(lineAt(text.lines, end))
  ) {
    end++
  }
  return hintedCode(text.lines.slice(end, end + 3)) === null ? end : Math.min(limit, end + 3)
}

/** A file that could not be read is named in the message only. */
function syntaxPlace({ type, message }: ErrorHead): RawFrame[] {
  const place = type === 'SyntaxError' && message !== null ? SYNTAX_PLACE.exec(message) : null
  return place === null ? [] : [newFrame(place[0].trimEnd(), { file: place[1], line: place[2] })]
}

/** The first row at or below a line, as far as a message may reach. */
function firstRow(lines: string[], at: number): number {
  let next = at
  while (next < at + MAX_MESSAGE_LINES && next < lines.length && rubyLine(lines, next) === null) next++
  return next
}

/** Frames from line `at` on, in the order of the text, as long as `belongs` says so. */
function readFrames(
  lines: string[],
  at: number,
  belongs: (frame: RubyLine) => boolean,
): { list: RawFrame[]; next: number } {
  const list: RawFrame[] = []
  let next = at
  while (next < lines.length) {
    const found = rubyLine(lines, next)
    if (found !== null) {
      if (!belongs(found)) break
      pushFrame(list, found.frame)
      next += found.lines
      continue
    }
    const line = withoutLogger(lineAt(lines, next)).trim()
    const bare = list.length === 0 ? null : bareFrame(line)
    if (bare !== null) pushFrame(list, bare)
    const elided = ELIDED.exec(line)
    const last = list.at(-1)
    if (elided !== null && last !== undefined) last.repeat += Number(elided[1])
    else if (bare === null && !ELISION.test(line)) break
    next++
  }
  return { list, next }
}

/** `file:line:in 'f': message (Type)`, more of the message, then the callers. */
function readUncaught(text: CleanText, at: number, first: RubyLine): Part {
  const { lines } = text
  const after = at + first.lines
  const next = firstRow(lines, after)
  const callers = rubyLine(lines, next)
  const hasCallers = callers?.isCaller === true
  const more = hasCallers ? lines.slice(after, next) : lines.slice(after, messageEnd(text, after, next))
  const error = errorOfHeader(first.error ?? '', more)
  const frames = readFrames(lines, hasCallers ? next : after + more.length, frame => frame.isCaller)
  const innermost = { ...first.frame, sourceText: hintedCode(more) }
  const relation = error.type === null && error.message?.startsWith('warning: ') === true ? 'separate' : 'root'
  return {
    exception: { ...error, relation, frames: withInnermost(frames.list.reverse(), innermost, syntaxPlace(error)) },
    next: frames.next,
  }
}

/** Frames alone, innermost first; the error stands above them. */
function readListed(text: CleanText, at: number, floor: number): Part {
  const error = rubyErrorAbove(text, floor, at)
  const frames = readFrames(text.lines, at, frame => frame.error === null)
  return {
    exception: { ...error, relation: 'root', frames: [...frames.list.reverse(), ...syntaxPlace(error)] },
    next: frames.next,
  }
}

/** A console names no place with the error: its last caller is the failing frame. */
function readPlaceless({ lines }: CleanText, { list, next }: { list: RawFrame[]; next: number }): Failure {
  const error = namedError(lineAt(lines, next).trim()) ?? { type: null, message: null }
  return { exceptions: [{ ...error, relation: 'root', frames: list }], next: error.type === null ? next : next + 1 }
}

/** Ruby 2.5 to 2.7 on a terminal: callers numbered from the outside in, the first line of the error last. */
function readReversed(text: CleanText, at: number): Failure {
  const { lines } = text
  const frames = readFrames(lines, at, frame => frame.error === null)
  const last = rubyLine(lines, frames.next)
  if (last === null || last.error === null) return readPlaceless(text, frames)
  const after = frames.next + last.lines
  const end = messageEnd(text, after, firstRow(lines, after))
  const error = errorOfHeader(last.error, lines.slice(after, end))
  const exception: RawException = {
    ...error,
    relation: 'root',
    frames: withInnermost(frames.list, last.frame, syntaxPlace(error)),
  }
  // In this order a cause stands before what it caused.
  const caused = isNumbered(lineAt(lines, end)) && rubyLine(lines, end) !== null ? readReversed(text, end) : null
  if (caused === null || caused.exceptions.some(({ type }) => type === null)) {
    return { exceptions: [exception], next: end }
  }
  return { exceptions: [{ ...exception, relation: 'cause' }, ...caused.exceptions], next: caused.next }
}

function adjacentCause(text: CleanText, at: number, root: RawException): Part | null {
  const first = rubyLine(text.lines, at)
  if (first === null || first.error === null || text.stamped[at] === 1) return null
  const cause = readUncaught(text, at, first)
  const { type, message } = cause.exception
  if (type === null) return null // a warning in the same form
  return type === root.type && message === root.message ? null : cause // the same failure once more
}

function headedCause({ lines }: CleanText, at: number): Part | null {
  let heading = at
  while (heading < at + 4 && (isBlankAt(lines, heading) || SEPARATOR.test(lineAt(lines, heading).trim()))) heading++
  const match = CAUSE_HEADING.exec(withoutLogger(lineAt(lines, heading)).trim())
  if (match === null) return null
  let next = heading + 1
  while (next < heading + MAX_CAUSE_LINES && next < lines.length && rubyLine(lines, next) === null) next++
  if (rubyLine(lines, next) === null) return null
  const said = [match[1] ?? '', ...lines.slice(heading + 1, next)].map(line =>
    withoutLogger(line).trim().replace(/^# ?/, '').trim(),
  )
  const above = rubyErrorAbove({ lines: said, stamped: new Uint8Array(said.length) }, 0, said.length)
  const frames = readFrames(lines, next, frame => frame.error === null)
  return { exception: { ...above, relation: 'cause', frames: frames.list.reverse() }, next: frames.next }
}

/** Causes follow what they caused: as another uncaught error, or under a heading. */
function withCauses(text: CleanText, root: Part): Failure {
  const exceptions = [root.exception]
  let next = root.next
  while (exceptions.length <= MAX_CAUSES) {
    const cause = adjacentCause(text, next, root.exception) ?? headedCause(text, next)
    if (cause === null) break
    exceptions.push({ ...cause.exception, relation: 'cause' })
    next = cause.next
  }
  return { exceptions, next }
}

/** minitest names the test and the place of an assertion that failed, and prints no backtrace. */
function readAssertion({ lines }: CleanText, at: number): Failure | null {
  const raw = lineAt(lines, at).trim()
  const match = ASSERTION.exec(raw)
  if (match?.[2] === undefined || indentOf(lineAt(lines, at)) > 6) return null
  let next = at + 1
  while (next < at + MAX_MESSAGE_LINES && next < lines.length && !isBlankAt(lines, next)) next++
  const frame = newFrame(raw, { file: match[2], line: match[3], function: match[1] })
  const message = joinMessage(lines.slice(at + 1, next).map(line => line.trim()))
  const skipped = lines[at - 1]?.trim().endsWith('Skipped:') === true
  return {
    exceptions: [
      { type: skipped ? 'Skipped' : 'Failure', message, relation: skipped ? 'separate' : 'root', frames: [frame] },
    ],
    next,
  }
}

/**
 * Reads Ruby's backtraces: uncaught errors of every version, what loggers and Rails write, and reports of spec and test
 * runners.
 */
export const ruby: TraceReader = {
  language: 'ruby',
  opens: ['Traceback (', ']:\n', ':in', '\nfrom ', ': from ', '\n# '],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    if (line.includes(REVERSED_HEADER)) {
      return isNumbered(lineAt(text.lines, at + 1)) ? readReversed(text, at + 1) : null
    }
    if (line.endsWith(']:') && line.includes(' [')) return readAssertion(text, at)
    const first = rubyLine(text.lines, at)
    if (first === null) return null
    if (isNumbered(line)) return readReversed(text, at)
    return withCauses(text, first.error === null ? readListed(text, at, floor) : readUncaught(text, at, first))
  },
}

/** One exception and the first line after it. */
interface Part {
  exception: RawException
  next: number
}
