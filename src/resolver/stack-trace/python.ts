import type { ExceptionRelation } from '../../core/frame.ts'
import type { CleanText } from './clean.ts'
import { indentOf, joinMessage, MAX_MESSAGE_LINES, newFrame, startsLogEntry } from './trace-reader.ts'
import type { Failure, RawException, RawFrame, TraceReader } from './trace-reader.ts'

const HEADER = 'Traceback (most recent call last):'
const GROUP_HEADER = '+ Exception Group Traceback (most recent call last):'
const FRAME = /^File "([^"]+)", line (\d{1,9})(?:, in (.*))?$/
const REPEATED = /^\[Previous line repeated (\d{1,9}) more times?\]$/
const CARETS = /^[\s~^]+$/
const TYPE = /^[A-Za-z_][\w.<>]*$/
const ERROR_TYPE = /(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Group)$/
const GROUP_SEPARATOR = /^\s*\+[-+ .\d]*-$/
const GROUP_MARGIN = /^\s*[|+]/
const MAX_SOURCE_LINES = 40

const LINKS: ReadonlyArray<[phrase: string, relation: ExceptionRelation]> = [
  ['The above exception was the direct cause of the following exception:', 'cause'],
  ['During handling of the above exception, another exception occurred:', 'context'],
]

/** Reads what CPython's `traceback` module prints: plain, chained and grouped tracebacks, with or without the header. */
export const python: TraceReader = {
  language: 'python',
  read: (text, at) => beginsAt(text.lines, at) ? readChain(text, at) : null,
}

function beginsAt (lines: string[], at: number): boolean {
  const line = lines[at] ?? ''
  return line.includes(HEADER) || frameOf(line) !== null
}

function readChain (text: CleanText, at: number): Failure {
  const exceptions: RawException[] = []
  let next = at
  for (;;) {
    const part = text.lines[next]?.trimStart().startsWith(GROUP_HEADER) === true ? readGroup(text, next) : readTraceback(text, next)
    exceptions.push(...part.exceptions)
    next = part.next
    const link = readLink(text.lines, next)
    if (link === null) return { exceptions, next }
    const earlier = part.exceptions[part.chained]
    if (earlier !== undefined) earlier.relation = link.relation
    next = link.next
  }
}

/** A part of a chain; `chained` is the position of the exception that the next part was raised from. */
type Part = Failure & { chained: number }

/** The phrase between two parts of a chain, when a traceback follows it. */
function readLink (lines: string[], at: number): { relation: ExceptionRelation, next: number } | null {
  const phraseAt = skipBlank(lines, at)
  const phrase = lines[phraseAt]?.trim()
  const relation = LINKS.find(([known]) => known === phrase)?.[1]
  if (relation === undefined) return null
  const next = skipBlank(lines, phraseAt + 1)
  return beginsAt(lines, next) ? { relation, next } : null
}

function skipBlank (lines: string[], at: number): number {
  let next = at
  while (next < at + 4 && lines[next]?.trim() === '') next++
  return next
}

function readTraceback (text: CleanText, at: number): Part {
  const { lines } = text
  const frames: RawFrame[] = []
  let next = lines[at]?.includes(HEADER) === true ? at + 1 : at
  let indent = 0
  for (; next < lines.length; next++) {
    const line = lines[next] ?? ''
    const frame = frameOf(line)
    if (frame !== null) {
      indent = line.indexOf('File "')
      next += readSource(lines, next, indent, frame)
      addFrame(frames, frame)
      continue
    }
    const trimmed = line.trim()
    const repeated = REPEATED.exec(trimmed)
    const last = frames.at(-1)
    if (repeated !== null && last !== undefined) last.repeat += Number(repeated[1])
    else if (trimmed !== '...' || frames.length === 0) break
  }
  const error = readError(text, next)
  return { exceptions: [{ type: error.type, message: error.message, relation: 'root', frames }], next: Math.max(error.next, at + 1), chained: 0 }
}

function frameOf (line: string): RawFrame | null {
  const at = line.indexOf('File "')
  if (at === -1) return null
  const before = line.slice(0, at)
  if (before.trim() !== '' && !before.endsWith('  ')) return null // source code that quotes a traceback
  const raw = line.slice(at).trimEnd()
  const match = FRAME.exec(raw)
  if (match === null) return null
  return newFrame(raw, { file: match[1] ?? null, line: Number(match[2]), function: match[3]?.trim() || null })
}

