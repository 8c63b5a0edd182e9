import type { CleanText } from '../../layout/clean.ts'
import { headsOf, startsInner, topError, type DotnetError } from './dotnet-error.ts'
import { dotnetFrame } from './dotnet-frame.ts'
import { unityCall } from './unity-frame.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { pushFrame } from '../../frames.ts'
import { isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const END = /^--- .{1,100} ---$/
const END_OF_INNER =
  /\b(?:inner|inneren|interne|interna|interior|innere|wewn)|\u0432\u043D\u0443\u0442\u0440\u0435\u043D\u043D|\u5185\u90E8/i
const GROUPED = /^---> \((?:Inner Exception|[^()#]{1,40}) #\d{1,4}\) /
const INNER_STACK = /^-{5,40} Inner Stack Trace (?:#\d{1,4} \(.{1,300}\) )?-{5,40}$/
const INNER_LISTED = /^Inner Exception \d{1,4}:$/
const RETHROWN = /^Rethrow as (?=\w)/
const LANGUAGES = new Map([
  ['fs', 'fsharp'],
  ['fsx', 'fsharp'],
  ['vb', 'visual-basic'],
])

/** An inner exception that was never thrown has no stack, but its end is marked all the same. */
const endsInner = (line: string): boolean => END.test(line.trim()) && END_OF_INNER.test(line)

const goesOn = (line: string): boolean => dotnetFrame(line) !== null || END.test(line.trim())

function open(reading: Reading, exception: RawException): void {
  reading.exceptions.push(exception)
  reading.open.push(exception)
}

/** Visual Studio lists inner exceptions by type and message below the stack. */
function list(reading: Reading, text: CleanText, at: number): number {
  for (const head of headsOf([lineAt(text.lines, at + 1)])) {
    reading.exceptions.push({ ...head, relation: 'cause', frames: [] })
  }
  return 2
}

function endOfMessage(text: CleanText, at: number): number {
  for (let next = at; next < Math.min(text.lines.length, at + MAX_MESSAGE_LINES); next++) {
    const line = lineAt(text.lines, next)
    if (dotnetFrame(line) !== null || END.test(line.trim()) || startsInner(line)) return next
    if (startsLogEntry(line.trim())) break
  }
  return at
}

/** Unity prints the inner error first: what was rethrown is what was reported. */
function rethrow(reading: Reading, text: CleanText, at: number): number {
  const end = endOfMessage(text, at + 1)
  for (const exception of reading.exceptions) if (exception.relation === 'root') exception.relation = 'cause'
  reading.open.length = 0
  for (const head of headsOf([lineAt(text.lines, at).trim().replace(RETHROWN, ''), ...text.lines.slice(at + 1, end)])) {
    open(reading, { ...head, relation: 'root', frames: [] })
  }
  return end - at
}

/** `---> Type: message`, with the lines that the message goes on for. */
function begin(reading: Reading, text: CleanText, at: number): number {
  const trimmed = lineAt(text.lines, at).trim()
  const isGrouped = GROUPED.test(trimmed)
  const end = endOfMessage(text, at + 1)
  const said = [trimmed.replace(GROUPED, '').replace(/^---> ?/, ''), ...text.lines.slice(at + 1, end)]
  if (isGrouped) reading.open.length = 1
  headsOf(said).forEach((head, index) =>
    open(reading, { ...head, relation: isGrouped && index === 0 ? 'grouped' : 'cause', frames: [] }),
  )
  return end - at
}

const rowOf = (line: string): RawFrame | null => dotnetFrame(line)?.frame ?? null

/** The next frame of a stack: below the first row, a call without a place counts, too. */
const rowInside = (line: string): RawFrame | null => rowOf(line) ?? unityCall(line)

/** Takes a row in as the next frame of the exception that is read; false when the line is none. */
function readFrame(reading: Reading, line: string): boolean {
  const current = reading.open.at(-1)
  const hasFrames = current !== undefined && current.frames.length > 0
  const frame = hasFrames ? rowInside(line) : rowOf(line)
  if (frame !== null && current !== undefined) pushFrame(current.frames, frame)
  return frame !== null
}

/** Takes a line between stacks in, such as the end of an inner one; false when it is no such line. */
function readMark(reading: Reading, trimmed: string): boolean {
  const isInner = reading.open.length > 1
  const isEndOfInner = isInner && (INNER_STACK.test(trimmed) || endsInner(trimmed))
  if (isEndOfInner) reading.open.pop()
  return isEndOfInner || END.test(trimmed) || trimmed === '<---'
}

/** Takes line `at` in; answers how many lines that used, 0 when the trace has ended. */
function readLine(reading: Reading, text: CleanText, at: number): number {
  const line = lineAt(text.lines, at)
  const trimmed = line.trim()
  if (readFrame(reading, line)) return 1
  if (RETHROWN.test(trimmed)) return rethrow(reading, text, at)
  if (INNER_LISTED.test(trimmed)) return list(reading, text, at)
  if (readMark(reading, trimmed)) return 1
  if (trimmed === '') {
    const next = lineAt(text.lines, at + 1)
    return startsInner(next) || INNER_LISTED.test(next.trim()) ? 1 : 0
  }
  return startsInner(line) ? begin(reading, text, at) : 0
}

/** An aggregate prints the first of its members twice: as the inner exception and in the list of all. */
function withoutCopies(exceptions: RawException[]): RawException[] {
  const [, inner] = exceptions
  const copy = exceptions.findIndex(({ relation }) => relation === 'grouped')
  const grouped = exceptions[copy]
  if (
    inner === undefined ||
    grouped === undefined ||
    inner === grouped ||
    inner.type !== grouped.type ||
    joinMessage([inner.message ?? '']) !== joinMessage([grouped.message ?? ''])
  ) {
    return exceptions
  }
  inner.relation = 'grouped'
  const end = exceptions.findIndex(({ relation }, index) => index > copy && relation === 'grouped')
  return exceptions.filter((_, index) => index < copy || (end !== -1 && index >= end))
}

function languageOf(exceptions: readonly RawException[]): string | undefined {
  const file = exceptions.flatMap(({ frames }) => frames).find(frame => frame.file !== null)?.file ?? ''
  return LANGUAGES.get(/\.(\w{1,4})$/.exec(file)?.[1] ?? '')
}

function readChain(text: CleanText, at: number, error: DotnetError | null): Failure {
  const reading: Reading = { exceptions: [], open: [] }
  for (const head of error?.heads ?? [{ type: null, message: null }]) {
    open(reading, { ...head, relation: reading.open.length === 0 ? 'root' : 'cause', frames: [] })
  }
  if (error?.isOutermostFirst === true) reading.open.reverse()
  let next = at
  let end = at
  while (next < text.lines.length) {
    const used = readLine(reading, text, next)
    if (used === 0) break
    next += used
    if (!isBlankAt(text.lines, next - 1)) end = next
  }
  const exceptions = withoutCopies(reading.exceptions)
  for (const { frames } of exceptions) frames.reverse()
  return { exceptions, next: Math.max(end, at + 1), language: languageOf(exceptions) }
}

/** Reads what .NET and Mono print: inner exceptions first, tasks, the members of an aggregate. */
export const dotnet: TraceReader = {
  language: 'csharp',
  opens: [
    '\nat ',
    '\nbei ',
    '\n\u00E0',
    '\nen ',
    '\nem ',
    '\nin ',
    '\nw ',
    '\nv ',
    '\nved ',
    '\nvid ',
    '\nbij ',
    '): at ',
    '(at ',
    '(in ',
    '\n--- ',
  ],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    const first = dotnetFrame(line)
    if (first === null && !endsInner(line)) return null
    const error = topError(text, floor, at)
    if (
      (error?.heads[0]?.type ?? null) === null &&
      (first === null || !(first.hasPlace || goesOn(lineAt(text.lines, at + 1))))
    ) {
      return null
    }
    return readChain(text, at, error)
  },
}

interface Reading {
  exceptions: RawException[]
  /** The exceptions whose stacks have not ended, outermost first: the innermost is printed first. */
  open: RawException[]
}
