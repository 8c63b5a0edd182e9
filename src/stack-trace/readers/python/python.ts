import type { ExceptionRelation } from '../../../core/frame.ts'
import type { CleanText } from '../../layout/clean.ts'
import { isErrorLine, linkAt, splitError } from './python-error.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { indentOf, lineAt, skipBlank } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const HEADER = 'Traceback (most recent call last):'
const GROUP_HEADER = '+ Exception Group Traceback (most recent call last):'
const FRAME = /^File "([^"]+)", line (\d{1,9})(?:, in (.*))?$/
const REPEATED = /^\[Previous line repeated (\d{1,9}) more times?\]$/
const NOTEBOOK_ROW =
  /^\s*(?:File ([^\s"].{0,1000}?):(\d{1,9})|(Cell In ?\[\d{1,6}\]), line (\d{1,9}))(?: in (.{1,1000}))?$/
const ANNOUNCED = /^\[?(?:ERROR|CRITICAL|FATAL)\]?:?\s/
const DJANGO_TYPE = /^Exception Type: (\S{1,200})/
const DJANGO_VALUE = /^Exception Value: (.*)$/
const NAMED_IN_LINK = /above exception \((.*)\)/
const CARETS = /^[\s~^]+$/
// A traceback that was sent from another process is quoted; a tool that saved the rest says where.
const ENDS_MESSAGE = /^"""$|^The full traceback has been saved in /
// What the interpreter itself says, whole: what stands below it is another's.
const NAMED = '[\'"][^\'"]{1,300}[\'"]'
const SAID_IN_ONE_LINE = new RegExp(
  `^\\s*(?:${[
    `ModuleNotFoundError: No module named ${NAMED}`,
    `KeyError: (?:${NAMED}|-?\\d+)`,
    `NameError: name ${NAMED} is not defined`,
    `AttributeError: (?:${NAMED} object|(?:partially initialized )?module ${NAMED}|type object ${NAMED}) ` +
      `has no attribute ${NAMED}`,
    'ZeroDivisionError: [\\w ]{0,40}division[\\w ]{0,40}',
    'IndexError: [\\w ]{1,40} index out of range',
    `\\w{1,40}Error: \\[(?:Errno|WinError) -?\\d{1,6}\\] [^:'"]{1,200}(?:: ${NAMED}(?: -> ${NAMED})?)?`,
    'KeyboardInterrupt',
  ].join('|')})(?:\\. Did you mean: ${NAMED}\\?)?$`,
)
const GROUP_SEPARATOR = /^\s*\+[-+ .\d]*-$/
const GROUP_MARGIN = /^\s*[|+]/
const MAX_SOURCE_LINES = 40
const MAX_LINES_ABOVE = 6
const MAX_BLANK = 4 // between the parts of a chain

// Cython adds the place in its C code.
const nameOf = (shown: string | undefined): string | null =>
  shown?.replace(/ \(\S{1,1000}\.c(?:pp)?:\d{1,9}\)\s*$/, '').trim() || null

function frameOf(line: string): RawFrame | null {
  const at = line.indexOf('File "')
  if (at === -1) return null
  const before = line.slice(0, at)
  if (before.trim() !== '' && !before.endsWith('  ')) return null // source code that quotes a traceback
  const raw = line.slice(at).trimEnd()
  const match = FRAME.exec(raw)
  if (match === null) return null
  return newFrame(raw, { file: match[1], line: match[2], function: nameOf(match[3]) })
}

function beginsAt(lines: string[], at: number): boolean {
  const line = lineAt(lines, at)
  return line.includes(HEADER) || frameOf(line) !== null
}

/** The phrase between two parts of a chain, when a traceback follows it. */
function readLink(lines: string[], at: number): { relation: ExceptionRelation; at: number; next: number } | null {
  const phraseAt = skipBlank(lines, lines[at]?.trim() === '"""' ? at + 1 : at, MAX_BLANK)
  const relation = linkAt(lines, phraseAt)
  if (relation === null) return null
  const next = skipBlank(lines, phraseAt + 1, MAX_BLANK)
  return beginsAt(lines, next) ? { relation, at: phraseAt, next } : null
}

/** A service that logs the error and then only where it was: `[ERROR] KeyError: 'price'` above the header. */
function announced(lines: string[], floor: number, at: number): { type: string; message: string | null } | null {
  const error =
    at > floor
      ? splitError(
          lineAt(lines, at - 1)
            .replace(ANNOUNCED, '')
            .trim(),
        )
      : null
  return error === null || !isErrorLine(error.type) ? null : { type: error.type, message: joinMessage([error.message]) }
}

/** Error trackers print the error first, then its frames, and no header. */
function errorAbove(lines: string[], floor: number, at: number): { type: string; message: string | null } | null {
  const indent = indentOf(lineAt(lines, at))
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_ABOVE); above--) {
    const line = lineAt(lines, above)
    if (line.trim() === '') return null
    const error = isErrorLine(line.trim()) && indentOf(line) < indent ? splitError(line.trim()) : null
    if (error !== null) {
      return { type: error.type, message: joinMessage([error.message, ...lines.slice(above + 1, at)]) }
    }
  }
  return null
}

