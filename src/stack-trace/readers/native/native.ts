import type { CleanText } from '../../layout/clean.ts'
import { errorOf, nativeErrorAbove, plainMessage } from './native-error.ts'
import { nativeRow, placeOf, type NativeRow } from './native-frame.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushPlace } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import type { TraceReader } from '../../trace-reader.ts'

const THREAD =
  /^(?:\* )?thread #\d{1,6}|^Thread \d{1,6}(?: \(|$|:)|^Stack trace of thread \d{1,10}|^(?:Direct|Indirect) leak of /i
const FAILING = /^\* thread|\(crashed\)|^Thread 1 \(/
const CONTEXT =
  /^(?:==\d{1,10}== {1,8})?(?:freed by|previously allocated|allocated by|Thread T\d{1,6}\b|Previous (?:atomic )?(?:read|write)|Uninitialized value was|Memory was marked|Mutex M\d|Location is|Address 0x|0x[0-9a-f]{1,16} is located|Block was alloc|As if synchronized|.{0,60}(?:created|stored|acquired|allocated) (?:by|at|here|to)\b)/i
const FILLER =
  /^(?:\.{3,}|No locals\.|No symbol table info available\.|\[Current thread is .{1,200}\]|\(gdb\) (?:bt|where|backtrace)\b.{0,60}|\(More stack frames follow\.{3}\)|Backtrace stopped: .*|---?Type <return>.*|-> .*|Found by: .*|r[a-z0-9]{1,3} = 0x.*|e[a-z]{2} = 0x.*|[a-z]\w{0,3} = 0x.*|warning: .*)$/
const FOLLY_PLACE = /^(?:-> )?(\S.{0,500}):(\d{1,9})$/
const STOPPED = /^(?:0x[0-9a-f]{8,16} in (\S.{0,1000}\).{0,600})|[\w:~<][^()]{0,300} \(.*\) at \S.{0,300}:\d{1,9})$/
const SIGNAL = /^(?:Program|Thread \d{1,9} .{0,80}) received signal SIG/
const SOURCE_LINE = /^\d{1,7}\s(.*)$/
const MAX_CONTINUATION = 8
const MAX_FILLER = 60
const MAX_LINES_BETWEEN = 12

const CPP = /\.(?:cc|cpp|cxx|c\+\+|hh|hpp|hxx|mm|ipp|inl)$/i

function stackBelow(text: CleanText, at: number): number | null {
  for (let next = at; next < at + MAX_LINES_BETWEEN; next++) {
    if (nativeRow(lineAt(text.lines, next))?.isSure === true) return next
    if (errorOf(text, next)?.place != null) return null
  }
  return null
}

/** lldb shows the innermost row when it stops, and the whole stack when it is asked for. */
function dropCopies(stacks: Stack[]): void {
  const [first, second] = stacks
  if (first?.label != null && first.label === second?.label && first.frames.length < second.frames.length) {
    stacks.shift()
  }
}

/** What a message names is a frame of its own only where the stack does not hold it. */
function withPlace(frames: RawFrame[], place: RawFrame | null): RawFrame[] {
  if (place === null) return frames
  const known = frames.findLast(
    frame => frame.line === place.line && frame.file?.split('/').at(-1) === place.file?.split('/').at(-1),
  )
  if (known === undefined) return [...frames, place]
  known.column ??= place.column
  return frames
}

