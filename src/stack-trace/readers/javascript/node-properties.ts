import type { CleanText } from '../../layout/clean.ts'
import { frameInside } from './node-frame.ts'
import { errorFrom, startsWithError } from './node-error.ts'
import type { Failure, RawException } from '../../failures.ts'
import { pushFrame } from '../../frames.ts'
import { indentOf, lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES } from '../../messages.ts'

const PROPERTY = /^\[?(cause|errors|error|suppressed)\]?: (.*)$/
const RELATIONS = new Map<string, RawException['relation']>([
  ['cause', 'cause'],
  ['errors', 'grouped'],
  ['error', 'cause'],
  ['suppressed', 'suppressed'],
])

interface Reading {
  exceptions: RawException[]
  /** Lines of the message of the error being read; null once its stack or another property began. */
  message: string[] | null
  /** Indentation of the list of errors that the lines are in; null outside one. */
  listIndent: number | null
}

const leaves = (line: string | undefined, indent: number): boolean =>
  line === undefined || line.trim() === '' || indentOf(line) <= Math.max(0, indent)

function finishMessage(reading: Reading): void {
  const current = reading.exceptions.at(-1)
  if (reading.message !== null && reading.message.length > 0 && current !== undefined) {
    current.message = joinMessage([current.message ?? '', ...reading.message])
  }
  reading.message = null
}

function begin(reading: Reading, relation: RawException['relation'], head: string): void {
  finishMessage(reading)
  const bracketed = /^\[(.*)\](?: \{|,)?$/.exec(head)?.[1] // an error without a stack
  reading.exceptions.push({ ...errorFrom([bracketed ?? head]), relation, frames: [] })
  reading.message = bracketed === undefined ? [] : null
}

function readProperty(reading: Reading, name: string, value: string, indent: number): void {
  finishMessage(reading)
  if (value === '[') {
    if (name === 'errors') reading.listIndent = indent
    return
  }
  if (startsWithError(value.replace(/^\[/, ''))) begin(reading, RELATIONS.get(name) ?? 'cause', value)
}

/** Takes a row in as the next frame of the error that is read; false when the line is none. */
function readFrame(reading: Reading, line: string): boolean {
  const frames = reading.exceptions.at(-1)?.frames ?? []
  const frame = frameInside(line, frames)
  if (frame === null) return false
  finishMessage(reading)
  pushFrame(frames, frame)
  return true
}

function readLine(reading: Reading, line: string, trimmed: string): void {
  if (readFrame(reading, line)) return
  const property = PROPERTY.exec(trimmed)
  if (property !== null) return readProperty(reading, property[1] ?? '', property[2] ?? '', indentOf(line))
  if (reading.listIndent !== null && indentOf(line) <= reading.listIndent) reading.listIndent = null
  if (reading.listIndent !== null && startsWithError(trimmed.replace(/^\[/, ''))) begin(reading, 'grouped', trimmed)
  else if (reading.message !== null && reading.message.length < MAX_MESSAGE_LINES) reading.message.push(trimmed)
}

/**
 * What `util.inspect` prints between `{` and `}` behind a stack: nested errors, each with its own stack.
 *
 * @param indent - Indentation of the error itself, at which the closing brace stands.
 */
export function readProperties(text: CleanText, at: number, indent: number): Failure {
  const reading: Reading = { exceptions: [], message: null, listIndent: null }
  let next = at
  for (; next < text.lines.length; next++) {
    const line = lineAt(text.lines, next)
    const trimmed = line.trim()
    if (trimmed === '' ? leaves(text.lines[next + 1], indent) : indentOf(line) <= Math.max(0, indent)) break
    readLine(reading, line, trimmed)
  }
  finishMessage(reading)
  for (const exception of reading.exceptions) exception.frames.reverse()
  return { exceptions: reading.exceptions, next: text.lines[next]?.trim().startsWith('}') === true ? next + 1 : next }
}
