import type { CleanText } from '../../layout/clean.ts'
import { isErrorLine, linkAt, splitError } from './python-error.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { indentOf, isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const TITLE = /^_{3,} (.{1,400}) _{3,}$/
const PLACE = /^(\S.{0,1000}?\.\w{1,5}):(\d{1,9}):(?: (.*))?$/
const MARKED = /^> {1,200}(\S.*)$/
const ERROR = /^E {1,3}(.*)$/
const DEFINITION = /^\s{1,60}(?:async )?def (\w{1,200})\(/
const SUMMARY = /^(?:FAILED|ERROR) (\S{1,1000}?\.\w{1,5})(?:::(\S.*?))?(?: - (.*))?$/
const ERROR_TYPE = /^[A-Za-z_][\w.]{0,200}(?:Error|Exception|Exit|Interrupt|Failed|Failure|Timeout|Iteration|Group)\b/
const MAX_LINES_ABOVE = 60
const MAX_LINES_TO_PLACE = 60
const MAX_SUMMARY = 1000

const isOwn = (rest: string): boolean => rest.startsWith('in ') || (ERROR_TYPE.test(rest) && !rest.includes('Warning'))

function placeOf(line: string): { file: string; line: number; rest: string } | null {
  const match = line.includes(':') && !line.startsWith(' ') ? PLACE.exec(line) : null
  if (match === null) return null
  const [, file = '', number, rest = ''] = match
  return { file, line: Number(number), rest: rest.trim() }
}

const endsReport = (line: string): boolean =>
  TITLE.test(line) || line.startsWith('=====') || line.startsWith('-----') || line.startsWith('Traceback (most recent')

function placeFollows(lines: string[], at: number): boolean {
  for (let next = at + 1; next < at + MAX_LINES_TO_PLACE; next++) {
    const line = lines[next]
    if (line === undefined || endsReport(line)) return false
    if (placeOf(line) !== null) return true
  }
  return false
}

function begins(lines: string[], at: number): boolean {
  const line = lineAt(lines, at)
  // Only the first line of a block, or each of them would look for the place below.
  if (MARKED.test(line) || ERROR.test(line)) {
    return line.charAt(0) !== lines[at - 1]?.charAt(0) && placeFollows(lines, at)
  }
  const place = placeOf(line)
  return place !== null && isOwn(place.rest)
}

/** After the last place of one exception only the next one of its chain may follow. */
function isLinked(lines: string[], at: number): boolean {
  return isBlankAt(lines, at) ? linkAt(lines, at + 1) !== null : linkAt(lines, at) !== null
}

function readPlace(
  reading: Reading,
  lines: string[],
  at: number,
  place: { file: string; line: number; rest: string },
): number {
  const inside = place.rest.startsWith('in ') ? place.rest.slice(3) : null
  const below = inside === null ? null : lines[at + 1]
  const source = below !== undefined && below !== null && indentOf(below) >= 4 ? below.trim() : null
  reading.frames.push(
    newFrame(lineAt(lines, at).trimEnd(), {
      file: place.file,
      line: place.line,
      function: inside ?? reading.function,
      sourceText: source ?? reading.source,
    }),
  )
  if (inside === null) reading.said = place.rest
  reading.source = null
  reading.function = null
  return source === null ? at : at + 1
}

function definitionAbove(lines: string[], at: number): string | null {
  for (let above = at; above > at - MAX_LINES_ABOVE && above >= 0; above--) {
    const line = lineAt(lines, above)
    const name = DEFINITION.exec(line.replace(/^>/, ' '))?.[1]
    if (name !== undefined) return name
    if (above < at && (placeOf(line) !== null || line.startsWith('_'))) return null
  }
  return null
}

function errorOf(error: string[], said: string): ErrorHead {
  const indent = Math.min(...error.filter(line => line.trim() !== '').map(indentOf))
  const lines = error.map(line => line.slice(Number.isFinite(indent) ? indent : 0))
  const [first = said, ...more] = lines
  const split = splitError(first)
  if (split !== null && (isErrorLine(first) || said.startsWith(split.type))) {
    return { type: split.type, message: joinMessage([split.message, ...more]) }
  }
  const [type = ''] = said.split(':', 1)
  return { type: type === '' ? null : type, message: joinMessage([first, ...more]) }
}

/** One exception is read whole; `relation` is what it is to the one that follows. */
function finish(reading: Reading, relation: RawException['relation'] = 'root'): void {
  const { frames, error, said } = reading
  if (frames.length > 0 || error.length > 0) {
    const { type, message } = errorOf(error, said)
    reading.exceptions.push({ type, message, relation, frames })
  }
  Object.assign(reading, { frames: [], error: [], said: '', source: null, function: null })
}

function readLine(reading: Reading, lines: string[], at: number): number {
  const line = lineAt(lines, at)
  const link = linkAt(lines, at)
  if (link !== null) {
    finish(reading, link)
    return at
  }
  const marked = MARKED.exec(line)
  if (marked !== null) {
    reading.source = marked[1] ?? null
    reading.function = definitionAbove(lines, at)
    return at
  }
  const error = ERROR.exec(line)
  if (error !== null) reading.error.push(error[1] ?? '')
  const place = error === null ? placeOf(line) : null
  return place === null ? at : readPlace(reading, lines, at, place)
}

function readReport(text: CleanText, at: number): Failure | null {
  const { lines } = text
  const reading: Reading = { exceptions: [], frames: [], error: [], said: '', source: null, function: null }
  let next = at
  for (; next < lines.length; next++) {
    const line = lineAt(lines, next)
    if (next > at && endsReport(line)) break
    if (reading.said !== '' && !isLinked(lines, next)) break
    next = readLine(reading, lines, next)
  }
  finish(reading)
  return reading.exceptions.length === 0 ? null : { exceptions: reading.exceptions, next: Math.max(next, at + 1) }
}

/** `FAILED tests/test_a.py::test_b - KeyError: 'x'` is all there is with `--tb=no`. */
function readSummary(text: CleanText, at: number): Failure[] | null {
  const failures: Failure[] = []
  for (let next = at; next < at + MAX_SUMMARY; next++) {
    const match = SUMMARY.exec(lineAt(text.lines, next))
    if (match === null) break
    const { type, message } = match[3] === undefined ? { type: null, message: null } : errorOf([match[3]], '')
    const name = match[2]?.split('::').join('.') ?? null
    failures.push({
      exceptions: [
        { type, message, relation: 'root', frames: [newFrame(match[0], { file: match[1], function: name })] },
      ],
      next: next + 1,
    })
  }
  return failures.length === 0 ? null : failures
}

/** Reads pytest's own reports (`--tb=long`, `short`, `line`, and the summary alone); its native style is Python's. */
export const pytest: TraceReader = {
  language: 'python',
  opens: ['\nFAILED ', '\nERROR ', '\n> ', '\nE ', '\nE\n', '0: '],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    const first = line.charAt(0)
    if (first === 'F' || (first === 'E' && line.startsWith('ERROR '))) return floor === 0 ? readSummary(text, at) : null
    return begins(text.lines, at) ? readReport(text, at) : null
  },
}

interface Reading {
  exceptions: RawException[]
  frames: RawFrame[]
  error: string[]
  /** What pytest puts behind the last place: the type alone, or the whole message. */
  said: string
  source: string | null
  function: string | null
}
