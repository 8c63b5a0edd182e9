import type { CleanText } from '../../layout/clean.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushPlace } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, opensField, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const LOGGER = /^(?:\[?\s{0,8}\+?\s{0,8}\d{0,6} ms\] )?flutter: ?/
const NUMBERED = /^#(\d{1,6})\s{1,8}(\S.*?) \((\S+?)(?::(\d{1,9}))?(?::(\d{1,9}))?\)$/
const NAMED = /^#(\d{1,6})\s{1,8}(\S.*)$/
const PLACE_BELOW = /^((?:package|dart):[^\s:]{1,500}):(\d{1,9})(?::(\d{1,9}))?$/
const TERSE =
  /^((?:package:|dart:|packages\/|file:\/\/\/|https?:\/\/|[\w$./-])[^\s:]{0,500}(?:\.dart|\.js)?)(?: (\d{1,9})(?::(\d{1,9}))?)?\s{2,200}(\S.{0,500})$/
const GAP =
  /^(?:<asynchronous\s{1,4}suspension>|=====\s?asynchronous gap ?=*|<\u2026>|\.{3}\s{1,8}\S.{0,80}|\(elided .{1,300}\))$/
const BANNER = /^[\u2550=]{2,}[\u2561|] EXCEPTION CAUGHT BY (.{1,80}?) [\u255E|][\u2550=]*/
const THROWN = /^The following (\S{1,200}) (?:object )?was thrown/
const STACK_HEADING = /^When the exception was thrown, this was the stack/
const UNHANDLED = /(?:^|\] )Unhandled (?:[Ee]xception|error):\s{0,4}(.*)$/
const TYPED = /^((?:_|\w{1,40}\.)?[A-Z]\w{0,80}(?:Exception|Error|Failure)): (.*)$/
const MAX_LINES_ABOVE = 60

const withoutLogger = (line: string): string => line.replace(LOGGER, '')
const isNumbered = (line: string): boolean => withoutLogger(line).trimStart().startsWith('#')

const isSource = (file: string): boolean => /^(?:dart|package):|\.dart$/.test(file)

function frameOf(raw: string, { name, file, line, column }: Parts): RawFrame {
  // A closure has the name of the method that it stands in.
  const called = name?.replace(/(?<!\.<anonymous closure>|\.<fn>)(?:\.(?:<anonymous closure>|<fn>))+$/, '') ?? ''
  return newFrame(raw, {
    function: called === '' || called === '<fn>' || called === '<anonymous closure>' ? null : called,
    file,
    line,
    column,
  })
}

/** One row of a Dart stack, numbered or terse; null for another line. */
export function dartFrame(line: string): RawFrame | null {
  const raw = withoutLogger(line).trim()
  const numbered = raw.startsWith('#') ? NUMBERED.exec(raw) : null
  if (numbered !== null) {
    const [, , name, file = '', number, column] = numbered
    return isSource(file) ? frameOf(raw, { name, file, line: number, column }) : null
  }
  const terse = raw.includes('  ') ? TERSE.exec(raw) : null
  if (terse === null) return null
  const [, file = '', number, column, name] = terse
  const isPlace = isSource(file) && (number !== undefined || file.startsWith('dart:'))
  return isPlace ? frameOf(raw, { name, file, line: number, column }) : null
}

/** A terse row alone could be anything: another one, or a gap, has to follow. */
function goesOn(lines: readonly string[], at: number): boolean {
  const line = lineAt(lines, at)
  return GAP.test(line.trim()) || dartFrame(line) !== null
}

const isStack = (lines: readonly string[], at: number): boolean =>
  isNumbered(lineAt(lines, at)) || goesOn(lines, at + 1)

/** Consoles of editors put the place, as a link, on a line of its own below the function. */
function splitFrame(lines: readonly string[], at: number): RawFrame | null {
  const raw = withoutLogger(lineAt(lines, at)).trim()
  const place = raw.startsWith('#') ? PLACE_BELOW.exec(withoutLogger(lineAt(lines, at + 1)).trim()) : null
  const name = place === null ? undefined : NAMED.exec(raw)?.[2]
  return place === null || name === undefined
    ? null
    : frameOf(`${raw} ${place[0]}`, { name, file: place[1], line: place[2], column: place[3] })
}

function isSaid(text: CleanText, at: number): boolean {
  const line = withoutLogger(lineAt(text.lines, at - 1))
  return line.trim() !== '' && !opensField(line) && !startsLogEntry(lineAt(text.lines, at).trim())
}

function typed(lines: string[]): ErrorHead {
  const [head = '', ...more] = lines
  const error = TYPED.exec(head.trim())
  if (error === null) return { type: null, message: joinMessage(lines) }
  const [, type = null, message = ''] = error
  return { type, message: joinMessage([message, ...more]) }
}

/** Flutter's report: the type in a sentence, then the message up to an empty line. */
function flutterError(text: CleanText, first: number, at: number): ErrorHead | null {
  for (let above = at - 1; above >= first; above--) {
    const line = withoutLogger(lineAt(text.lines, above)).trim()
    if (BANNER.test(line)) return null
    const thrown = THROWN.exec(line)
    if (thrown === null) continue
    const message: string[] = []
    for (let next = above + 1; next < at && message.length < MAX_MESSAGE_LINES; next++) {
      const said = withoutLogger(lineAt(text.lines, next))
      if (said.trim() === '' || STACK_HEADING.test(said.trim())) break
      message.push(said)
    }
    const found = typed(message)
    return {
      type: thrown[1] ?? null,
      message: found.type === null || found.type === thrown[1] ? found.message : joinMessage(message),
    }
  }
  return null
}

function errorAbove(text: CleanText, floor: number, at: number): ErrorHead {
  const first = Math.max(floor, at - MAX_LINES_ABOVE)
  const heading = text.lines
    .slice(Math.max(first, at - 2), at)
    .findIndex(line => STACK_HEADING.test(withoutLogger(line).trim()))
  if (heading !== -1) return flutterError(text, first, at) ?? { type: null, message: null }
  let start = at
  while (start > first && at - start < MAX_MESSAGE_LINES && isSaid(text, start)) start--
  const lines = text.lines.slice(start, at).map(line => withoutLogger(line))
  const unhandled = lines.findLastIndex(line => UNHANDLED.test(line))
  const [head = '', ...more] = lines.slice(Math.max(0, unhandled))
  const said = UNHANDLED.exec(head)?.[1] ?? head
  return typed(said.trim() === '' ? more : [said, ...more])
}

/**
 * Reads stacks of Dart and Flutter: numbered ones, terse ones of the test runner, and the reports of Flutter above
 * them.
 */
export const dart: TraceReader = {
  language: 'dart',
  opens: ['#', 'dart', 'package:'],
  read(text, at, floor) {
    if (
      splitFrame(text.lines, at) === null &&
      (dartFrame(lineAt(text.lines, at)) === null || !isStack(text.lines, at))
    ) {
      return null
    }
    const frames: RawFrame[] = []
    let next = at
    for (; next < text.lines.length; next++) {
      const line = withoutLogger(lineAt(text.lines, next))
      const split = splitFrame(text.lines, next)
      const frame = split ?? dartFrame(line)
      if (split !== null) next++
      if (frame !== null) pushPlace(frames, frame)
      else if (!GAP.test(line.trim())) break
    }
    const exception: RawException = { ...errorAbove(text, floor, at), relation: 'root', frames: frames.reverse() }
    return { exceptions: [exception], next } satisfies Failure
  },
}

interface Parts {
  name: string | undefined
  file: string | undefined
  line: string | undefined
  column: string | undefined
}
