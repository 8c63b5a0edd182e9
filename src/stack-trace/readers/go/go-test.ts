import type { Failure, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { indentOf, lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const LOGGED = /^\s{2,40}(\S+\.go):(\d{1,9}): ?(.*)$/
const STARTED = /^=== (?:RUN|NAME|CONT|PAUSE) {1,4}(\S+)/
const ENDED = /^\s*--- (FAIL|SKIP|PASS): (\S+)/
const TRACED = /^\s*Error Trace:\s{1,20}(\S+\.go):(\d{1,9})$/
const TRACE_LINE = /^\s*(?:Error Trace:\s*)?(\S+\.go):(\d{1,9})$/
const MAX_LINES_TO_NAME = 60
const MAX_LINES_TO_END = 300
const MAX_MESSAGE_LINES = 30

const beginsOther = (line: string, isTraced: boolean): boolean =>
  line.includes('.go:') ? LOGGED.test(line) || (isTraced && TRACED.test(line)) : ENDED.test(line)

/** The nearest test that is named above: its result comes first, or with `-v` its start does. */
function testAbove(lines: string[], floor: number, at: number): Test | null {
  for (let above = at - 1; above >= Math.max(0, floor - MAX_LINES_TO_NAME, at - MAX_LINES_TO_NAME); above--) {
    const started = STARTED.exec(lineAt(lines, above))?.[1]
    if (started !== undefined) return { name: started, result: null }
    const [, result, name] = ENDED.exec(lineAt(lines, above)) ?? []
    if (result !== undefined && name !== undefined) return { name, result }
  }
  return null
}

/** A test whose end was cut off counts as failed. */
function hasFailed(lines: string[], at: number, test: Test): boolean {
  let result = test.result
  for (let next = at + 1; result === null && next < Math.min(lines.length, at + MAX_LINES_TO_END); next++) {
    const line = lineAt(lines, next)
    const ended = line.trimStart().startsWith('--- ') ? ENDED.exec(line) : null
    if (ended?.[2] === test.name) result = ended[1] ?? null
  }
  return result === null || result === 'FAIL'
}

interface Logged {
  message: string[]
  /** Innermost last; empty where no trace was printed. */
  frames: RawFrame[]
  next: number
}

/** What a test logged below its first line: more of the message, or rows of a trace; both stand deeper. */
function readBelow(lines: string[], at: number, indent: number, isTraced: boolean): Logged {
  const logged: Logged = { message: [], frames: [], next: at + 1 }
  for (; logged.next < at + MAX_MESSAGE_LINES; logged.next++) {
    const line = lineAt(lines, logged.next)
    if (indentOf(line) <= indent || beginsOther(line, isTraced)) break
    const [, file, number] = TRACE_LINE.exec(line) ?? []
    if (file === undefined) logged.message.push(line.trim())
    else logged.frames.unshift(newFrame(line.trim(), { file, line: number }))
  }
  return logged
}

/**
 * Reads what Go's tests log: `    cart_test.go:7: message`, with the test that logged it; assertion libraries add a
 * trace. What a test logged that passed, or was skipped, is no failure.
 */
export const goTest: TraceReader = {
  language: 'go',
  opens: ['.go:'],
  read({ lines }, at, floor) {
    const line = lineAt(lines, at)
    if (!line.includes('.go:')) return null
    const isTraced = TRACED.test(line)
    const pattern = isTraced ? TRACED : LOGGED
    const [, file, number, said = ''] = pattern.exec(line) ?? []
    if (file === undefined) return null
    const test = testAbove(lines, floor, at)
    const below = readBelow(lines, at, isTraced ? 0 : indentOf(line), isTraced)
    if (test !== null && !hasFailed(lines, at, test)) return { exceptions: [], next: below.next }
    const own = newFrame(line.trim(), { file, line: number })
    const frames = isTraced || below.frames.length === 0 ? [...below.frames, own] : below.frames
    const [outermost = own] = frames
    outermost.function = test?.name ?? null
    const message = joinMessage([said, ...below.message])
    return { exceptions: [{ type: null, message, relation: 'root', frames }], next: below.next } satisfies Failure
  },
}

interface Test {
  name: string
  /** Null where the result stands below what was logged. */
  result: string | null
}