const unnumbered = (frame: RawFrame | null): string | undefined => frame?.raw.replace(/^#0\s+/, '')

/** Locals, registers and source lines stand indented below a row. */
function isFiller(lines: readonly string[], at: number, end: number): boolean {
  const line = lineAt(lines, at)
  const trimmed = line.trim()
  if (trimmed === '') return at === end && FILLER.test(lineAt(lines, at + 1).trim())
  return FILLER.test(trimmed) || (/^\s{8}/.test(line) && !THREAD.test(trimmed) && !CONTEXT.test(trimmed))
}

const count = (text: string, sign: string): number => text.split(sign).length - 1

/** gdb breaks a row between arguments, or before `at`. */
function isOpen(first: string, last: string): boolean {
  return /[,(]\s*$/.test(first) || /^\s+(?:at |from |\()/.test(last) || count(first, '(') > count(first, ')')
}

function withPlaceBelow(lines: readonly string[], at: number, row: NativeRow): { row: NativeRow; next: number } {
  const below = lineAt(lines, at + 1)
  const place = /^\s{8,}/.test(below) ? FOLLY_PLACE.exec(below.trim()) : null
  if (place === null) return { row, next: at + 1 }
  const frame = newFrame(`${row.frame.raw} ${below.trim()}`, {
    function: row.frame.function,
    file: place[1],
    line: place[2],
  })
  return { row: { ...row, frame }, next: at + 2 }
}

/** A row whose arguments did not fit into the line, or whose place stands below it. */
function withContinuation(lines: readonly string[], at: number, row: NativeRow): { row: NativeRow; next: number } {
  if (row.frame.file !== null) return { row, next: at + 1 }
  if (row.frame.raw.startsWith('@')) return withPlaceBelow(lines, at, row)
  let joined = lineAt(lines, at).trimEnd()
  for (let next = at + 1; next <= at + MAX_CONTINUATION; next++) {
    const line = lineAt(lines, next)
    if (!/^\s{2,}[^\s#]/.test(line) || nativeRow(line)?.isSure === true) break
    joined = `${joined} ${line.trim()}`
    const whole = isOpen(lineAt(lines, at), line) ? nativeRow(joined) : null
    const isEnded =
      whole !== null &&
      (whole.frame.file !== null ||
        / from \/\S+$/.test(joined) ||
        (joined.endsWith(')') && count(joined, '(') === count(joined, ')')))
    if (isEnded) return { row: whole, next: next + 1 }
  }
  return { row, next: at + 1 }
}

/** The rows of one stack; they may be wrapped, and other lines may stand between them. */
function readRows(lines: readonly string[], at: number): Stack {
  const frames: RawFrame[] = []
  let number = -1
  let innermost: RawFrame | null = null
  let next = at
  let end = at
  while (next < lines.length && next - end <= MAX_FILLER) {
    const row = nativeRow(lineAt(lines, next))
    if (row === null) {
      if (!isFiller(lines, next, end)) break
      next++
      continue
    }
    if (row.number === 0 && number === 0 && unnumbered(row.frame) === unnumbered(innermost)) {
      frames.length = 0
    } // gdb shows it when it stops, and again when asked
    else if (row.number !== null && row.number <= number) break
    if (row.number === 0) innermost = row.frame
    number = row.number ?? number
    const whole = withContinuation(lines, next, row)
    const { frame } = whole.row
    if (frame.function !== null || frame.file !== null) pushPlace(frames, frame, true)
    next = whole.next
    end = next
  }
  return { label: null, frames, next: end }
}

/** The line above a stack that says whose it is. */
function labelAbove(text: CleanText, floor: number, at: number): string | null {
  for (let above = at - 1; above >= Math.max(floor, at - 3); above--) {
    const trimmed = lineAt(text.lines, above).trim()
    if (THREAD.test(trimmed)) return trimmed.replace(/:$/, '')
  }
  return null
}

/** Another stack of the same report: a heading, and soon below it a row. */
function nextStack(text: CleanText, at: number): { at: number; label: string } | null {
  let label: string | null = null
  for (let next = at; next < at + MAX_LINES_BETWEEN && next < text.lines.length; next++) {
    const line = lineAt(text.lines, next)
    const trimmed = line.trim()
    if (THREAD.test(trimmed) || CONTEXT.test(trimmed)) label = trimmed.replace(/^==\d+== +/, '').replace(/:$/, '')
    else if (nativeRow(line)?.isSure === true) return label === null ? null : { at: next, label }
    else if (label === null && trimmed !== '' && errorOf(text, next) !== null) return null
  }
  return null
}

function languageOf(frames: readonly RawFrame[]): string {
  const files = frames.flatMap(({ file }) => file ?? [])
  if (files.some(file => file.endsWith('.rs'))) return 'rust'
  return files.some(file => CPP.test(file)) || frames.some(frame => frame.function?.includes('::') === true)
    ? 'cpp'
    : 'c'
}

function readStacks(text: CleanText, at: number, floor: number): Failure | null {
  const { place, ...error } = nativeErrorAbove(text, floor, at)
  const stacks: Stack[] = [{ ...readRows(text.lines, at), label: labelAbove(text, floor, at) }]
  for (let next = nextStack(text, stacks[0]?.next ?? at); next !== null;) {
    const stack = readRows(text.lines, next.at)
    stacks.push({ ...stack, label: next.label })
    next = nextStack(text, stack.next)
  }
  dropCopies(stacks)
  const failing = stacks.find(({ label }) => label !== null && FAILING.test(label)) ?? stacks[0]
  const exceptions = stacks.map((stack): RawException => {
    const frames = stack.frames.reverse()
    if (stack === failing) {
      return {
        type: error.type,
        message: error.message ?? stack.label ?? plainMessage(text, floor, at),
        relation: 'root',
        frames: withPlace(frames, place),
      }
    }
    return {
      type: null,
      message: stack.label,
      relation: stack.label !== null && THREAD.test(stack.label) ? 'separate' : 'context',
      frames,
    }
  })
  const end = Math.max(at + 1, stacks.at(-1)?.next ?? at + 1)
  // Rows that name nothing were read all the same: to hand them back would have each of them read again.
  if (error.type === null && exceptions.every(({ frames }) => frames.length === 0)) return { exceptions: [], next: end }
  return { exceptions, next: end, language: languageOf(failing?.frames ?? []) }
}

/** An assertion, or undefined behaviour: the place in its message is a frame where no stack follows. */
function readPlace(text: CleanText, at: number, floor: number): Failure | null {
  const line = lineAt(text.lines, at)
  if (!line.includes('ssertion ') && !line.includes(': runtime error: ')) return null
  const error = errorOf(text, at)
  if (error?.place == null) return null
  const stack = stackBelow(text, at + 1)
  if (stack !== null) return readStacks(text, stack, floor)
  return {
    exceptions: [{ type: error.type, message: error.message, relation: 'root', frames: [error.place] }],
    next: at + 1,
    language: languageOf([error.place]),
  }
}

/**
 * Below the signal gdb says where it stopped, `main (argc=1) at shop.c:12` or `0x00bbe169 in connect ()`: the stack,
 * until someone asks for all of it.
 */
const isStop = (lines: readonly string[], at: number): boolean =>
  STOPPED.test(lineAt(lines, at)) && SIGNAL.test(lineAt(lines, at - 1))

function readStop(text: CleanText, at: number, floor: number): Failure | null {
  const raw = lineAt(text.lines, at).trim()
  const { function: name, file, line, column } = placeOf(STOPPED.exec(raw)?.[1] ?? raw)
  const { place: _, ...error } = nativeErrorAbove(text, floor, at)
  for (let next = at + 1; next < at + MAX_LINES_BETWEEN; next++) {
    if (nativeRow(lineAt(text.lines, next))?.number === 0) return null
  }
  if (name === null && file === null) return null
  const frame = newFrame(raw, {
    function: name,
    file,
    line,
    column,
    sourceText: SOURCE_LINE.exec(lineAt(text.lines, at + 1))?.[1]?.trim(),
  })
  return { exceptions: [{ ...error, relation: 'root', frames: [frame] }], next: at + 1, language: languageOf([frame]) }
}

/** Reads native stacks: gdb, lldb, the sanitizers, valgrind, symbolizers, crash reporters. */
export const native: TraceReader = {
  language: 'c',
  opens: ['#', '@', '!', ' + 0x', 'at 0x', 'by 0x', '[0x', '\n0x', ') at ', 'ssertion', ': runtime error:'],
  read(text, at, floor) {
    const row = nativeRow(lineAt(text.lines, at))
    if (row === null && isStop(text.lines, at)) return readStop(text, at, floor)
    if (row !== null) {
      return row.isSure || withContinuation(text.lines, at, row).row.isSure ? readStacks(text, at, floor) : null
    }
    return readPlace(text, at, floor)
  },
}

interface Stack {
  label: string | null
  frames: RawFrame[]
  next: number
}