/** What Django's report and doctest print behind the rows instead of `Type: message`. */
function reportedError(lines: string[], at: number): (ErrorHead & { next: number }) | null {
  if (lines[at]?.trim() === 'Failed example:') {
    const end = lines
      .slice(at, at + MAX_MESSAGE_LINES)
      .findIndex(line => line.startsWith('*****') || line.startsWith('Exception raised:'))
    const next = at + (end === -1 ? MAX_MESSAGE_LINES : end)
    return { type: null, message: joinMessage(lines.slice(at, next)), next }
  }
  const typeAt = skipBlank(lines, at, MAX_BLANK)
  const type = DJANGO_TYPE.exec(lineAt(lines, typeAt))?.[1]
  if (type === undefined) return null
  const value = DJANGO_VALUE.exec(lineAt(lines, typeAt + 1))?.[1]
  return { type, message: joinMessage([value ?? '']), next: typeAt + (value === undefined ? 1 : 2) }
}

/** IPython's plain form of a row, which only the header of the traceback tells from prose. */
function rowOf(line: string): RawFrame | null {
  const match = NOTEBOOK_ROW.exec(line)
  if (match === null) return frameOf(line)
  return newFrame(line.trim(), {
    file: match[1] ?? match[3],
    line: match[2] ?? match[4],
    function: match[5]?.trim() || null,
  })
}

/** A trace whose indentation was lost: the line between a frame and the next one, or the error, is code. */
function isUnindentedSource(lines: string[], at: number, indent: number): boolean {
  const line = lineAt(lines, at).trim()
  const marked = CARETS.test(lines[at + 1] ?? ' x')
  const after = lines[marked ? at + 2 : at + 1]?.trim()
  if (isErrorLine(line) || line === '...' || REPEATED.test(line) || linkAt(lines, at) !== null) return false
  // the text ends here
  if (after === undefined || after === '') return indent === 0 && !line.includes(': ') && /[()_.=]/.test(line)
  return frameOf(after) !== null || isErrorLine(after)
}

/** Takes the code printed below a frame into it, and answers how many lines that was. */
function readSource(lines: string[], at: number, indent: number, frame: RawFrame): number {
  let count = 0
  while (count < MAX_SOURCE_LINES) {
    const line = lines[at + 1 + count]
    if (line === undefined || line.trim() === '' || rowOf(line) !== null) break
    if (indentOf(line) <= indent && !(count === 0 ? isUnindentedSource(lines, at + 1, indent) : CARETS.test(line))) {
      break
    }
    const trimmed = line.trim()
    if (REPEATED.test(trimmed)) break
    if (frame.sourceText !== null && isErrorLine(trimmed)) break // an error that was indented by hand
    if (frame.sourceText === null && !CARETS.test(line)) frame.sourceText = trimmed
    count++
  }
  return count
}

function goesOn(text: CleanText, first: number, at: number): boolean {
  const line = lineAt(text.lines, at)
  const trimmed = line.trim()
  if (trimmed === '' || (text.stamped[at] === 1 && text.stamped[first] === 0)) return false
  if (indentOf(line) < indentOf(lineAt(text.lines, first)) || startsLogEntry(trimmed) || beginsAt(text.lines, at)) {
    return false
  }
  return !trimmed.startsWith('at ') && !ENDS_MESSAGE.test(trimmed) && linkAt(text.lines, at) === null
}

function readError(text: CleanText, at: number): ErrorHead & { next: number } {
  const first = text.lines[at]
  const error = first === undefined ? null : splitError(first.trim())
  if (first === undefined || error === null) return { type: null, message: null, next: at }
  const message = [error.message]
  let next = at + 1
  if (SAID_IN_ONE_LINE.test(first)) return { type: error.type, message: joinMessage(message), next }
  while (next < text.lines.length && message.length < MAX_MESSAGE_LINES && goesOn(text, at, next)) {
    message.push(lineAt(text.lines, next).slice(indentOf(first)))
    next++
  }
  return { type: error.type, message: joinMessage(message), next }
}

