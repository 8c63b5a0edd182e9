import type { CleanText } from '../../layout/clean.ts'
import type { RawFrame } from '../../failures.ts'
import { lineAt } from '../../lines.ts'

const NUMBERED = /^\s{0,20}(>?)\s{0,12}(\d{1,9}) ?[|\u2502:] ?(.*)$/
const UNNUMBERED = /^\s{0,32}[|\u2502\u2575](.*)$/
const CARETS = /^[\s|\u2502\u2575]*[\^~][\s^~]*$/
const MAX_LINES_ABOVE = 40

/**
 * One line of a code frame (`> 12 | code`, ` | ^`) taken apart; null when it is none. `line` is null below the code.
 */
export function codeFrameLine(text: string): { line: number | null; text: string; isMarked: boolean } | null {
  const match = NUMBERED.exec(text)
  if (match !== null) return { line: Number(match[2]), text: match[3] ?? '', isMarked: match[1] === '>' }
  const below = UNNUMBERED.exec(text)?.[1]
  return below === undefined ? null : { line: null, text: below, isMarked: false }
}

/** Gives a frame the code that a test runner or a runtime printed with its line number above the stack. */
export function addCodeAbove(text: CleanText, floor: number, at: number, frames: readonly RawFrame[]): void {
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_ABOVE); above--) {
    const line = lineAt(text.lines, above)
    const code = CARETS.test(line) ? codeFrameLine(lineAt(text.lines, above - 1)) : codeFrameLine(line)
    if (code?.line == null || (!code.isMarked && !CARETS.test(line))) continue
    const frame = frames.findLast(({ line: number, sourceText }) => number === code.line && sourceText === null)
    if (frame !== undefined) frame.sourceText = code.text.trim() || null
    return
  }
}
