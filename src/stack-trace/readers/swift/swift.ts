import type { CleanText } from '../../layout/clean.ts'
import { swiftRow } from './swift-frame.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const FATAL =
  /^(?:[\w.-]{1,100}\[\d{1,10}:\d{1,10}\] )?(\S[^:]{0,500}\.swift):(\d{1,9}): ((?:Fatal error|Precondition failed|Assertion failed)(?:: .*)?)$/
const OLD_FATAL =
  /^(?:[\w.-]{1,100}\[\d{1,10}:\d{1,10}\] )?((?:[Ff]atal error|Precondition failed|Assertion failed)(?:: .{0,1500}?)?): file (\S.{0,500}?), line (\d{1,9})$/
const CRASHED = /^(?:\*{3} |\S{1,4} )?(?:Program|Thread \d{1,4}) crashed: (.{1,300}?)(?: \*{3})?$/
const TERMINATED = /^(?:.{0,200}\] )?\*{3} Terminating app due to uncaught exception '(.{1,200}?)', reason: '(.*?)'?$/
const EXCEPTION_TYPE = /^Exception Type: {1,20}(\w{1,40})(?: \((SIG\w{1,10})\))?/
const THREAD =
  /^Thread \d{1,6}(?: .{0,100})?:|^Thread \d{1,6}(?: ".{0,100}")?(?: crashed)?:$|^Crashed: |^Last Exception Backtrace:|^\*{3} First throw call stack:|^Thread \d{1,6} Crashed/i
const FAILING = /crashed|^Last Exception|First throw/i
const FILLER = /^(?:\(|\)|\d{1,9}\s?\u2502.*|\u2502.*|\.\.\.)$/
const SAID_HEADING = /^Application Specific Information:(.*)$/
const MAX_LINES_ABOVE = 60
const MAX_FILLER = 12
const MAX_LINES_BETWEEN = 6

function oldFatal(raw: string): [file?: string, line?: string, said?: string] {
  const match = raw.includes(': file ') ? OLD_FATAL.exec(raw) : null
  return match === null ? [] : [match[2], match[3], match[1]]
}

/** The place that a fatal error names: the failing line, where it is not one of the standard library's. */
function fatalError(line: string): Fatal | null {
  const raw = line.trim()
  const found = FATAL.exec(raw)
  const [file, number, said] = found === null ? oldFatal(raw) : [found[1], found[2], found[3]]
  if (file === undefined || said === undefined) return null
  const colon = said.indexOf(': ')
  return {
    error: {
      type: colon === -1 ? said : said.slice(0, colon),
      message: joinMessage([colon === -1 ? '' : said.slice(colon + 2)]),
    },
    place: newFrame(raw, { file, line: number }),
  }
}

/** A single row says little: it counts below a heading, with a place, or before the next one. */
function isStart(lines: readonly string[], at: number): boolean {
  const row = swiftRow(lineAt(lines, at))
  if (row === null) return false
  const next = swiftRow(lineAt(lines, at + 1))
  return row.frame.file !== null || (next !== null && next.number === row.number + 1)
}

function stackBelow(lines: readonly string[], at: number): number | null {
  for (let next = at; next < at + MAX_LINES_BETWEEN; next++) {
    if (fatalError(lineAt(lines, next)) !== null) return null
    if (isStart(lines, next)) return next
  }
  return null
}

function readRows(lines: readonly string[], at: number): Stack {
  const frames: RawFrame[] = []
  let number = -1
  let next = at
  let end = at
  for (; next < lines.length && next - end <= MAX_FILLER; next++) {
    const line = lineAt(lines, next)
    const row = swiftRow(line)
    if (row !== null) {
      if (row.number <= number && frames.length > 0 && !line.includes('[inlined]')) break
      number = row.number
      if (row.frame.function !== null || row.frame.file !== null) pushFrame(frames, row.frame)
      end = next + 1
    } else if (!FILLER.test(line.trim()) && line.trim() !== '') break
  }
  return { label: null, frames, next: end }
}

