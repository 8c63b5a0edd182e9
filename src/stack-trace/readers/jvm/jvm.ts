import type { CleanText } from '../../layout/clean.ts'
import { afterLink, beginsEntry, jvmErrorAbove, leadingError, linkOf, namesThread, splitError } from './jvm-error.ts'
import { bareFrame, isCoroutineMark, jvmFrame, jvmLanguage } from './jvm-frame.ts'
import type { ErrorHead, Failure, RawException } from '../../failures.ts'
import { pushFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const ELIDED =
  /^\.\.\. (?:\d{1,9} )?(?:more|common frames omitted|lines omitted|frames? (?:truncated|omitted|excluded)|filtered|\(.*\))|^\.\.\.$|^\[\.\.\.\]$/
const LOCK = /^- (?:locked|waiting|parking|eliminated|None|<0x)|^\(Compiled frame|^Locked (?:ownable )?synchronizers/
const CIRCULAR = /^(?:Caused by: |Suppressed: )?\[CIRCULAR REFERENCE:.*\]$/
const FRAMELESS = /^java\.lang\.\w{1,80}(?:Exception|Error)(?:: .*)?$/
const MAX_LINES_TO_LINK = 8

function alone(text: CleanText, at: number, { type, message }: { type: string; message: string }): Failure | null {
  if (linkOf(lineAt(text.lines, at + 1).trim()) !== null) return null
  return { exceptions: [{ type, message: joinMessage([message]), relation: 'root', frames: [] }], next: at + 1 }
}

function nextFrame(lines: string[], at: number): boolean {
  for (let next = at; next < at + MAX_MESSAGE_LINES; next++) {
    const line = lines[next]
    if (line === undefined || startsLogEntry(line.trim())) return false
    if (jvmFrame(line) !== null || linkOf(line.trim()) !== null) return true
  }
  return false
}

/** Loggers may print the errors above a cause by their messages alone: they are the beginning of the chain. */
function errorsWithoutFrames(text: CleanText, floor: number, at: number): RawException[] {
  const above: RawException[] = []
  let line = at
  while (above.length < MAX_LINES_TO_LINK && linkOf(lineAt(text.lines, line).trim()) === 'cause') {
    const found: ErrorHead & { line: number } = jvmErrorAbove(text, floor, line)
    if (found.type === null || found.line === line) break
    above.unshift({ type: found.type, message: found.message, relation: 'root', frames: [] })
    line = found.line
  }
  return above
}

function relate(exceptions: RawException[], text: CleanText, line: number): void {
  const link = linkOf(lineAt(text.lines, line).trim())
  for (const [index, exception] of exceptions.entries()) {
    if (index > 0) exception.relation = link === 'suppressed' ? 'suppressed' : 'cause'
  }
}

/** After an empty line only what cannot begin another trace goes on. */
function continues(text: CleanText, at: number): boolean {
  const line = lineAt(text.lines, at)
  return linkOf(line.trim()) !== null || ELIDED.test(line.trim()) || jvmFrame(line) !== null
}

/** First line of the stack below a message; a message whose stack does not come soon is one line long. */
function endOfMessage(text: CleanText, at: number): number {
  for (let next = at; next < Math.min(text.lines.length, at + MAX_MESSAGE_LINES); next++) {
    const line = lineAt(text.lines, next)
    const trimmed = line.trim()
    if (jvmFrame(line) !== null || linkOf(trimmed) !== null || ELIDED.test(trimmed)) return next
    if (beginsEntry(text, next, at - 1)) break
  }
  return at
}

function begin(
  exceptions: RawException[],
  text: CleanText,
  at: number,
  link: 'cause' | 'suppressed' | 'wrapper',
): number {
  const said = afterLink(lineAt(text.lines, at))
  const { type, message } = splitError(said.trim()) ?? { type: null, message: said }
  const end = endOfMessage(text, at + 1)
  if (link === 'wrapper') {
    for (const exception of exceptions) if (exception.relation === 'root') exception.relation = 'cause'
  }
  exceptions.push({
    type,
    message: joinMessage([message, ...text.lines.slice(at + 1, end)]),
    relation: link === 'wrapper' ? 'root' : link,
    frames: [],
  })
  return end - at
}

/** Takes line `at` into the last exception, or begins another one; answers how many lines that used, 0 at the end. */
function readLine(exceptions: RawException[], text: CleanText, at: number): number {
  const line = lineAt(text.lines, at)
  const trimmed = line.trim()
  const current = exceptions.at(-1)
  if (current === undefined) return 0
  if (isCoroutineMark(trimmed)) return 1
  const frame = jvmFrame(line) ?? bareFrame(line)
  if (frame !== null) {
    pushFrame(current.frames, frame)
    return 1
  }
  if (ELIDED.test(trimmed) || LOCK.test(trimmed) || CIRCULAR.test(trimmed)) return 1
  if (trimmed === '') return continues(text, at + 1) ? 1 : 0
  const link = linkOf(trimmed)
  return link === null ? 0 : begin(exceptions, text, at, link)
}

function readChain(text: CleanText, at: number, floor: number): Failure {
  const { line, ...error } = jvmErrorAbove(text, floor, at)
  const exceptions: RawException[] = [
    ...errorsWithoutFrames(text, floor, line),
    { ...error, relation: 'root', frames: [] },
  ]
  relate(exceptions, text, line)
  let next = at
  while (next < text.lines.length) {
    const used = readLine(exceptions, text, next)
    if (used === 0) break
    next += used
  }
  const language = jvmLanguage(exceptions.findLast(({ frames }) => frames.length > 0)?.frames ?? [])
  for (const exception of exceptions) exception.frames.reverse()
  return { exceptions, next, language }
}

/**
 * Reads what `Throwable.printStackTrace` and the loggers print: Java, Kotlin, Scala and whatever else runs on a JVM.
 */
export const jvm: TraceReader = {
  language: 'java',
  opens: ['\nat ', ')\n', '\nException in thread', '\njava.lang.'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    if (jvmFrame(line) !== null || (bareFrame(line) !== null && bareFrame(lineAt(text.lines, at + 1)) !== null)) {
      return readChain(text, at, floor)
    }
    const error = namesThread(line) || FRAMELESS.test(line) ? leadingError(line) : null
    // Without frames: the VM stops giving them to errors that it throws too often.
    return error === null || nextFrame(text.lines, at + 1) ? null : alone(text, at, error)
  },
}