/** Takes the code printed below a frame into it, and answers how many lines that was. */
function readSource (lines: string[], at: number, indent: number, frame: RawFrame): number {
  let count = 0
  while (count < MAX_SOURCE_LINES) {
    const line = lines[at + 1 + count]
    if (line === undefined || line.trim() === '' || frameOf(line) !== null) break
    if (indentOf(line) <= indent && (count > 0 || !isUnindentedSource(lines, at + 1))) break
    const trimmed = line.trim()
    if (REPEATED.test(trimmed)) break
    if (frame.sourceText !== null && isErrorLine(trimmed)) break // an error that was indented by hand
    if (frame.sourceText === null && !CARETS.test(line)) frame.sourceText = trimmed
    count++
  }
  return count
}

/** A trace whose indentation was lost: the line between a frame and the next one, or the error, is code. */
function isUnindentedSource (lines: string[], at: number): boolean {
  const line = lines[at]?.trim() ?? ''
  const after = lines[at + 1]?.trim() ?? ''
  if (isErrorLine(line) || line === '...' || REPEATED.test(line) || LINKS.some(([phrase]) => phrase === line)) return false
  return frameOf(after) !== null || isErrorLine(after)
}

function addFrame (frames: RawFrame[], frame: RawFrame): void {
  const last = frames.at(-1)
  if (last !== undefined && last.raw === frame.raw) last.repeat++
  else frames.push(frame)
}

function splitError (line: string): { type: string, message: string } | null {
  const colon = line.indexOf(':')
  const type = colon === -1 ? line : line.slice(0, colon)
  if (!TYPE.test(type)) return null
  return { type, message: colon === -1 ? '' : line.slice(colon + 1) }
}

function isErrorLine (line: string): boolean {
  const error = splitError(line)
  return error !== null && ERROR_TYPE.test(error.type)
}

function readError (text: CleanText, at: number): { type: string | null, message: string | null, next: number } {
  const first = text.lines[at]
  const error = first === undefined ? null : splitError(first.trim())
  if (first === undefined || error === null) return { type: null, message: null, next: at }
  const message = [error.message]
  let next = at + 1
  while (next < text.lines.length && message.length < MAX_MESSAGE_LINES && goesOn(text, at, next)) {
    message.push((text.lines[next] ?? '').slice(indentOf(first)))
    next++
  }
  return { type: error.type, message: joinMessage(message), next }
}

function goesOn (text: CleanText, first: number, at: number): boolean {
  const line = text.lines[at] ?? ''
  const trimmed = line.trim()
  if (trimmed === '' || (text.stamped[at] === 1 && text.stamped[first] === 0)) return false
  if (indentOf(line) < indentOf(text.lines[first] ?? '') || startsLogEntry(trimmed) || beginsAt(text.lines, at)) return false
  return !trimmed.startsWith('at ') && !LINKS.some(([phrase]) => phrase === trimmed)
}

/** An exception group, drawn as a tree: the group's own traceback, then its members, whatever their depth. */
function readGroup (text: CleanText, at: number): Part {
  const sections: string[][] = [[HEADER]]
  let next = at + 1
  for (; next < text.lines.length; next++) {
    const line = text.lines[next] ?? ''
    const margin = GROUP_MARGIN.exec(line)
    if (margin === null) break
    if (GROUP_SEPARATOR.test(line)) sections.push([])
    else sections.at(-1)?.push(line.slice(margin[0].length).replace(/^ /, ''))
  }
  const [own, ...members] = sections.map(lines => readMember(lines))
  const exceptions = own ?? []
  const chained = Math.max(0, exceptions.length - 1)
  for (const member of members.flat()) exceptions.push({ ...member, relation: 'grouped' })
  return { exceptions, next, chained }
}

function readMember (lines: string[]): RawException[] {
  const text: CleanText = { lines, stamped: new Uint8Array(lines.length) }
  if (lines.length === 0) return []
  if (beginsAt(lines, 0)) return readChain(text, 0).exceptions
  const { type, message } = readError(text, 0)
  return type === null ? [] : [{ type, message, relation: 'grouped', frames: [] }]
}
