import type { CleanText } from '../../layout/clean.ts'
import { rustFrame, rustPlace, rustRow } from './rust-frame.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushPlace } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const THREAD = /^thread (?:'.{0,300}?' )?(?:\(\d{1,19}\) )?panicked(?: at)? /
const PLACE_FIRST = /^([^\s'][^']{0,1000}?):(\d{1,9}):(\d{1,9}):(?:\s+(\S.*))?$/
const PLACE_LAST = /^(.*)', (\S.{0,1000}?):(\d{1,9})(?::(\d{1,9}))?$/
const BOXED = /^(?:Message: {1,8})(.*)$/
const LOCATION = /^Location: {0,8}(?:(\S.*?):(\d{1,9})(?::(\d{1,9}))?)?$/
const BACKTRACE = /^(?:stack backtrace|backtrace):$|^[\u2500-\u257F]+ BACKTRACE [\u2500-\u257F]+$/i
const NOTE = /^(?:note|help): /
const OMITTED = /^(?:\[\.\.\. omitted \d{1,9} frames? \.\.\.\]|\u22EE.*|\d{1,9} frames? hidden.*)$/
const CRASHED = 'The application panicked (crashed).'
const MAX_LINES_TO_BACKTRACE = 6

/** Whether a line is the heading of a backtrace. */
export const isBacktrace = (line: string): boolean => BACKTRACE.test(line.trim())

interface Panic {
  message: string | null
  place: RawFrame | null
  next: number
}

/** The middle of a backtrace: a numbered row, and its place below it. */
function isCutOff(lines: readonly string[], at: number): boolean {
  const row = rustRow(lineAt(lines, at))
  return (
    row !== null &&
    (row.hasAddress || row.function?.includes('::') === true) &&
    rustPlace(lineAt(lines, at + 1)) !== null
  )
}

const isFiller = (line: string): boolean => line.trim() === '' || OMITTED.test(line.trim())

function readRows(lines: readonly string[], at: number): { frames: RawFrame[]; end: number } {
  const frames: RawFrame[] = []
  let next = at
  let last = at
  while (next < lines.length && next < last + 3) {
    const row = rustRow(lineAt(lines, next))
    if (row === null) {
      if (!isFiller(lineAt(lines, next))) break
      next++
      continue
    }
    const places: RawFrame[] = []
    for (next++; next < lines.length; next++) {
      const text = lineAt(lines, next).trim()
      const place = rustPlace(text)
      if (place === null) break
      // Of calls that were inlined only the first one has a name.
      places.push(rustFrame(places.length === 0 ? row : { ...row, function: null }, { text, at: place }))
    }
    if (places.length === 0 && row.function !== null) places.push(rustFrame(row, null))
    for (const frame of places) pushPlace(frames, frame)
    last = next
  }
  return { frames, end: last }
}

function cutOff(lines: readonly string[], at: number): Failure {
  const { frames, end } = readRows(lines, at)
  return {
    exceptions: [{ type: null, message: null, relation: 'root', frames: frames.reverse() }],
    next: Math.max(end, at + 1),
  }
}

function placeFrame(
  raw: string,
  file: string | undefined,
  line: string | undefined,
  column: string | undefined,
): RawFrame | null {
  return file === undefined ? null : newFrame(raw, { file, line, column })
}

function endOfMessage(text: CleanText, at: number): number {
  let next = at
  for (; next < text.lines.length && next < at + MAX_MESSAGE_LINES; next++) {
    const trimmed = lineAt(text.lines, next).trim()
    if (
      trimmed === '' ||
      NOTE.test(trimmed) ||
      BACKTRACE.test(trimmed) ||
      THREAD.test(trimmed) ||
      text.stamped[next] === 1 ||
      startsLogEntry(trimmed)
    ) {
      break
    }
  }
  return next
}

