import type { Frame } from '../core/frame.ts'

/** The text of a file of the project as it is read now, or null when there is none. Callers may ask for one file many times. */
export type SourceOf = (repository: string, path: string) => string | null

const NEAR_LINES = 200
const NO_FUNCTION = new Set(['anonymous', 'eval', 'module', 'lambda', 'genexpr', 'listcomp', 'dictcomp', 'setcomp', 'Object'])

/** The bare name of a frame's function, as its definition spells it; null when it has none (`<module>`, `eval`). */
export function functionName (printed: string | null): string | null {
  if (printed === null || printed.startsWith('<')) return null
  const plain = printed.replace(/ \[as [^\]]*\]$/, '').replace(/^(?:new|async|get|set) /, '')
  const name = /([\p{L}\p{N}_$]+)[^\p{L}\p{N}_$]*$/u.exec(plain.slice(-200))?.[1]
  return name === undefined || NO_FUNCTION.has(name) ? null : name
}

/** Whether a name stands in a text as a word of its own. Literal search: the name comes from outside. */
export function hasWord (text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + word.length])) return true
  }
  return false
}

const isWordPart = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_$]/u.test(character)

/** Number of lines of a text; a final line feed ends the last line and begins none. */
export function lineCount (text: string): number {
  if (text === '') return 0
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}

/**
 * The line at which a frame's code stands in the text that was read: the printed line where it exists and nothing speaks
 * against it, else the only line near by that holds the printed code.
 *
 * @param lines - The file's lines.
 * @returns 1-based; null when unknown.
 */
export function codeLine ({ line, sourceText }: Pick<Frame, 'line' | 'sourceText'>, lines: readonly string[]): number | null {
  if (line === null || line < 1) return null
  if (sourceText === null) return line <= lines.length ? line : null
  if (lines[line - 1]?.trim() === sourceText) return line
  let found: number | null = null
  const last = Math.min(lines.length, line + NEAR_LINES)
  for (let near = Math.max(1, Math.min(line, lines.length) - NEAR_LINES); near <= last; near++) {
    if (lines[near - 1]?.trim() !== sourceText) continue
    if (found !== null) return null
    found = near
  }
  return found
}
