import type { CleanText } from '../../layout/clean.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const HEAD = /^\*\* \((?:(?:EXIT from [^)]{1,80}|stop|exit|throw|EXIT)\)|([\w.]{1,200})\)) ?(.*)$/
const FRAME =
  /^(?:\(([\w.@-]{1,100}(?: [\w.+-]{1,60})?)\) )?(\S+\.(?:exs?|erl|hrl|eex|heex|leex|yrl|gleam)):(\d{1,9}): (.+)$/
const CALL = /\/\d{1,3}(?:$|[ .])|\(/
const BARE_CALL =
  /^(?:\([\w.@-]{1,100}(?: [\w.+-]{1,60})?\) )?(?:[A-Z:][\w.]{0,200}\.)[\w"?!&-]{1,200}(?:\/\d{1,3}|\(.*\))$/
const CLIENT = /^Client \S{1,100} is \w{1,20}$/
const POINTED = /^└─ (\S+\.\w{1,8}):(\d{1,9})(?::(\d{1,9}))?(?::(?: (.+))?)?$/
const POINTED_HEAD = /^(error|warning): (.*)$/
const POINTED_CODE = /^\s*(\d{1,7}) ?[│|] ?(.*)$/
const COMPILER = /^(\S+\.exs?):(\d{1,9})(?::(\d{1,9}))?: (.+)$/
const SHELL_CALL = /^in (?:function|call from) {1,3}(\S+) \((\S+), line (\d{1,9})\)$/
const TERM_PLACE =
  /\{([\w@.']{1,100}),([\w@'/-]{1,200}),(?:\d{1,3}|\[[^\]]{0,200}\]),\s{0,80}\[\{file,"([^"]{1,400})"\},\s{0,80}\{line,(\d{1,9})\}/g
const TERM_OPEN = /\{([\w@.']{1,100}),\s{0,80}([\w@'/-]{1,200}),(?:\d{1,3},?|\s{0,80}\[.{0,400})?$/
const TERM_REASON = /^\*\* \{(\w{1,100}),$/
const TERM_END = /^[^{]{0,200}\[\{file,"([^"]{1,400})"\},\s{0,80}\{line,(\d{1,9})\}/
const STATE = /^(?:\.{3}$|Last message(?: \(from .{1,100}\))?: |State: |Process Label: |Initial Call: |Ancestors: )/
const STACK_MARK = 'stacktrace:'
const CODE_MARK = 'code: '
const TEST_HEAD = /^\d{1,6}\) (.*)$/
const MAX_LINES_TO_CLIENT = 8
const MAX_HEAD_LINES = 30
const MAX_TERM_LINES = 4
const MAX_LINES_TO_REASON = 12

function frameOf(raw: string): RawFrame | null {
  const match = raw.includes(': ') ? FRAME.exec(raw) : null
  if (match === null) return null
  const [, , file, line, call = ''] = match
  return CALL.test(call) ? newFrame(raw, { file, line, function: call }) : null
}

/** A call without a place: of a library that was compiled so, or of a function that does not exist. */
const isCall = (raw: string): boolean => BARE_CALL.test(raw)

const callOf = (raw: string): RawFrame | null =>
  isCall(raw) ? newFrame(raw, { function: raw.replace(/^\([^)]{1,160}\) /, '') }) : null

/** Frames from line `at` on, innermost first; calls without a place are among them. */
function readFrames({ lines }: CleanText, at: number, { type, message }: ErrorHead): Failure {
  const frames: RawFrame[] = []
  let next = at
  for (; next < lines.length; next++) {
    const line = lineAt(lines, next).trim()
    const frame = frameOf(line) ?? callOf(line)
    if (frame === null) break
    pushFrame(frames, frame)
  }
  const isErlang =
    frames[0]?.file?.endsWith('.erl') === true && frames.every(({ file }) => file === null || file.endsWith('.erl'))
  return {
    exceptions: [{ type, message, relation: type === 'warning' ? 'separate' : 'root', frames: frames.reverse() }],
    next: Math.max(next, at),
    language: isErlang ? 'erlang' : 'elixir',
  }
}

/** A server that ends names the process that called it, with that one's stack. */
function withClient(text: CleanText, failure: Failure): Failure {
  for (let at = failure.next; at < failure.next + MAX_LINES_TO_CLIENT; at++) {
    if (!CLIENT.test(lineAt(text.lines, at).trim())) continue
    const frames = at + (isBlankAt(text.lines, at + 1) ? 2 : 1)
    if (frameOf(lineAt(text.lines, frames).trim()) === null) break
    const client = readFrames(text, frames, { type: null, message: joinMessage([lineAt(text.lines, at).trim()]) })
    return {
      ...failure,
      exceptions: [
        ...failure.exceptions,
        ...client.exceptions.map(exception => ({ ...exception, relation: 'context' as const })),
      ],
      next: client.next,
    }
  }
  return failure
}

function paragraph(lines: string[]): string[] {
  const end = lines.indexOf('', 1)
  return end === -1 ? lines : lines.slice(0, end)
}

const isRow = (line: string): boolean => frameOf(line) !== null || isCall(line)
const startsError = (line: string): boolean => line.startsWith('** (')

/** Whether a message ends before a line. */
const endsMessage = (line: string): boolean =>
  isRow(line) || startsError(line) || STATE.test(line) || startsLogEntry(line)

/** The lines of a message that begins at `at`, and the first one after it. */
function messageAt({ lines, stamped }: CleanText, at: number, first: string): { said: string[]; next: number } {
  const said = [first]
  let next = at + 1
  for (; next < at + MAX_HEAD_LINES && next < lines.length; next++) {
    const line = lineAt(lines, next).trim()
    if (stamped[next] === 1 || endsMessage(line)) break
    if (line !== STACK_MARK && !line.startsWith(CODE_MARK)) said.push(line)
  }
  return { said, next }
}

/** The place that the compiler prints in front of its message, as the innermost frame. */
function compiledFrame(line: string): RawFrame[] {
  const place = COMPILER.exec(line)
  return place === null ? [] : [newFrame(line, { file: place[1], line: place[2], column: place[3] })]
}

function readException(text: CleanText, at: number): Failure | null {
  const match = HEAD.exec(lineAt(text.lines, at).trim())
  if (match === null) return null
  const [, type, message = ''] = match
  const isOfProcess = type === undefined && startsError(lineAt(text.lines, at + 1).trim()) // that ended by the error
  if (isOfProcess) return readException(text, at + 1)
  const { said, next } = messageAt(text, at, message)
  const hasFrames = isRow(lineAt(text.lines, next).trim())
  const own = hasFrames ? said : paragraph(said)
  const failure = readFrames(text, hasFrames ? next : at + own.length, {
    type: type ?? 'exit',
    message: joinMessage(own),
  })
  failure.exceptions[0]?.frames.push(...compiledFrame(lineAt(own, 0)))
  return withClient(text, failure)
}

/** Diagnostics of the compiler: message, code in a margin, and the place last. */
function readPointed(lines: string[], at: number): Failure | null {
  const raw = lineAt(lines, at).trim()
  const match = POINTED.exec(raw)
  if (match === null) return null
  let above = at - 1
  while (above > at - MAX_HEAD_LINES && above > 0 && /^(?:\d{1,7} ?)?[│|]/.test(lineAt(lines, above).trim())) above--
  const title = lineAt(lines, above).trim()
  const [, type = 'error', said = title] = POINTED_HEAD.exec(title) ?? []
  const [, file, line, column, name] = match
  const code = lines
    .slice(above + 1, at)
    .map(text => POINTED_CODE.exec(text))
    .find(found => found?.[1] === line)
  const exception: RawException = {
    type,
    message: joinMessage([said]),
    relation: type === 'warning' ? 'separate' : 'root',
    frames: [newFrame(raw, { file, line, column, function: name, sourceText: code?.[2]?.trim() })],
  }
  return { exceptions: [exception], next: at + 1 }
}

function messageAbove({ lines }: CleanText, floor: number, at: number): string | null {
  const above = at > floor ? lineAt(lines, at - 1).trim() : ''
  return joinMessage([above])
}

/** Erlang's shell: `in function  till:open/1 (src/till.erl, line 12)`. */
function readShell(text: CleanText, at: number, floor: number): Failure {
  const frames: RawFrame[] = []
  let next = at
  for (; next < text.lines.length; next++) {
    const raw = lineAt(text.lines, next).trim()
    const match = SHELL_CALL.exec(raw)
    if (match === null) break
    pushFrame(frames, newFrame(raw, { file: match[2], line: match[3], function: match[1] }))
  }
  return {
    exceptions: [{ type: null, message: messageAbove(text, floor, at), relation: 'root', frames: frames.reverse() }],
    next,
    language: 'erlang',
  }
}

const isInTerm = (line: string): boolean => TERM_OPEN.test(line) || /^\s{4,}[[<{].*[\],]$/.test(line)

/** Modules of Elixir are written as they are there. */
function calledIn(module = '', name = ''): string {
  const plain = module.replaceAll("'", '')
  return plain.startsWith('Elixir.') ? `${plain.slice(7)}.${name.replaceAll("'", '')}` : `${module}:${name}`
}

function placesOf(lines: string[], at: number, floor: number): RawFrame[] {
  const line = lineAt(lines, at)
  const whole = [...line.matchAll(TERM_PLACE)].map(([raw, module, name, file, number]) =>
    newFrame(raw, { file, line: number, function: calledIn(module, name) }),
  )
  const end = whole.length > 0 ? null : TERM_END.exec(line)
  if (end === null) return whole
  for (let above = at - 1; above > at - MAX_TERM_LINES && above >= floor; above--) {
    if (lines[above]?.includes('{file,"') === true) break
    const open = TERM_OPEN.exec(lineAt(lines, above))
    if (open !== null) {
      return [
        newFrame(`${open[0]} ${line.trim()}`, {
          file: end[1],
          line: end[2],
          function: calledIn(open[1], open[2]),
        }),
      ]
    }
  }
  return [newFrame(line.trim(), { file: end[1], line: end[2] })]
}

/** A stack as a term, on as many lines as it takes. */
function readTerm(text: CleanText, at: number, floor: number): Failure | null {
  const frames: RawFrame[] = []
  let next = at
  for (let end = at; end < text.lines.length && end < next + MAX_TERM_LINES; end++) {
    const found = placesOf(text.lines, end, floor)
    for (const frame of found) pushFrame(frames, frame)
    if (found.length > 0) next = end + 1
    else if (!isInTerm(lineAt(text.lines, end))) break
  }
  const reason = text.lines
    .slice(Math.max(floor, at - MAX_LINES_TO_REASON), at)
    .map(line => TERM_REASON.exec(line.trim())?.[1])
    .find(atom => atom !== undefined)
  const error =
    reason === undefined ? { type: null, message: messageAbove(text, floor, at) } : { type: reason, message: null }
  return frames.length === 0
    ? null
    : { exceptions: [{ ...error, relation: 'root', frames: frames.reverse() }], next, language: 'erlang' }
}

/** The error above a stack: an assertion stands below the name of its test, a warning directly above its place. */
function headAbove(text: CleanText, floor: number, at: number): ErrorHead {
  const { lines } = text
  const above = lineAt(lines, at - 1).trim()
  const warning = /^(warning|error): (.*)$/.exec(above)
  if (warning !== null) return { type: warning[1] ?? null, message: warning[2] ?? null }
  if (above !== STACK_MARK) return { type: null, message: messageAbove(text, floor, at) }
  let head = at - 2
  while (head > floor && head > at - MAX_HEAD_LINES && !TEST_HEAD.test(lineAt(lines, head).trim())) head--
  const said = lines
    .slice(head + 1, at - 1)
    .map(line => line.trim())
    .filter(line => !line.startsWith(CODE_MARK) && !/^\S+\.exs?:\d{1,9}$/.test(line))
  return { type: 'Failure', message: joinMessage(said) }
}

/** Reads Elixir's exceptions, reports of processes that ended and of ExUnit, and Erlang's stack terms. */
export const elixir: TraceReader = {
  language: 'elixir',
  opens: ['\n** (', '\n\u2514', '\nin ', '{file,"', '0: '],
  read(text, at, floor) {
    const line = lineAt(text.lines, at).trim()
    if (line.startsWith('** (')) return readException(text, at)
    if (line.startsWith('└─ ')) return readPointed(text.lines, at)
    if (line.startsWith('in ')) return SHELL_CALL.test(line) ? readShell(text, at, floor) : null
    if (line.includes('{file,"')) return readTerm(text, at, floor)
    return frameOf(line) === null ? null : readFrames(text, at, headAbove(text, floor, at))
  },
}
