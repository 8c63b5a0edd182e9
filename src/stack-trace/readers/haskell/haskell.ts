import type { CleanText } from '../../layout/clean.ts'
import type { RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES, opensField, startsLogEntry } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const HEADING = 'CallStack (from HasCallStack):'
const CALL = /^(\S{1,300}), called at (\S.{0,500}):(\d{1,9}):(\d{1,9}) in (\S{1,300}):([\w.']{1,300})$/
const PROGRAM = /^[\w.-]{1,100}: (?=\S)/

const isSaid = (line: string): boolean => line.trim() !== '' && !opensField(line) && !startsLogEntry(line.trim())

/** The program's name, and what it said. */
function messageAbove({ lines, stamped }: CleanText, floor: number, at: number): string | null {
  let start = at
  while (
    start > floor &&
    start > at - MAX_MESSAGE_LINES &&
    isSaid(lineAt(lines, start - 1)) &&
    (start === at || stamped[start] !== 1)
  ) {
    start--
  }
  const [head = '', ...more] = lines.slice(start, at)
  return joinMessage([head.replace(PROGRAM, ''), ...more])
}

/** Reads Haskell's call stacks: the function that was called and the place of the call, the innermost first. */
export const haskell: TraceReader = {
  language: 'haskell',
  opens: ['CallStack (from'],
  read(text, at, floor) {
    if (text.lines[at]?.trim() !== HEADING) return null
    const calls: RegExpExecArray[] = []
    let next = at + 1
    for (
      let call = CALL.exec(lineAt(text.lines, next).trim());
      call !== null;
      call = CALL.exec(lineAt(text.lines, ++next).trim())
    ) {
      calls.push(call)
    }
    if (calls.length === 0) return null
    const frames: RawFrame[] = []
    // A place is in the function that the row below names.
    calls.forEach(([raw, , file, line, column, , module], index) => {
      const caller = calls[index + 1]?.[1]
      pushFrame(
        frames,
        newFrame(raw, {
          file,
          line,
          column,
          function: caller === undefined ? null : `${module}.${caller}`,
        }),
      )
    })
    return {
      exceptions: [{ type: null, message: messageAbove(text, floor, at), relation: 'root', frames: frames.reverse() }],
      next,
    }
  },
}
