import { diagnosticOf, isMild, isRemark, type Diagnostic } from './diagnostic-line.ts'
import { languageOfFile } from '../../source-endings.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { indentOf, lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const INCLUDED = /^(?:In file included|\s{2,40})\s?from (\S.*):(\d{1,9})(?::(\d{1,9}))?[,:]$/
const REQUIRED = /^(\S.*):(\d{1,9}):(\d{1,9}): {2,4}(?:recursively )?required (?:from|by) /
const INSIDE =
  /^(?:\S{1,300}: )?\S{1,300}: [Ii]n (?:[a-z ]{0,30}(?:function|constructor|destructor|operator)|instantiation of|substitution of) ['‘`"](.+)['’"].{0,100}:$/
const TOP_LEVEL = /: At (?:global scope|top level):$/
const UNLINKED = /^(?:\S{0,200}\bld(?:\.\w{1,10})?: )?(\S+):\(\.[\w.$]{1,80}\+0x[0-9a-f]{1,16}\): (.+)$/
const CODE_LINE = /^\s*(?:>\s*)?(\d{1,9}) ?(?:[|│]|\s) ?(.*)$/
const MARKS = /^[\s|│]*[~^][\s~^|│]*$/
const MAX_CONTEXT_LINES = 40
const MAX_LINES_TO_CODE = 4
const MAX_REMARKS = 20

/** Some compilers print the place alone and the message below it. */
function indentedBelow(lines: string[], at: number): string[] {
  const message: string[] = []
  while (message.length < 5 && indentOf(lineAt(lines, at + 1 + message.length)) > 0) {
    message.push(lineAt(lines, at + 1 + message.length).trim())
  }
  return message
}

const isContext = (line: string): boolean =>
  line.endsWith(':') || line.endsWith(',')
    ? INCLUDED.test(line) || INSIDE.test(line) || TOP_LEVEL.test(line)
    : REQUIRED.test(line)

/**
 * The code that is printed below a diagnostic, known by the marks under it or by its number; the rest of the message
 * may stand before it.
 */
function sourceBelow(
  lines: string[],
  at: number,
  number: number | null,
): { text: string | null; before: string[]; next: number } {
  for (let code = at; code < at + MAX_LINES_TO_CODE; code++) {
    const line = lineAt(lines, code)
    if (diagnosticOf(line) !== null || isContext(line)) break
    const numbered = CODE_LINE.exec(line)
    const isNumbered = numbered !== null && Number(numbered[1]) === number
    if (line.trim() === '' || (!isNumbered && !MARKS.test(lineAt(lines, code + 1)))) continue
    return {
      text: (numbered?.[2] ?? line).trim() || null,
      before: lines.slice(at, code).map(one => one.trim()),
      next: code + 2,
    }
  }
  return { text: null, before: [], next: at }
}

function oneOf(lines: string[], at: number, name: string | null, diagnostic: Diagnostic): One {
  const { file, column, severity, code, raw } = diagnostic
  const source = sourceBelow(lines, at + 1, diagnostic.line)
  const below = source.text === null && diagnostic.message === '' ? indentedBelow(lines, at) : source.before
  const frame = newFrame(raw, { file, line: diagnostic.line, column, function: name, sourceText: source.text })
  const exception: RawException = {
    type: code ?? severity ?? 'error',
    message: joinMessage([diagnostic.message, ...below]),
    relation: isMild(diagnostic) ? 'separate' : 'root',
    frames: [frame],
  }
  return { exception, language: languageOfFile(file), next: Math.max(source.next, at + 1) }
}

function unlinked(line: string): Diagnostic | null {
  const match = line.includes('+0x') ? UNLINKED.exec(line) : null
  if (match === null) return null
  const [, file = '', message = ''] = match
  return { raw: line.trim(), file, line: null, column: null, severity: 'error', code: null, message }
}

function readOne(lines: string[], at: number, name: string | null): One | null {
  const line = lineAt(lines, at)
  const diagnostic = diagnosticOf(line) ?? unlinked(line)
  return diagnostic === null ? null : oneOf(lines, at, name, diagnostic)
}

/** `int Shop::total(const T&) [with T = int]` → `Shop::total`. */
function nameIn(signature: string): string {
  const open = signature.indexOf('(')
  const before = open > 0 ? signature.slice(0, open) : signature
  return before.slice(before.lastIndexOf(' ') + 1) || signature
}

/**
 * The lines before a diagnostic that tell how its place was reached: includes and templates, and the function it is in.
 */
function readContext(lines: string[], at: number): Context {
  const callers: RawFrame[] = []
  let name: string | null = null
  let next = at
  for (; next < at + MAX_CONTEXT_LINES && next < lines.length; next++) {
    const line = lineAt(lines, next)
    const caller = INCLUDED.exec(line) ?? REQUIRED.exec(line)
    if (caller !== null) {
      callers.unshift(
        newFrame(line.trim(), {
          file: caller[1],
          line: caller[2],
          column: caller[3],
        }),
      )
    } else if (INSIDE.test(line)) name = nameIn(INSIDE.exec(line)?.[1] ?? '')
    else if (TOP_LEVEL.test(line)) name = null
    else break
  }
  return { callers, function: name, next }
}

/** Notes belong to the diagnostic before them. */
function readRemarks(lines: string[], at: number): { exceptions: RawException[]; next: number } {
  const exceptions: RawException[] = []
  let next = at
  while (exceptions.length < MAX_REMARKS) {
    const context = isContext(lineAt(lines, next)) ? readContext(lines, next) : { function: null, next }
    const diagnostic = diagnosticOf(lineAt(lines, context.next))
    const remark =
      diagnostic !== null && isRemark(diagnostic) ? oneOf(lines, context.next, context.function, diagnostic) : null
    if (remark === null) break
    exceptions.push({ ...remark.exception, relation: 'context' })
    next = remark.next
  }
  return { exceptions, next }
}

function readFailure(lines: string[], { callers, function: name, next: at }: Context): Failure | null {
  const first = readOne(lines, at, name)
  if (first === null) return null
  const remarks = readRemarks(lines, first.next)
  const exceptions = [{ ...first.exception, frames: [...callers, ...first.exception.frames] }, ...remarks.exceptions]
  return { exceptions, next: remarks.next, language: first.language }
}

const fileOf = ({ exceptions }: Failure): string | null => exceptions[0]?.frames.at(-1)?.file ?? null

/** The function is named once, above the first of its diagnostics. */
function sameFunction(lines: string[], first: Failure, name: string): Failure[] {
  const failures: Failure[] = []
  const file = fileOf(first)
  for (let next = first.next; ;) {
    const failure = readFailure(lines, { callers: [], function: name, next })
    if (failure === null || fileOf(failure) !== file) return failures
    failures.push(failure)
    next = failure.next
  }
}

/** Reads what compilers, linkers and linters say about single places: each is an exception with one frame. */
export const diagnostics: TraceReader = {
  language: 'text',
  opens: [':0', '(0', '[0', ': line 0', '+0x', ':\n'],
  read(text, at) {
    const { lines } = text
    const context = isContext(lineAt(lines, at)) ? readContext(lines, at) : { callers: [], function: null, next: at }
    const first = readFailure(lines, context)
    // A context of nothing is read once, not from each of its lines.
    if (first === null && context.next > at + 1) return { exceptions: [], next: context.next }
    if (first === null || context.function === null) return first
    return [first, ...sameFunction(lines, first, context.function)]
  },
}

interface Context {
  callers: RawFrame[]
  function: string | null
  next: number
}

interface One {
  exception: RawException
  language: string | null
  next: number
}
