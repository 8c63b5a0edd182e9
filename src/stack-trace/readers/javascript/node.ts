import type { CleanText } from '../../layout/clean.ts'
import { addCodeAbove } from '../compilers/code-frame.ts'
import { readCauses } from './node-causes.ts'
import { frameInside, isScriptPlace, nodeFrame, splitLocation, type Location } from './node-frame.ts'
import { errorAbove, errorFrom, startsWithError } from './node-error.ts'
import { readProperties } from './node-properties.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { indentOf, lineAt, skipBlank } from '../../lines.ts'
import { startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const CARETS = /^\s*\^+\s*$/
const ELIDED = /^\.\.\.(?: \d{1,9} lines matching cause stack trace \.\.\.)?$/
const BRACKETED = /^\[([^\]].*)\] \{$/
// Libraries that join the stacks of callbacks; source maps that older tools print below a row.
const JOINT =
  /^\s*(?:From previous event:|-{5,80}|(?:-{1,5} ?)?awaited (?:here|at|by):?(?: ?-{1,5})?|await in \S{1,200}(?: \(async\))?|\S{1,100} \(async\))$/
// A test runner prints its own rows below those that the message held already.
const DRAWN_AGAIN = /^\s{0,12}\u276F \S.{0,2000}:\d{1,9}:\d{1,9}$/
const MAPPED = /^\s*-> (\S.*)$/
const PLACE_IN_MESSAGE = /^(\S[^\n]{0,1000}?\.\w{1,6}): [^\n]{0,2000}\((\d{1,9}):(\d{1,9})\)/
const BUILT_FILE = /^(?:file|File): (\S.*)$/
const MAX_LINES_TO_BUILT = 30
const NO_STACK_HINT = '(Use `node --trace-uncaught'
const MAX_LINES_TO_CARETS = 4
const MAX_ERROR_LINES = 40

/** `-> src/cart.ts:3:4` below a row: where the source map leads. */
function isMapped(line: string, frame: RawFrame | undefined): boolean {
  const mapped = line.includes('-> ') ? MAPPED.exec(line)?.[1] : undefined
  const place = mapped === undefined ? null : splitLocation(mapped)
  if (place === null || frame === undefined) return false
  Object.assign(frame, place)
  return true
}

/** Rows, the failing one last; `opens` tells that the last one is followed by properties. */
function readRows(text: CleanText, at: number): { frames: RawFrame[]; next: number; opens: boolean } {
  const frames: RawFrame[] = []
  let next = at
  let opens = false
  for (; next < text.lines.length && !opens; next++) {
    const line = lineAt(text.lines, next)
    const frame = frameInside(line, frames)
    if (frame !== null) {
      pushFrame(frames, frame)
      opens = line.endsWith(' {')
    } else if (
      !ELIDED.test(line.trim()) &&
      !(frames.length > 0 && DRAWN_AGAIN.test(line)) &&
      !isMapped(line, frames.at(-1)) &&
      !(JOINT.test(line) && nodeFrame(lineAt(text.lines, next + 1)) !== null)
    ) {
      break
    }
  }
  return { frames: frames.reverse(), next, opens }
}

/**
 * The file that a compiler could not read is named in its message only, or in a line of its own; the stack is the
 * compiler's.
 */
function addPlaceOfSource(text: CleanText, floor: number, at: number, root: RawException): void {
  const { type, message } = root
  const said = type === 'SyntaxError' && message !== null ? PLACE_IN_MESSAGE.exec(message) : null
  if (said !== null) {
    const [raw, file, line, column] = said
    root.frames.push(newFrame(raw, { file, line, column }))
    return
  }
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_TO_BUILT); above--) {
    const line = lineAt(text.lines, above)
    const built = BUILT_FILE.exec(line)?.[1]
    const place = built === undefined ? null : splitLocation(built)
    if (place === null || !isScriptPlace(place)) continue
    root.frames.push(newFrame(line, place))
    if (root.type === null) root.message = errorAbove(text, floor, above).message
    return
  }
}

function withProperties(text: CleanText, at: number, root: RawException, indent: number): Failure {
  const { exceptions, next } = readProperties(text, at, indent)
  return { exceptions: [root, ...exceptions], next }
}

