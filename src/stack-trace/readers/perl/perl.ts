import type { CleanText } from '../../layout/clean.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { namedByCaller, newFrame, pushFrame, type PrintedPlace } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const PLACE =
  /^(.*?)(?:^|\s)at (\(eval \d{1,9}\)|-e|\S+\.(?:p[lm]|t|cgi|psgi|PL|al)|\/\S+) line (\d{1,9})(?:, (?:<\S{1,200}> (?:line|chunk) \d{1,12}|near .*|at end of line|at EOF|during global destruction))?\.?$/
const CALLED =
  /^(\S.*) called at (\(eval \d{1,9}\)(?:\[[^\]]{1,300}\])?|\S.{0,400}) line (\d{1,9})(?:, <\S{1,200}> (?:line|chunk) \d{1,12}\.?)?$/
const TRACE_BEGUN = /^Trace begun at (\S.*) line (\d{1,9})$/
const DEVEL_CALL = /^(\S.*) at (\S.{0,400}\.(?:p[lm]|t|cgi|psgi)|-e) line (\d{1,9})$/
const CLASS = /^([A-Z]\w*(?:::\w+)+)(?:: |=)(.*)$/
const ECHO =
  /^(?:BEGIN failed--|Compilation failed in require|Execution of .* aborted|.* had compilation errors|Use of uninitialized value|Argument ".*" isn't numeric|Useless use of|Subroutine \S+ redefined|Deep recursion on)/
const TEST_MARK = /^#\s+|^\S{1,300}\.t \.{2,80} /
const LOGGED_AT = /\.? in \S{1,400} l\. \d{1,9}$/
const RAISED_AGAIN = /^\s+at (\S.{0,400}) line (\d{1,9})\.$/
const FAILED_TEST = /^Failed (?:\(TODO\) )?test(?: '(.*)'|\b)/
const MAX_MESSAGE_LINES = 12

/** The place of a row. Evaluated code stands where it was evaluated, where a row says so: `(eval 3)[x.pl:9]`. */
function placeOf(file = '', line: string | undefined): Pick<PrintedPlace, 'file' | 'line'> {
  const [, evaluatedIn = file, evaluatedAt = line] = /^\(eval \d{1,9}\)\[(.+):(\d{1,9})\]$/.exec(file) ?? []
  return { file: evaluatedIn, line: evaluatedAt }
}

const calledName = (call: string): string => (call.startsWith('eval {') ? '(eval)' : call.replace(/\([^]*/, ''))

/** @param call - How a caller is printed; its function is the one that its line called. */
function readCalls(
  { lines }: CleanText,
  at: number,
  { message, place }: { message: string | null; place: RawFrame },
  call: RegExp,
): Failure {
  const rows: RawFrame[] = [place]
  let next = at + 1
  for (; next < lines.length; next++) {
    const raw = lineAt(lines, next).trim().replace(TEST_MARK, '')
    const again = next === at + 1 ? RAISED_AGAIN.exec(lineAt(lines, next)) : null // the message ended with a line break
    if (again !== null) pushFrame(rows, newFrame(raw, placeOf(again[1], again[2])))
    if (again !== null) continue
    const match = raw.includes(' line ') ? call.exec(raw) : null
    if (match === null) break
    pushFrame(rows, newFrame(raw, { ...placeOf(match[2], match[3]), function: calledName(match[1] ?? '') }))
  }
  const typed = message === null ? null : CLASS.exec(message)
  const [, type = null, said = message] = typed ?? []
  const isEcho = message !== null && ECHO.test(message)
  const exception: RawException = {
    type,
    message: said,
    relation: isEcho ? 'separate' : 'root',
    frames: namedByCaller(rows.reverse(), null),
  }
  return { exceptions: [exception], next }
}

function goesOn({ lines, stamped }: CleanText, at: number): boolean {
  const line = lineAt(lines, at).trim()
  return line !== '' && stamped[at + 1] !== 1 && !startsLogEntry(line)
}

/** A message may have begun on lines before the one that ends with the place. */
function messageLines(text: CleanText, floor: number, at: number, own: string): string[] {
  const before = lineAt(text.lines, at - 1)
    .trim()
    .replace(TEST_MARK, '')
  if (own.trim() === '' && at > floor && FAILED_TEST.test(before)) return [before]
  if (own.trim() !== '' && !/^\s/.test(lineAt(text.lines, at))) return []
  let start = at
  while (start > floor && start > at - MAX_MESSAGE_LINES && goesOn(text, start - 1)) start--
  return text.lines.slice(start, at).map(line => line.trim().replace(TEST_MARK, ''))
}

/** Reads what Perl's `die`, `warn` and Carp print, stack traces of Devel::StackTrace, and failed tests. */
export const perl: TraceReader = {
  language: 'perl',
  opens: [' line 0'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at)
    if (!line.includes(' line ') || !line.includes('at ')) return null
    const raw = line.trim().replace(TEST_MARK, '').replace(LOGGED_AT, '')
    const begun = TRACE_BEGUN.exec(raw)
    if (begun !== null) {
      return readCalls(text, at, { message: null, place: newFrame(raw, placeOf(begun[1], begun[2])) }, DEVEL_CALL)
    }
    const match = raw.includes(' called at ') ? null : PLACE.exec(raw)
    if (match === null) return null
    const message = joinMessage([...messageLines(text, floor, at, match[1] ?? ''), (match[1] ?? '').trim()])
    return readCalls(text, at, { message, place: newFrame(raw, placeOf(match[2], match[3])) }, CALLED)
  },
}
