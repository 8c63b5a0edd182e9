import type { CleanText } from './clean.ts'
import { languageOfFile } from './source-endings.ts'
import { joinMessage, newFrame } from './trace-reader.ts'
import type { Failure, RawFrame } from './trace-reader.ts'

const TOKEN = /(?<![\w./\\@+~$-])((?:[A-Za-z]:[\\/])?[\w./\\@+~$-]{1,400}\.[A-Za-z]\w{0,7}(?:\+\+)?)(?::|\((?=\d)|, line | line |#L)(\d{1,7})(?:[:,](\d{1,6}))?/g
const MARK = /\.[A-Za-z][\w+]{0,7}(?:[:(]\d|,? line \d|#L\d)/
const OUTERMOST_FIRST = /most recent call last/i
const MAX_FAILURES = 1000

/**
 * The last resort, for a text in which no reader found a frame: words such as `src/cart.ts:12:5` where the name is that
 * of a source file. Lines in a row that hold one are one failure, its innermost frame first as most runtimes print.
 */
export function placeTokens ({ lines }: CleanText): Failure[] {
  const failures: Failure[] = []
  let frames: RawFrame[] = []
  let first = 0
  const finish = (next: number): void => {
    if (frames.length > 0) failures.push(failureOf({ lines, frames, first, next }))
    frames = []
  }
  for (const [index, line] of lines.entries()) {
    const found = MARK.test(line) ? placesIn(line) : []
    if (found.length === 0) finish(index)
    else if (frames.length === 0) first = index
    frames.push(...found)
    if (failures.length >= MAX_FAILURES) return failures
  }
  finish(lines.length)
  return failures
}

function placesIn (line: string): RawFrame[] {
  return [...line.matchAll(TOKEN)].flatMap(([raw, file = '', number, column]) => languageOfFile(file) === null
    ? []
    : [newFrame(raw, { file: file.replace(/^\/{2,}/, '/'), line: Number(number), column: column === undefined ? null : Number(column) })])
}

function failureOf ({ lines, frames, first, next }: { lines: string[], frames: RawFrame[], first: number, next: number }): Failure {
  const above = lines[first - 1] ?? ''
  const isStack = next - first > 1
  const message = joinMessage([isStack && above.trim() !== '' ? above.trim() : (lines[first] ?? '').trim()])
  const ordered = OUTERMOST_FIRST.test(above) ? frames : frames.toReversed()
  return { exceptions: [{ type: null, message, relation: 'root', frames: ordered }], next, language: languageOfFile(frames[0]?.file ?? '') }
}
