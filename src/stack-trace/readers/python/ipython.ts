import type { CleanText } from '../../layout/clean.ts'
import { isErrorLine, linkAt, splitError } from './python-error.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { isBlankAt, lineAt, skipBlank } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const HEADER = /^([A-Za-z_][\w.]{0,200})\s{2,}Traceback \(most recent call last\)$/
const FILE = /^\s{0,4}File (\S.{0,1000}?):(\d{1,9})(?:, in (.{1,1000}))?$/
const CELL = /^\s{0,4}((?:Cell|Input) In ?\[\d{1,6}\])(?:, line (\d{1,9}))?(?:, in (.{1,1000}))?$/
const OLD =
  /^(<ipython-input-[\w-]{1,60}>|[~/.\w][^\n]{0,1000}?\.\w{1,5}|[A-Za-z]:\\[^\n]{0,1000}?\.\w{1,5}) in (<?[\w.]{1,300}>?(?:\(.{0,1000}\))?)$/
const LEFT_OUT = /^\s*\.\.\.|^\d{1,5} frames$/
const ARROW = /^-{1,8}> {0,8}(\d{1,9})(?: (.*))?$/
const NUMBERED = /^ {1,12}\d{1,9}(?: |$)/
const MAX_LINES_OF_FRAME = 60
const MAX_BLANK = 3 // between the parts of a chain

function hasArrow(lines: string[], at: number): boolean {
  for (let next = at + 1; next < at + 8; next++) {
    if (ARROW.test(lineAt(lines, next))) return true
    if (lineAt(lines, next).trim() === '') return false
  }
  return false
}

/** A function without the arguments that IPython shows. */
function nameOf(shown: string | undefined): string | null {
  const name = shown?.split('(', 1)[0]?.trim() ?? ''
  return name === '' ? null : name
}

function frameAt(lines: string[], at: number): RawFrame | null {
  const line = lineAt(lines, at).trimEnd()
  const match = FILE.exec(line) ?? CELL.exec(line)
  if (match !== null) {
    return newFrame(line.trim(), {
      file: match[1],
      line: match[2],
      function: nameOf(match[3]),
    })
  }
  const old = OLD.exec(line)
  return old === null ? null : newFrame(line, { file: old[1], function: nameOf(old[2]) })
}

function begins(lines: string[], at: number): boolean {
  const line = lineAt(lines, at)
  if (HEADER.test(line)) return true
  return frameAt(lines, at) !== null && (CELL.test(line) || hasArrow(lines, at))
}

function goesOn(text: CleanText, at: number): boolean {
  const line = text.lines[at]
  return (
    line !== undefined &&
    line.trim() !== '' &&
    text.stamped[at] !== 1 &&
    !startsLogEntry(line) &&
    !line.startsWith('-----') &&
    !begins(text.lines, at)
  )
}

/** Takes the marked line into the frame, and answers the first line after the frame's code. */
function readSource(lines: string[], at: number, frame: RawFrame): number {
  let next = at + 1
  for (; next < at + MAX_LINES_OF_FRAME; next++) {
    const line = lineAt(lines, next)
    const arrow = ARROW.exec(line)
    if (arrow !== null) {
      if (frame.line === null) frame.line = Number(arrow[1])
      if (frame.line === Number(arrow[1])) frame.sourceText = arrow[2]?.trim() || null
    } else if (!NUMBERED.test(line) && !/^ {4,}\S/.test(line)) break
    // a syntax error has no arrow
    else if (frame.sourceText === null && /^ {4,}[^\s\d^~]/.test(line)) frame.sourceText = line.trim()
  }
  return next
}

function readFrames(lines: string[], at: number): { frames: RawFrame[]; next: number } {
  const frames: RawFrame[] = []
  let next = at
  while (next < lines.length) {
    const frame = frameAt(lines, next)
    if (frame !== null) {
      next = readSource(lines, next, frame)
      frames.push(frame)
      continue
    }
    const isFiller = isBlankAt(lines, next) || (frames.length > 0 && LEFT_OUT.test(lineAt(lines, next)))
    if (!isFiller) break
    next++
  }
  return { frames, next }
}

/** Whether two names may be of one type: one of them is without its module. */
const isSameType = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`)

function readOne(text: CleanText, at: number): { exception: RawException; next: number } {
  const { lines } = text
  const named = HEADER.exec(lineAt(lines, at))?.[1] ?? null
  const read = readFrames(lines, named === null ? at : at + 1)
  const { frames } = read
  let { next } = read
  const line = lineAt(lines, next)
  const error = splitError(line)
  const isOwn = error !== null && (named === null || isSameType(error.type, named) || isErrorLine(line))
  if (!isOwn) return { exception: { type: named, message: null, relation: 'root', frames }, next }
  const message = [error.message]
  for (next++; message.length < MAX_MESSAGE_LINES && goesOn(text, next); next++) message.push(lineAt(lines, next))
  return { exception: { type: error.type, message: joinMessage(message), relation: 'root', frames }, next }
}

function readChain(text: CleanText, at: number): Failure {
  const exceptions: RawException[] = []
  let next = at
  for (;;) {
    const part = readOne(text, next)
    exceptions.push(part.exception)
    next = Math.max(part.next, next + 1)
    const phrase = skipBlank(text.lines, next, MAX_BLANK)
    const relation = linkAt(text.lines, phrase)
    if (relation === null) return { exceptions, next }
    const following = skipBlank(text.lines, phrase + 1, MAX_BLANK)
    if (!begins(text.lines, following)) return { exceptions, next }
    part.exception.relation = relation
    next = following
  }
}

/** Reads what IPython and notebooks print, old and new, with context lines and the arrow at the failing one. */
export const ipython: TraceReader = {
  language: 'python',
  opens: ['Traceback (', '\nFile ', ' in ', '\nCell In', '\nInput In'],
  read: (text, at) => (begins(text.lines, at) ? readChain(text, at) : null),
}