function readPanic(text: CleanText, at: number, rest: string): Panic | null {
  const first = PLACE_FIRST.exec(rest)
  if (first !== null) {
    const end = endOfMessage(text, at + 1)
    return {
      message: joinMessage([first[4] ?? '', ...text.lines.slice(at + 1, end)]),
      place: placeFrame(rest, first[1], first[2], first[3]),
      next: end,
    }
  }
  if (!rest.startsWith("'")) return null
  // The message of older versions is quoted and may have several lines; its place follows the closing quote.
  const message: string[] = []
  for (let next = at; next < Math.min(text.lines.length, at + MAX_MESSAGE_LINES); next++) {
    const line = next === at ? rest.slice(1) : lineAt(text.lines, next)
    const last = PLACE_LAST.exec(line.trimEnd())
    if (last !== null) {
      return {
        message: joinMessage([...message, last[1] ?? '']),
        place: placeFrame(line.slice((last[1] ?? '').length + 3).trim(), last[2], last[3], last[4]),
        next: next + 1,
      }
    }
    message.push(line)
  }
  return { message: joinMessage([rest.slice(1)]), place: null, next: at + 1 }
}

function readCrash(lines: readonly string[], at: number): Panic {
  let message: string | null = null
  let place: RawFrame | null = null
  let next = at + 1
  for (; next < at + MAX_MESSAGE_LINES; next++) {
    const line = lineAt(lines, next).trim()
    const location = LOCATION.exec(line)
    if (location !== null) {
      place = placeFrame(line, location[1], location[2], location[3])
      next++
      break
    }
    message ??= BOXED.exec(line)?.[1] ?? null
    if (line === '' && message !== null) break
  }
  return { message, place, next }
}

/** A backtrace prints its paths from another folder than the message does. */
function isSamePlace(frame: RawFrame, place: RawFrame): boolean {
  const name = (file: string | null) => file?.split(/[/\\]/).at(-1)
  return frame.line === place.line && name(frame.file) === name(place.file)
}

function backtraceHeader(lines: readonly string[], at: number): number | null {
  for (let next = at; next < at + MAX_LINES_TO_BACKTRACE; next++) {
    const trimmed = lineAt(lines, next).trim()
    if (BACKTRACE.test(trimmed)) return next
    if (trimmed !== '' && !NOTE.test(trimmed)) return null
  }
  return null
}

/** The panic whose backtrace, if it has one, stands from line `panic.next` on. */
export function readBacktrace(lines: readonly string[], at: number, { message, place, next }: Panic): Failure {
  const header = backtraceHeader(lines, next)
  const { frames, end } = header === null ? { frames: [], end: next } : readRows(lines, header + 1)
  const exception: RawException = { type: 'panic', message, relation: 'root', frames: frames.reverse() }
  if (place !== null && !frames.some(frame => isSamePlace(frame, place))) exception.frames.push(place)
  return { exceptions: [exception], next: Math.max(end, at + 1) }
}

function hasRow(lines: readonly string[], at: number): boolean {
  return [at, at + 1, at + 2].some(next => rustRow(lineAt(lines, next)) !== null)
}

/** Reads Rust's panics, with the place before or behind the message, and the backtraces below them. */
export const rust: TraceReader = {
  language: 'rust',
  opens: [':\n', '\n\u2500', 'panicked', '0: '],
  read(text, at) {
    const line = lineAt(text.lines, at).trim()
    if (BACKTRACE.test(line)) {
      return hasRow(text.lines, at + 1) ? readBacktrace(text.lines, at, { message: null, place: null, next: at }) : null
    }
    if (line === CRASHED) return readBacktrace(text.lines, at, readCrash(text.lines, at))
    if (isCutOff(text.lines, at)) return cutOff(text.lines, at)
    const start = THREAD.exec(line)?.[0]
    const panic = start === undefined ? null : readPanic(text, at, line.slice(start.length))
    return panic === null ? null : readBacktrace(text.lines, at, panic)
  },
}
