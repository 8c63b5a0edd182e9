import type { CleanText } from '../../layout/clean.ts'
import type { ErrorHead, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage, opensField, startsLogEntry } from '../../messages.ts'

/** The error that a tool names in front of a native stack. */
interface NativeError extends ErrorHead {
  /** The place that the message itself names. */
  place: RawFrame | null
}

const SANITIZER = /^(?:==\d{1,10}==)?\s{0,4}(?:ERROR|WARNING|FATAL): (\w{1,40}Sanitizer): (.{1,400})$/
const SIGNAL = /^(?:Program|Thread \d{1,9} .{0,80}) received signal (SIG\w{1,10}), (.{1,200}?)\.?$/
const STOPPED = /stop reason = (.{1,200})$/
const CAUGHT = /\bSignal \d{1,3} \((SIG\w{1,10})\)|\b(SIG[A-Z]{2,8})\b/
const THROWN =
  /^(?:terminate called after throwing an instance of '(.{1,300})'|libc\+\+abi(?:\.dylib)?: terminating (?:with|due to) uncaught exception of type ([^:]{1,300})(?:: (.*))?)$/
const WHAT = /^what\(\): {1,4}(.*)$/
const ASSERTION =
  /^(?:[\w./ -]{1,200}: )?([^\s:][^:]{0,300}):(\d{1,9}): (?:(.{1,300}): )?Assertion [`'"](.{1,600})['"] failed\.?$/
const UNDEFINED = /^(\S.{0,500}?):(\d{1,9}):(\d{1,9}): runtime error: (.{1,600})$/
const STARRED = /^\*\*\* .*Signal \d.*$/
const CHECKER =
  /^==\d{1,10}== (?!\s|at |by )(?!Command|Copyright|Using|Memcheck|Parent|HEAP|ERROR SUMMARY|For lists)(\S.{1,200})$/
const CORE =
  /^(?:.{0,200}: )?(Process \d{1,10} \(.{1,100}\) of user \d{1,10} dumped core\.?)|^(?:Program terminated with signal (SIG\w{1,10}), (.{1,100}?)\.?)$|(Segmentation fault|Aborted|Bus error|Floating point exception)(?: \(core dumped\))?$/
const CRASH = /^Crash reason: {1,8}(.{1,200})$/
const MAX_LINES_ABOVE = 24

/** A signal is how the program ended; the assertion or the exception above it is why. */
const mayHoldBetter = ({ type }: NativeError): boolean => type?.startsWith('SIG') === true

function betterOf(near: NativeError | null, found: NativeError): NativeError {
  return near !== null && near.type?.startsWith('SIG') === true && found.type?.startsWith('SIG') === true ? near : found
}

function bareFunction(printed = ''): string | null {
  const named = printed.replace(/ (?:const)?$/, '').replace(/\([^]*/, '')
  return /(?<![\w:~])[\w:~]+$/.exec(named)?.[0] ?? null
}

interface Said {
  type?: string | undefined
  message?: string | undefined
  place?: RawFrame
}

/** A reason in words, with the signal that it names. */
const crashed = ([, reason = '']: RegExpExecArray): Said => ({ type: CAUGHT.exec(reason)?.[0], message: reason })

/** How tools name an error in one line, in the order in which they are tried; `below` is the line after it. */
const SPELLINGS: ReadonlyArray<readonly [pattern: RegExp, said: (match: RegExpExecArray, below: string) => Said]> = [
  [SANITIZER, ([, type, message]) => ({ type, message })],
  [
    UNDEFINED,
    ([line, file, number, column, message]) => ({
      type: 'runtime error',
      message,
      place: newFrame(line, { file, line: number, column }),
    }),
  ],
  [
    ASSERTION,
    ([line, file, number, name, message]) => ({
      type: 'Assertion',
      message,
      place: newFrame(line, { file, line: number, function: bareFunction(name) }),
    }),
  ],
  [SIGNAL, ([, type, message]) => ({ type, message })],
  [
    THROWN,
    ([, byGcc, byClang, message], below) => ({ type: byGcc ?? byClang, message: message ?? WHAT.exec(below)?.[1] }),
  ],
  [CORE, ([, dumped, signal, meaning, word]) => ({ type: signal ?? word, message: dumped ?? meaning })],
  [CRASH, crashed],
  [STOPPED, crashed],
  [STARRED, ([line]) => ({ type: CAUGHT.exec(line)?.[1], message: line.replace(/^\*\*\* | ?\*\*\*$/g, '') })],
  [CHECKER, ([, message]) => ({ message })],
]

/** The error that one line names, or null. */
export function errorOf(text: CleanText, at: number): NativeError | null {
  const line = lineAt(text.lines, at).trim()
  for (const [pattern, said] of SPELLINGS) {
    const match = pattern.exec(line)
    if (match === null) continue
    const { type = null, message = '', place = null } = said(match, lineAt(text.lines, at + 1).trim())
    return { type, message: joinMessage([message]), place }
  }
  return null
}

/** The error that the native stack beginning at line `at` belongs to; every tool says it in lines of its own. */
export function nativeErrorAbove(text: CleanText, floor: number, at: number): NativeError {
  const first = Math.max(floor, at - MAX_LINES_ABOVE)
  let near: NativeError | null = null
  for (let above = at - 1; above >= first; above--) {
    const found = errorOf(text, above)
    if (found !== null && (near === null || found.type !== null)) near = betterOf(near, found)
    if (near?.type != null && !mayHoldBetter(near)) break
    if (found === null && startsLogEntry(lineAt(text.lines, above).trim())) break
  }
  return near ?? { type: null, message: null, place: null }
}

/** The line above a stack that no tool's wording was found for. */
export function plainMessage(text: CleanText, floor: number, at: number): string | null {
  const line = lineAt(text.lines, at - 1).trim()
  return at - 1 < floor || line === '' || opensField(line) || /^(?:\(gdb\)|\(lldb\)|[=*-]{3,})/.test(line)
    ? null
    : joinMessage([line.replace(/:$/, '')])
}
