import type { CleanText } from '../../layout/clean.ts'
import { goFrame, isGoNoise } from './go-frame.ts'
import type { Failure, RawException, RawFrame } from '../../failures.ts'
import { pushPlace } from '../../frames.ts'
import { isBlankAt, lineAt, skipBlank } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const PANIC = /^(panic|fatal error): (.*)$/
const SIGNAL = /^\[signal /
const GOROUTINE =
  /^(?:\[[\w.:-]{1,100}\] )?(goroutine \d{1,12}(?: gp=\S{1,32})?(?: m=\S{1,32}(?: mp=\S{1,32})?)?) \[([^\]]{0,200})\]:$/
const RUNTIME_STACK = 'runtime stack:'
const RECOVERED = / \[recovered(?:, repanicked)?\]$/
const PROFILE = /^\d{1,9} @(?: 0x[0-9a-f]+)+$/
const MAX_LINES_TO_STACK = 40

/** What a stack is called: `goroutine 5 [select]`; null for a line that begins none. */
function stackHeader(trimmed: string): string | null {
  if (trimmed === RUNTIME_STACK) return 'runtime stack'
  if (PROFILE.test(trimmed)) return `goroutines: ${trimmed.split(' ', 1)[0] ?? ''}`
  const goroutine = trimmed.endsWith(']:') ? GOROUTINE.exec(trimmed) : null
  if (goroutine === null) return null
  const [, name = '', state = ''] = goroutine
  return `${name.replace(/ gp=.*/, '')} [${state}]`
}

function hasFrame(lines: readonly string[], at: number): boolean {
  for (let next = at; next < at + 3; next++) {
    const trimmed = lineAt(lines, next).trim()
    if (goFrame(lines, next) !== null || isGoNoise(trimmed)) return true
    if (trimmed !== '') return false
  }
  return false
}

const panicMessage = ([first = '', ...more]: string[]): string | null =>
  joinMessage([more.length === 0 ? first.replace(RECOVERED, '') : first, ...more])

/** A panic of the same failure is indented below the first. */
const isNested = (line: string): boolean => /^\s/.test(line)

function readFrames(lines: readonly string[], at: number): { frames: RawFrame[]; next: number } {
  const frames: RawFrame[] = []
  let next = at
  while (next < lines.length) {
    const found = goFrame(lines, next)
    if (found !== null) {
      pushPlace(frames, found.frame) // the arguments of a recursive call differ, its place does not
      next += found.lines
      continue
    }
    const trimmed = lineAt(lines, next).trim()
    const isFiller = isGoNoise(trimmed) || (trimmed === '' && frames.length === 0 && next < at + 2)
    if (!isFiller) break
    next++
  }
  return { frames: frames.reverse(), next }
}

/**
 * The stacks from line `at` on: that of the first goroutine belongs to the last of the errors, the others are separate.
 */
function readStacks(text: CleanText, at: number, errors: RawException[]): Failure {
  const exceptions: RawException[] = [...errors.slice(0, -1)]
  let failing: RawException | null = errors.at(-1) ?? null
  let next = at
  for (;;) {
    const headerAt = skipBlank(text.lines, next, 3)
    const header = stackHeader(lineAt(text.lines, headerAt).trim())
    if (header === null) break
    const { frames, next: end } = readFrames(text.lines, headerAt + 1)
    next = Math.max(end, headerAt + 1)
    if (failing !== null && header !== 'runtime stack') {
      exceptions.push({ ...failing, relation: 'root', frames })
      failing = null
    } else if (frames.length > 0) exceptions.push({ type: null, message: header, relation: 'separate', frames })
  }
  if (failing !== null) exceptions.push({ ...failing, relation: 'root', frames: [] })
  return { exceptions, next }
}

interface Panic {
  type: string
  lines: string[]
}

/** Whether a panic belongs to the one above it: it followed that one, or says the same again. */
const followsPanic = (line: string, message: string, last: Panic): boolean =>
  isNested(line) || (last.type === 'panic' && panicMessage(last.lines) === joinMessage([message]))

const takesMore = (panic: Panic, line: string): boolean =>
  panic.lines.length < MAX_MESSAGE_LINES && !startsLogEntry(line)

/** The panics from line `at` on, each with the lines of its message, and the first line after them. */
function readPanics({ lines, stamped }: CleanText, at: number): { panics: Panic[]; next: number } {
  const panics: Panic[] = []
  let goesOn = false
  let next = at
  for (; next < lines.length && next < at + MAX_LINES_TO_STACK; next++) {
    const line = lineAt(lines, next)
    const trimmed = line.trim()
    if (stackHeader(trimmed) !== null) break
    const last = panics.at(-1)
    const [, type, message = ''] = PANIC.exec(trimmed) ?? []
    if (type !== undefined) {
      if (last !== undefined && !followsPanic(line, message, last)) break
      panics.push({ type, lines: [message] })
      goesOn = true
    } else if (SIGNAL.test(trimmed) || trimmed === '') {
      goesOn = false
    } else {
      if (last === undefined || !goesOn || stamped[next] === 1 || !takesMore(last, trimmed)) break
      last.lines.push(line)
    }
  }
  return { panics, next }
}

/**
 * `panic: first [recovered]`, below it the panic that followed, then the stacks. A panic whose stack was cut off
 * counts, too.
 */
function readPanic(text: CleanText, at: number): Failure | null {
  const { panics, next } = readPanics(text, at)
  const errors = panics.map(({ type, lines }): RawException => ({
    type,
    message: panicMessage(lines),
    relation: 'cause',
    frames: [],
  }))
  const distinct = errors.filter(
    (error, index) => errors.findIndex(({ message }) => message === error.message) === index,
  )
  const hasStack = stackHeader(lineAt(text.lines, next).trim()) !== null
  if (hasStack) return readStacks(text, next, distinct)
  const root = distinct.at(-1)
  if (root === undefined || root.type !== 'panic') return null // compilers have fatal errors, too
  root.relation = 'root'
  return { exceptions: distinct, next: Math.max(at + 1, next) }
}

/** A recovered panic that a server logs: what it says stands above the stack. */
function errorAbove(text: CleanText, floor: number, at: number): RawException {
  const header = stackHeader(lineAt(text.lines, at).trim())
  let above = at - 1
  while (above > at - 3 && above >= floor && isBlankAt(text.lines, above)) above--
  const said = above >= floor ? lineAt(text.lines, above).trim() : ''
  const panic = /\bpanic(?:ked|king)?\b(?: serving [^\s]{1,255}| recovered)?:? ?(.*)/i.exec(said)
  if (panic === null) return { type: null, message: header, relation: 'root', frames: [] }
  return { type: 'panic', message: joinMessage([panic[1] ?? '']), relation: 'root', frames: [] }
}

/** Reads what the runtime of Go prints: panics, fatal errors, and dumps of goroutines. */
export const go: TraceReader = {
  language: 'go',
  opens: ['\npanic: ', '\nfatal error: ', 'runtime stack:', ' @ 0', ']:\n'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at).trim()
    if (PANIC.test(line)) return readPanic(text, at)
    if (stackHeader(line) !== null && hasFrame(text.lines, at + 1)) {
      return readStacks(text, at, [errorAbove(text, floor, at)])
    }
    return null
  },
}
