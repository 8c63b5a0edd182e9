import type { CleanText } from '../../layout/clean.ts'
import type { ErrorHead, Failure, RawException, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { isBlankAt, lineAt } from '../../lines.ts'
import type { TraceReader } from '../../trace-reader.ts'

const FATAL = /^(Fatal Python error|Timeout)(?:: (.{1,1000})| \([\d:.]{1,30}\)!)$/
const CALL_FIRST =
  /^\s{0,8}(?:(Current thread|Thread) (\S{1,40})(?: \[[^\]]{0,200}\])?|Stack|Traceback) \(most recent call first\):$/
const SAMPLED = /^Thread (0x[0-9A-Fa-f]{1,16}|\d{1,12}) \([\w+ ]{1,30}\)(?:: "(.{0,200})")?$/
const FRAME = /^\s{0,12}File "([^"]{1,4000})", line (\d{1,9}|\?\?\?),? in (.{1,1000})$/
const SAMPLED_FRAME = /^\s{2,8}(\S.{0,500}) \(([^()]{1,2000}?)(?::(\d{1,9}))?\)$/
const MAX_LINES_TO_STACK = 6

const beginsStack = (lines: string[], at: number): boolean => {
  const line = lineAt(lines, at)
  return CALL_FIRST.test(line)
    ? FRAME.test(lineAt(lines, at + 1)) || /^\s*<no Python frame>$/.test(lineAt(lines, at + 1))
    : SAMPLED.test(line) && SAMPLED_FRAME.test(lineAt(lines, at + 1))
}

function frameOf(line: string): RawFrame | null {
  const match = FRAME.exec(line)
  if (match !== null) {
    return newFrame(line.trim(), {
      file: match[1],
      line: match[2] === '???' ? null : Number(match[2]),
      function: match[3]?.trim(),
    })
  }
  const sampled = SAMPLED_FRAME.exec(line)
  if (sampled === null) return null
  return newFrame(line.trim(), {
    file: sampled[2],
    line: sampled[3],
    function: sampled[1],
  })
}

/** All stacks of one dump; the thread that failed is the root, the others stand beside it. */
function readStacks(text: CleanText, at: number): Failure {
  const exceptions: RawException[] = []
  let next = at
  while (beginsStack(text.lines, next)) {
    const header = lineAt(text.lines, next).trim()
    const frames: RawFrame[] = []
    for (next++; ; next++) {
      const frame = frameOf(lineAt(text.lines, next))
      if (frame === null) {
        const last = frames.at(-1)
        if (last === undefined || last.sourceText !== null || !/^\s{4,}\S/.test(lineAt(text.lines, next))) break
        last.sourceText = lineAt(text.lines, next).trim() // gdb prints the code
      } else frames.push(frame)
    }
    exceptions.push({
      type: null,
      message: header.replace(/ \(most recent call first\):$/, ''),
      relation: header.startsWith('Thread') ? 'separate' : 'root',
      frames: frames.reverse(),
    })
    while (isBlankAt(text.lines, next) && next < text.lines.length && beginsStack(text.lines, next + 1)) next++
  }
  const [first] = exceptions
  if (first !== undefined && !exceptions.some(({ relation }) => relation === 'root')) first.relation = 'root'
  return { exceptions, next }
}

function readFatal(text: CleanText, at: number, error: ErrorHead): Failure {
  let next = at + 1
  while (next < at + MAX_LINES_TO_STACK && !beginsStack(text.lines, next)) next++
  if (!beginsStack(text.lines, next)) return { exceptions: [{ ...error, relation: 'root', frames: [] }], next: at + 1 }
  const failure = readStacks(text, next)
  const failed = failure.exceptions.find(({ relation }) => relation === 'root') ?? failure.exceptions[0]
  if (failed !== undefined) Object.assign(failed, error, { relation: 'root' })
  return failure
}

/**
 * Reads stacks that Python and its tools print from outside: faulthandler, gdb's `py-bt`, py-spy. The innermost call
 * comes first.
 */
export const pythonThreads: TraceReader = {
  language: 'python',
  opens: ['\nFatal Python', '\nTimeout', '\nThread 0', ' (most recent call first'],
  read(text, at) {
    const line = lineAt(text.lines, at)
    const fatal = line.startsWith('Fatal Python') || line.startsWith('Timeout (') ? FATAL.exec(line) : null
    if (fatal !== null) return readFatal(text, at, { type: fatal[1] ?? null, message: fatal[2] ?? null })
    return beginsStack(text.lines, at) ? readStacks(text, at) : null
  },
}