/** Frames from line `at` on, then the properties of the error when `util.inspect` printed them, or its causes. */
function readStack(text: CleanText, at: number, floor: number, error: ErrorHead): Failure {
  const rows = readRows(text, at)
  addCodeAbove(text, floor, at, rows.frames)
  const root: RawException = { ...error, relation: 'root', frames: rows.frames }
  addPlaceOfSource(text, floor, at, root)
  if (rows.opens) return withProperties(text, rows.next, root, indentOf(lineAt(text.lines, at)) - 4)
  return readCauses(text, { exceptions: [root], next: rows.next }, begin =>
    nodeFrame(lineAt(text.lines, begin)) === null ? null : readRows(text, begin),
  )
}

function headerPlace(line: string): Location | null {
  if (line === '' || line.startsWith(' ')) return null
  const place = splitLocation(line)
  if (place === null || place.column !== null) return null
  return isScriptPlace(place) || place.file.startsWith('node:') || place.file.startsWith('<anonymous') ? place : null
}

/** The line of the carets below `file:line` and its code, or null when there is no such header. */
function uncaughtHeader(lines: string[], at: number): number | null {
  const place = headerPlace(lineAt(lines, at))
  if (place === null) return null
  for (let next = at + 2; next <= at + MAX_LINES_TO_CARETS; next++) {
    if (CARETS.test(lineAt(lines, next))) return next
  }
  return null
}

function endsReport(lines: string[], at: number): boolean {
  const line = lineAt(lines, at)
  if (line.startsWith(NO_STACK_HINT) || line.startsWith('Node.js v')) return true
  return line.trim() === '' && startsLogEntry(lineAt(lines, at + 1))
}

function isThrownElsewhere(error: RawException): boolean {
  return (
    error.type === 'SyntaxError' || !error.frames.some(frame => frame.file !== null && !frame.file.startsWith('node:'))
  )
}

/**
 * The header names where the error was thrown. Usually that is a frame already, which then gets the code; only where
 * the stack holds nothing but the runtime (a syntax error, a thrown string) is it a frame of its own, the innermost.
 */
function addHeader(
  error: RawException | undefined,
  place: Location | null,
  { raw, sourceText }: { raw: string; sourceText: string | null },
): void {
  if (error === undefined || place === null || place.file.startsWith('node:') || place.file.startsWith('<')) return
  const known = error.frames.findLast(frame => frame.file === place.file && frame.line === place.line)
  if (known !== undefined) known.sourceText = sourceText
  else if (isThrownElsewhere(error)) {
    error.frames.push(newFrame(raw, { file: place.file, line: place.line, sourceText }))
  }
}

/** `[AggregateError: message] {`: an error that has properties and no stack. */
function readBracketed(text: CleanText, at: number): Failure | null {
  const line = lineAt(text.lines, at)
  const inside = line.endsWith('] {') ? BRACKETED.exec(line.trim())?.[1] : undefined
  if (inside === undefined || !startsWithError(inside)) return null
  return withProperties(text, at + 1, { ...errorFrom([inside]), relation: 'root', frames: [] }, indentOf(line))
}

function readUncaught(text: CleanText, at: number, carets: number): Failure {
  const { lines } = text
  let next = skipBlank(lines, carets + 1, 2)
  const bracketed = readBracketed(text, next)
  if (bracketed !== null) return bracketed
  const first = next
  while (
    next < lines.length &&
    next < first + MAX_ERROR_LINES &&
    nodeFrame(lineAt(lines, next)) === null &&
    !endsReport(lines, next)
  ) {
    next++
  }
  const error = errorFrom(lines.slice(first, next))
  const hasStack = nodeFrame(lineAt(lines, next)) !== null
  const failure = hasStack
    ? readStack(text, next, next, error)
    : { exceptions: [{ ...error, relation: 'root' as const, frames: [] }], next }
  addHeader(failure.exceptions[0], headerPlace(lineAt(lines, at)), {
    raw: lineAt(lines, at),
    sourceText: lineAt(lines, at + 1).trim() || null,
  })
  return failure
}

/** Reads what Node.js and other V8 hosts print: stacks, causes, aggregates and the header of an uncaught error. */
export const node: TraceReader = {
  language: 'javascript',
  opens: ['\nat ', '0\n', '] {\n'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    if (nodeFrame(line) !== null) return readStack(text, at, floor, errorAbove(text, floor, at))
    const carets = uncaughtHeader(text.lines, at)
    if (carets !== null) return readUncaught(text, at, carets)
    return readBracketed(text, at)
  },
}
