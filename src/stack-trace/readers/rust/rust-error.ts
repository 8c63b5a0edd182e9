import type { CleanText } from '../../layout/clean.ts'
import { isBacktrace, readBacktrace } from './rust.ts'
import { rustPlace } from './rust-frame.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt, skipBlank } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const HEAD = /^(?:Error|error): {1,4}(\S.*)$/
const LIST = 'Caused by:'
const NUMBERED = /^\d{1,3}: /
const PLACE = /^error: internal compiler error: (\S[^:]{0,1000}\.rs):(\d{1,9}):(\d{1,9}): (.*)$/
const LOCATION = 'Location:'
const MAX_LINES_TO_LIST = 12

function internalError([, file, line, column, message]: RegExpExecArray, raw: string, at: number): Failure {
  const frame = newFrame(raw, { file, line, column })
  return {
    exceptions: [
      { type: 'internal compiler error', message: joinMessage([message ?? '']), relation: 'root', frames: [frame] },
    ],
    next: at + 1,
  }
}

function listBelow(lines: readonly string[], at: number): number | null {
  for (let next = at; next < at + MAX_LINES_TO_LIST; next++) {
    const line = lines[next]
    if (line === undefined || HEAD.test(line)) return null
    if (line === LIST) return /^\s+\S/.test(lineAt(lines, next + 1)) ? next : null
  }
  return null
}

function addLine(exception: RawException | undefined, line: string): void {
  if (exception !== undefined) exception.message = joinMessage([exception.message ?? '', line])
}

/** The place and the backtrace that error libraries print below the causes belong to the error itself. */
function withBelow(text: CleanText, exceptions: RawException[], at: number): Failure {
  const frames: RawFrame[] = []
  let next = skipBlank(text.lines, at, 3)
  const place = text.lines[next]?.trim() === LOCATION ? rustPlace(`at ${lineAt(text.lines, next + 1).trim()}`) : null
  if (place !== null) {
    frames.push(newFrame(lineAt(text.lines, next + 1).trim(), place))
    next += 2
  }
  const end = next
  next = skipBlank(text.lines, next, 3)
  const [frame = null] = frames
  const backtrace = isBacktrace(lineAt(text.lines, next))
    ? readBacktrace(text.lines, next, { message: null, place: frame, next })
    : null
  const [root] = exceptions
  if (root !== undefined) root.frames = backtrace?.exceptions[0]?.frames ?? frames
  if (backtrace !== null) return { exceptions, next: backtrace.next }
  return { exceptions, next: frames.length > 0 ? end : at }
}

function readCauses(text: CleanText, { at, list, head }: { at: number; list: number; head: string }): Failure {
  const { lines } = text
  const exceptions: RawException[] = [
    { type: null, message: joinMessage([head, ...lines.slice(at + 1, list)]), relation: 'root', frames: [] },
  ]
  let next = list + 1
  for (; next < list + MAX_MESSAGE_LINES; next++) {
    const line = lineAt(lines, next)
    const trimmed = line.trim()
    if (trimmed === '' && lines[next + 1] === LIST) {
      next += 1
    } // cargo gives every cause a heading of its own
    else if (trimmed === '' || !/^\s/.test(line)) break
    else if (NUMBERED.test(trimmed) || next === list + 1 || lines[next - 1] === LIST) {
      exceptions.push({ type: null, message: trimmed.replace(NUMBERED, ''), relation: 'cause', frames: [] })
    } else addLine(exceptions.at(-1), trimmed)
  }
  return withBelow(text, exceptions, next)
}

/** Reads an error that `main` returned, with the list of its causes, and the compiler's own errors. */
export const rustError: TraceReader = {
  language: 'rust',
  opens: ['\nError: ', '\nerror: '],
  read(text, at) {
    const line = lineAt(text.lines, at)
    const place = PLACE.exec(line)
    if (place !== null) return internalError(place, line, at)
    const head = HEAD.exec(line)?.[1]
    const list = head === undefined ? null : listBelow(text.lines, at + 1)
    return head === undefined || list === null ? null : readCauses(text, { at, list, head })
  },
}
