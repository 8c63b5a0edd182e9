import type { CleanText } from './clean.ts'
import { cutFrame, isScriptPlace, nodeFrame, splitLocation, type Location } from './node-frame.ts'
import { errorAbove, errorFrom, startsWithError } from './node-error.ts'
import { readProperties } from './node-properties.ts'
import { indentOf, newFrame, startsLogEntry } from './trace-reader.ts'
import type { Failure, RawException, RawFrame, TraceReader } from './trace-reader.ts'

const CARETS = /^\s*\^+\s*$/
const ELIDED = /^\.\.\.(?: \d{1,9} lines matching cause stack trace \.\.\.)?$/
const BRACKETED = /^\[([^\]].*)\] \{$/
const NO_STACK_HINT = '(Use `node --trace-uncaught'
const MAX_LINES_TO_CARETS = 4
const MAX_ERROR_LINES = 40

/** Reads what Node.js and other V8 hosts print: stacks, causes, aggregates and the header of an uncaught error. */
export const node: TraceReader = {
  language: 'javascript',
  read (text, at, floor) {
    const line = text.lines[at] ?? ''
    if (nodeFrame(line) !== null) return readStack(text, at, errorAbove(text, floor, at))
    const carets = uncaughtHeader(text.lines, at)
    if (carets !== null) return readUncaught(text, at, carets)
    return readBracketed(text, at)
  },
}

/** Frames from line `at` on, then the properties of the error when `util.inspect` printed them. */
function readStack (text: CleanText, at: number, error: { type: string | null, message: string | null }): Failure {
  const frames: RawFrame[] = []
  let next = at
  for (; next < text.lines.length; next++) {
    const line = text.lines[next] ?? ''
    const frame = nodeFrame(line) ?? (frames.length > 0 ? cutFrame(line) : null)
    if (frame !== null) addFrame(frames, frame)
    else if (!ELIDED.test(line.trim())) break
    if (line.endsWith(' {')) return withProperties(text, next + 1, { ...error, relation: 'root', frames: frames.reverse() }, indentOf(text.lines[at] ?? '') - 4)
  }
  return { exceptions: [{ ...error, relation: 'root', frames: frames.reverse() }], next }
}

function withProperties (text: CleanText, at: number, root: RawException, indent: number): Failure {
  const { exceptions, next } = readProperties(text, at, indent)
  return { exceptions: [root, ...exceptions], next }
}

function addFrame (frames: RawFrame[], frame: RawFrame): void {
  const last = frames.at(-1)
  if (last !== undefined && last.raw === frame.raw) last.repeat++
  else frames.push(frame)
}

/** The line of the carets below `file:line` and its code, or null when there is no such header. */
function uncaughtHeader (lines: string[], at: number): number | null {
  const place = headerPlace(lines[at] ?? '')
  if (place === null) return null
  for (let next = at + 2; next <= at + MAX_LINES_TO_CARETS; next++) {
    if (CARETS.test(lines[next] ?? '')) return next
  }
  return null
}

function headerPlace (line: string): Location | null {
  if (line === '' || line.startsWith(' ')) return null
  const place = splitLocation(line)
  if (place === null || place.column !== null) return null
  return isScriptPlace(place) || place.file.startsWith('node:') || place.file.startsWith('<anonymous') ? place : null
}

function readUncaught (text: CleanText, at: number, carets: number): Failure {
  const { lines } = text
  let next = carets + 1
  while (next < carets + 3 && lines[next]?.trim() === '') next++
  const bracketed = readBracketed(text, next)
  if (bracketed !== null) return bracketed
  const first = next
  while (next < lines.length && next < first + MAX_ERROR_LINES && nodeFrame(lines[next] ?? '') === null && !endsReport(lines, next)) next++
  const error = errorFrom(lines.slice(first, next))
  const hasStack = nodeFrame(lines[next] ?? '') !== null
  const failure = hasStack ? readStack(text, next, error) : { exceptions: [{ ...error, relation: 'root' as const, frames: [] }], next }
  addHeader(failure.exceptions[0], headerPlace(lines[at] ?? ''), { raw: lines[at] ?? '', sourceText: (lines[at + 1] ?? '').trim() || null })
  return failure
}

function endsReport (lines: string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (line.startsWith(NO_STACK_HINT) || line.startsWith('Node.js v')) return true
  return line.trim() === '' && startsLogEntry(lines[at + 1] ?? '')
}

/**
 * The header names where the error was thrown. Usually that is a frame already, which then gets the code; only where the
 * stack holds nothing but the runtime (a syntax error, a thrown string) is it a frame of its own, the innermost.
 */
function addHeader (error: RawException | undefined, place: Location | null, { raw, sourceText }: { raw: string, sourceText: string | null }): void {
  if (error === undefined || place === null || place.file.startsWith('node:') || place.file.startsWith('<')) return
  const known = error.frames.findLast(frame => frame.file === place.file && frame.line === place.line)
  if (known !== undefined) known.sourceText = sourceText
  else if (isThrownElsewhere(error)) error.frames.push(newFrame(raw, { file: place.file, line: place.line, sourceText }))
}

function isThrownElsewhere (error: RawException): boolean {
  return error.type === 'SyntaxError' || !error.frames.some(frame => frame.file !== null && !frame.file.startsWith('node:'))
}

/** `[AggregateError: message] {`: an error that has properties and no stack. */
function readBracketed (text: CleanText, at: number): Failure | null {
  const line = text.lines[at] ?? ''
  const inside = line.endsWith('] {') ? BRACKETED.exec(line.trim())?.[1] : undefined
  if (inside === undefined || !startsWithError(inside)) return null
  return withProperties(text, at + 1, { ...errorFrom([inside]), relation: 'root', frames: [] }, indentOf(line))
}
