import { indentOf, joinMessage, newFrame } from './trace-reader.ts'
import type { Failure, RawFrame, TraceReader } from './trace-reader.ts'

const LOGGED = /^\s{2,40}(\S+\.go):(\d{1,9}): ?(.*)$/
const RESULT = /^\s*(?:--- (?:FAIL|SKIP|PASS): |=== (?:RUN|NAME|CONT|PAUSE) {1,4})(\S+)/
const TRACE_LINE = /^\s*(?:Error Trace:)?\s*(\S+\.go):(\d{1,9})$/
const MAX_LINES_TO_NAME = 60
const MAX_MESSAGE_LINES = 30

/** Reads what Go's tests log: `    cart_test.go:7: message`, with the test that logged it; assertion libraries add a trace. */
export const goTest: TraceReader = {
  language: 'go',
  read ({ lines }, at, floor) {
    const line = lines[at] ?? ''
    const match = line.includes('.go:') ? LOGGED.exec(line) : null
    if (match === null) return null
    const frame = newFrame(line.trim(), { file: match[1] ?? null, line: Number(match[2]), function: testAbove(lines, floor, at) })
    const indent = indentOf(line)
    const message = [match[3] ?? '']
    const frames: RawFrame[] = []
    let next = at + 1
    for (; next < at + MAX_MESSAGE_LINES && indentOf(lines[next] ?? '') > indent && !LOGGED.test(lines[next] ?? ''); next++) {
      const traced = TRACE_LINE.exec(lines[next] ?? '')
      if (traced === null) message.push((lines[next] ?? '').trim())
      else frames.unshift(newFrame((lines[next] ?? '').trim(), { file: traced[1] ?? null, line: Number(traced[2]) }))
    }
    const outermost = frames[0]
    if (outermost !== undefined) outermost.function = frame.function
    return { exceptions: [{ type: null, message: joinMessage(message), relation: 'root', frames: frames.length > 0 ? frames : [frame] }], next } satisfies Failure
  },
}

/** The nearest test that is named above: its result comes first, or with `-v` its start does. */
function testAbove (lines: string[], floor: number, at: number): string | null {
  for (let above = at - 1; above >= Math.max(0, floor - MAX_LINES_TO_NAME, at - MAX_LINES_TO_NAME); above--) {
    const name = RESULT.exec(lines[above] ?? '')?.[1]
    if (name !== undefined) return name
  }
  return null
}
