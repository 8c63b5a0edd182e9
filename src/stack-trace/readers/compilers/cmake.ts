import type { RawFrame } from '../../failures.ts'
import { namedByCaller, newFrame } from '../../frames.ts'
import { indentOf, isBlankAt, lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const HEAD =
  /^CMake (Error|Warning|Deprecation Warning|Internal Error)(?: \(dev\))?(?: at (\S.*):(\d{1,9}) \((\w+)\))?:?(.*)$/
const CALL = /^\s+(\S.*):(\d{1,9}) \((\w+)\)$/
const CALLS = 'Call Stack (most recent call first):'
const MAX_MESSAGE_LINES = 40

/** Reads CMake's errors and warnings with their call stacks. */
export const cmake: TraceReader = {
  language: 'cmake',
  opens: ['\nCMake '],
  read({ lines }, at) {
    const raw = lineAt(lines, at)
    const head = raw.startsWith('CMake ') ? HEAD.exec(raw) : null
    if (head?.[2] === undefined) return null
    const message = [(head[5] ?? '').trim()]
    let next = at + 1
    while (
      next < at + MAX_MESSAGE_LINES &&
      next < lines.length &&
      (isBlankAt(lines, next) || indentOf(lineAt(lines, next)) > 0)
    ) {
      message.push(lineAt(lines, next++).replace(/^ {2}/, ''))
    }
    const frames: RawFrame[] = [newFrame(raw.trim(), { file: head[2], line: head[3], function: head[4] })]
    if (lines[next]?.trim() === CALLS) {
      for (next++; next < lines.length; next++) {
        const call = CALL.exec(lineAt(lines, next))
        if (call === null) break
        frames.unshift(
          newFrame(lineAt(lines, next).trim(), {
            file: call[1],
            line: call[2],
            function: call[3],
          }),
        )
      }
    }
    const isError = head[1]?.endsWith('Error') === true
    return {
      exceptions: [
        {
          type: `CMake ${head[1]}`,
          message: joinMessage(message),
          relation: isError ? 'root' : 'separate',
          frames: namedByCaller(frames, null),
        },
      ],
      next,
    }
  },
}
