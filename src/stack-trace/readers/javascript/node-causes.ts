import type { CleanText } from '../../layout/clean.ts'
import { addCodeAbove, codeFrameLine } from '../compilers/code-frame.ts'
import { errorFrom } from './node-error.ts'
import type { Failure, RawFrame } from '../../failures.ts'
import { lineAt, skipBlank } from '../../lines.ts'

const CAUSED_BY = /^\s*(?:[Cc]aused by|\[cause\]|Cause):(?: (.+))?$/
const MAX_MESSAGE_LINES = 20
const MAX_CAUSES = 20

/**
 * Adds the causes that test runners print behind a stack as `Caused by: Type: message` with rows of their own.
 *
 * @param readRows - The rows that begin at a line, or null when none do.
 */
export function readCauses(
  text: CleanText,
  failure: Failure,
  readRows: (at: number) => { frames: RawFrame[]; next: number } | null,
): Failure {
  const { lines } = text
  const exceptions = [...failure.exceptions]
  let next = failure.next
  for (let count = 0; count < MAX_CAUSES; count++) {
    const at = skipBlank(lines, next, 2)
    const head = CAUSED_BY.exec(lineAt(lines, at))
    if (head === null) break
    const message = head[1] === undefined ? [] : [head[1]]
    let rows = readRows(at + 1)
    let begin = at + 1
    for (; rows === null && begin < at + MAX_MESSAGE_LINES && lines[begin] !== undefined; rows = readRows(begin)) {
      const line = lineAt(lines, begin++)
      if (codeFrameLine(line) === null) message.push(line.trim())
    }
    if (rows === null) break
    addCodeAbove(text, at, begin, rows.frames)
    exceptions.push({ ...errorFrom(message.join('\n').trim().split('\n')), relation: 'cause', frames: rows.frames })
    next = rows.next
  }
  return { ...failure, exceptions, next }
}