/** The frames from line `at` on, with their code, and the first line after them. */
function readFrames(lines: string[], at: number): { frames: RawFrame[]; next: number } {
  const frames: RawFrame[] = []
  let next = at
  for (; next < lines.length; next++) {
    const line = lineAt(lines, next)
    const frame = rowOf(line)
    if (frame !== null) {
      const indent = indentOf(line.slice(0, line.indexOf(frame.raw)) + '.')
      next += readSource(lines, next, indent, frame)
      pushFrame(frames, frame)
      continue
    }
    const trimmed = line.trim()
    const repeated = REPEATED.exec(trimmed)
    const last = frames.at(-1)
    if (repeated !== null && last !== undefined) last.repeat += Number(repeated[1])
    else if (trimmed !== '...' || frames.length === 0) break
  }
  return { frames, next }
}

function readTraceback(text: CleanText, at: number, floor: number): Part {
  const { lines } = text
  const hasHeader = lineAt(lines, at).includes(HEADER)
  const { frames, next } = readFrames(lines, hasHeader ? at + 1 : at)
  const first = hasHeader ? null : errorAbove(lines, floor, at)
  const below = first === null ? readError(text, next) : { ...first, next }
  const isUnnamed = below.type === null
  const above = isUnnamed && hasHeader ? announced(lines, floor, at) : null
  const reported = isUnnamed && above === null ? reportedError(lines, next) : null
  const error = reported ?? { ...below, ...above }
  return {
    exceptions: [{ type: error.type, message: error.message, relation: 'root', frames }],
    next: Math.max(error.next, at + 1),
    chained: 0,
  }
}

/** A member of a group is a chain, in which groups may stand: who reads a group hands down how chains are read. */
type ReadChain = (text: CleanText, at: number, floor: number) => Failure

function readMember(lines: string[], chainAt: ReadChain): RawException[] {
  const text: CleanText = { lines, stamped: new Uint8Array(lines.length) }
  if (lines.length === 0) return []
  if (beginsAt(lines, 0)) return chainAt(text, 0, 0).exceptions
  const { type, message } = readError(text, 0)
  return type === null ? [] : [{ type, message, relation: 'grouped', frames: [] }]
}

/** An exception group, drawn as a tree: the group's own traceback, then its members, whatever their depth. */
function readGroup(text: CleanText, at: number, chainAt: ReadChain): Part {
  const sections: string[][] = [[HEADER]]
  let next = at + 1
  for (; next < text.lines.length; next++) {
    const line = lineAt(text.lines, next)
    const margin = GROUP_MARGIN.exec(line)
    if (margin === null) break
    if (GROUP_SEPARATOR.test(line)) sections.push([])
    else sections.at(-1)?.push(line.slice(margin[0].length).replace(/^ /, ''))
  }
  const [own, ...members] = sections.map(lines => readMember(lines, chainAt))
  const exceptions = own ?? []
  const chained = Math.max(0, exceptions.length - 1)
  for (const member of members) {
    // What a member was raised from stays its cause.
    for (const exception of member) {
      exceptions.push({ ...exception, relation: exception.relation === 'root' ? 'grouped' : exception.relation })
    }
  }
  return { exceptions, next, chained }
}

function readChain(text: CleanText, at: number, floor: number): Failure {
  const exceptions: RawException[] = []
  let next = at
  for (;;) {
    const isGroup = lineAt(text.lines, next).trimStart().startsWith(GROUP_HEADER)
    const lowest = next === at ? floor : next
    const part = isGroup ? readGroup(text, next, readChain) : readTraceback(text, next, lowest)
    exceptions.push(...part.exceptions)
    next = part.next
    const link = readLink(text.lines, next)
    if (link === null) return { exceptions, next }
    const earlier = part.exceptions[part.chained]
    if (earlier !== undefined) earlier.relation = link.relation
    if (earlier?.type === null) earlier.message ??= NAMED_IN_LINK.exec(lineAt(text.lines, link.at))?.[1] ?? null
    next = link.next
  }
}

/**
 * Reads what CPython's `traceback` module prints: plain, chained and grouped tracebacks, with or without the header.
 */
export const python: TraceReader = {
  language: 'python',
  opens: ['Traceback (', 'File "'],
  read: (text, at, floor) => (beginsAt(text.lines, at) ? readChain(text, at, floor) : null),
}

/** A part of a chain; `chained` is the position of the exception that the next part was raised from. */
type Part = Failure & { chained: number }
