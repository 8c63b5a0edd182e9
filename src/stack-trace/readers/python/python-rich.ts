import type { CleanText } from '../../layout/clean.ts'
import { linkAt, splitError } from './python-error.ts'
import type { RawException, RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt, skipBlank } from '../../lines.ts'
import { joinMessage, MAX_MESSAGE_LINES } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const TOP = /^\s{0,20}[\u256D+][\u2500-]{1,200} Traceback \(most recent call last\) [\u2500-]{1,200}[\u256E+]$/
const BOTTOM = /^\s{0,20}[\u2570+][\u2500-]{2,400}[\u256F+]$/
const ROW = /^(\S.{0,1000}?):(\d{1,9}) in (\S{1,300})$/
const MARKED = /^[\u2771>] {1,8}(\d{1,9}) (.*)$/
const MAX_LINES_OF_BOX = 5000
const MAX_BLANK = 3 // between the parts of a chain

function readLine(line: string, frames: RawFrame[]): void {
  const inside = line
    .trim()
    .replace(/^[\u2502|]/, '')
    .replace(/[\u2502|]$/, '')
    .trim()
  const row = ROW.exec(inside)
  if (row !== null) {
    frames.push(newFrame(inside, { file: row[1], line: row[2], function: row[3] }))
    return
  }
  const marked = MARKED.exec(inside)
  const frame = frames.at(-1)
  if (marked !== null && frame !== undefined && frame.line === Number(marked[1])) {
    frame.sourceText = marked[2]?.replace(/^[\u2502 ]+/, '').trim() || null
  }
}

function readBox({ lines }: CleanText, at: number): { exception: RawException; next: number } {
  const frames: RawFrame[] = []
  let next = at + 1
  for (; next < lines.length && next < at + MAX_LINES_OF_BOX && !BOTTOM.test(lineAt(lines, next)); next++) {
    readLine(lineAt(lines, next), frames)
  }
  const error = splitError(lineAt(lines, next + 1).trim())
  if (error === null) return { exception: { type: null, message: null, relation: 'root', frames }, next: next + 1 }
  const message = [error.message]
  for (
    next += 2;
    message.length < MAX_MESSAGE_LINES && lineAt(lines, next).trim() !== '' && !TOP.test(lineAt(lines, next));
    next++
  ) {
    message.push(lineAt(lines, next))
  }
  return { exception: { type: error.type, message: joinMessage(message), relation: 'root', frames }, next }
}

/** Reads tracebacks that are drawn in a box, with the failing line of each call marked in its code. */
export const pythonRich: TraceReader = {
  language: 'python',
  opens: ['Traceback ('],
  read(text, at) {
    if (!TOP.test(lineAt(text.lines, at))) return null
    const exceptions: RawException[] = []
    let next = at
    for (;;) {
      const box = readBox(text, next)
      exceptions.push(box.exception)
      const phrase = skipBlank(text.lines, box.next, MAX_BLANK)
      const relation = linkAt(text.lines, phrase)
      const following = skipBlank(text.lines, phrase + 1, MAX_BLANK)
      if (relation === null || !TOP.test(lineAt(text.lines, following))) return { exceptions, next: box.next }
      box.exception.relation = relation
      next = following
    }
  },
}