function labelAbove(lines: readonly string[], floor: number, at: number): string | null {
  for (let above = at - 1; above >= Math.max(floor, at - 3); above--) {
    const line = lineAt(lines, above).trim()
    if (THREAD.test(line)) return line.replace(/:$/, '')
  }
  return null
}

function nextStack(lines: readonly string[], at: number): { at: number; label: string } | null {
  let label: string | null = null
  for (let next = at; next < at + MAX_LINES_BETWEEN; next++) {
    const line = lineAt(lines, next).trim()
    if (THREAD.test(line)) label = line.replace(/:$/, '')
    else if (swiftRow(line) !== null) return label === null ? null : { at: next, label }
    else if (fatalError(line) !== null) return null
  }
  return null
}

/** What the program itself said before it ended, up to an empty line. */
function saidBelow(lines: readonly string[], at: number, end: number): string | null {
  const heading = SAID_HEADING.exec(lineAt(lines, at).trim())
  if (heading === null) return null
  const said = [heading[1] ?? '']
  for (let next = at + 1; next < end && !isBlankAt(lines, next); next++) said.push(lineAt(lines, next))
  return joinMessage(said)
}

function errorAbove(text: CleanText, floor: number, at: number): { error: ErrorHead; place: RawFrame | null } {
  let said: string | null = null
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_ABOVE); above--) {
    const line = lineAt(text.lines, above).trim()
    const fatal = fatalError(line)
    if (fatal !== null) return fatal
    const terminated = TERMINATED.exec(line)
    if (terminated !== null) {
      return { error: { type: terminated[1] ?? null, message: joinMessage([terminated[2] ?? '']) }, place: null }
    }
    said ??= saidBelow(text.lines, above, at)
    const type = EXCEPTION_TYPE.exec(line)
    if (type !== null) return { error: { type: type[1] ?? null, message: said ?? type[2] ?? null }, place: null }
    const crashed = CRASHED.exec(line)
    if (crashed !== null) return { error: { type: null, message: crashed[1] ?? null }, place: null }
  }
  return { error: { type: null, message: null }, place: null }
}

function readStacks(text: CleanText, at: number, floor: number): Failure {
  const { place, error } = errorAbove(text, floor, at)
  const stacks: Stack[] = [{ ...readRows(text.lines, at), label: labelAbove(text.lines, floor, at) }]
  for (let next = nextStack(text.lines, stacks[0]?.next ?? at); next !== null;) {
    const stack = readRows(text.lines, next.at)
    stacks.push({ ...stack, label: next.label })
    next = nextStack(text.lines, stack.next)
  }
  const failing = stacks.find(({ label }) => label !== null && FAILING.test(label)) ?? stacks[0]
  const exceptions = stacks.map((stack): RawException => {
    const frames = stack.frames.reverse()
    if (stack !== failing) return { type: null, message: stack.label, relation: 'separate', frames }
    // Where the standard library noticed the mistake tells less than the stack does.
    const isKnown =
      place === null ||
      place.file?.startsWith('Swift/') === true ||
      frames.some(
        frame => frame.line === place.line && frame.file?.endsWith(place.file?.split('/').at(-1) ?? '') === true,
      )
    return {
      type: error.type,
      message: error.message ?? stack.label,
      relation: 'root',
      frames: isKnown ? frames : [...frames, place],
    }
  })
  return { exceptions, next: Math.max(at + 1, stacks.at(-1)?.next ?? 0) }
}

/** Reads Swift's fatal errors, its own backtraces, and crash reports of Apple's systems. */
export const swift: TraceReader = {
  language: 'swift',
  opens: ['.swift:', ': file ', '\n0', '\n\u2502'],
  read(text, at, floor) {
    const fatal = fatalError(lineAt(text.lines, at))
    if (fatal !== null) {
      const stack = stackBelow(text.lines, at + 1)
      return stack === null
        ? { exceptions: [{ ...fatal.error, relation: 'root', frames: [fatal.place] }], next: at + 1 }
        : readStacks(text, stack, floor)
    }
    return isStart(text.lines, at) ? readStacks(text, at, floor) : null
  },
}

interface Fatal {
  error: ErrorHead
  place: RawFrame
}

interface Stack {
  label: string | null
  frames: RawFrame[]
  next: number
}
