import { indentOf, joinMessage, newFrame } from '../../trace-reader.ts'
import type { Failure, RawFrame, TraceReader } from '../../trace-reader.ts'
import { lineAt } from '../../lines.ts'

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
    const traced = TRACED.exec(line)
    const match = traced ?? LOGGED.exec(line)
    if (match === null) return null
    const test = testAbove(lines, floor, at)
    const frame = newFrame(line.trim(), {
      file: match[1],
      line: match[2],
      function: test?.name,
    })
    const indent = traced === null ? indentOf(line) : 0
    const message = [match[3] ?? '']
    const frames: RawFrame[] = traced === null ? [] : [{ ...frame, function: null }]
    let next = at + 1
    for (
      ;
      next < at + MAX_MESSAGE_LINES &&
      indentOf(lineAt(lines, next)) > indent &&
      !beginsOther(lineAt(lines, next), traced !== null);
      next++
    ) {
      const traced = TRACE_LINE.exec(lineAt(lines, next))
      if (traced === null) message.push(lineAt(lines, next).trim())
      else frames.unshift(newFrame(lineAt(lines, next).trim(), { file: traced[1], line: traced[2] }))
    }
    const outermost = frames[0]
    if (outermost !== undefined) outermost.function = frame.function
    if (test !== null && !hasFailed(lines, at, test)) return { exceptions: [], next }
    return {
      exceptions: [
        { type: null, message: joinMessage(message), relation: 'root', frames: frames.length > 0 ? frames : [frame] },
      ],
      next,
    } satisfies Failure
  },
}

interface Test {
  name: string
  /** Null where it is told below. */
  result: string | null
}
