import type { Frame } from '../../core/frame.ts'
import { definitionLines, isInside, linesWith } from './definitions.ts'
import { functionParts } from './function-name.ts'
import type { SourceLines } from './source-lines.ts'

/**
 * Where a frame's code stands in the text that was read, and what showed it: the printed line, the printed code or the
 * function's name.
 */
export interface CodePlace {
  /** 1-based; null when unknown. */
  line: number | null
  by: 'line' | 'code' | 'function' | null
}

const NEAR_LINES = 200
const MIN_TELLING_CHARS = 12 // shorter code (`pass`, `return x`) stands in many places
const V8_FILE = /\.(?:[cm]?[jt]sx?|vue|svelte)$/i
const SEPARATORS = /[\u2028\u2029]/

/** A printed line in our numbering: V8 ends lines at U+2028 and U+2029, too. */
export function lineOf(printed: number | null, path: string, text: string): number | null {
  if (printed === null || !V8_FILE.test(path) || !SEPARATORS.test(text)) return printed
  let line = 1
  let left = printed - 1
  for (const end of text.matchAll(/[\n\u2028\u2029]/g)) {
    if (left-- === 0) return line
    if (end[0] === '\n') line++
  }
  return left <= 0 ? line : printed
}

const UNKNOWN: CodePlace = { line: null, by: null }

const firstLine = (text: string): string => text.split('\n', 1)[0]?.trim() ?? ''

function isInFunction(frame: Pick<Frame, 'function'>, line: number, lines: SourceLines): boolean | null {
  const parts = functionParts(frame.function)
  return parts === null ? null : isInside(lines, line, parts.name)
}

/**
 * The only nearby line that holds the code; of several, the only one in the function; else the only one in the file.
 */
function movedTo(code: string, line: number, lines: SourceLines, printed: string | null): number | null {
  if (code === '') return null
  const all = linesWith(lines, code).filter(at => lines.line(at - 1)?.trim() === code)
  const around = Math.min(line, lines.length)
  const near = all.filter(at => at >= around - NEAR_LINES && at <= line + NEAR_LINES)
  if (near.length === 1) return near[0] ?? null
  const name = functionParts(printed)?.name
  const inFunction = name === undefined ? [] : all.filter(at => isInside(lines, at, name))
  if (inFunction.length === 1) return inFunction[0] ?? null
  if (all.length > 1 || code.length < MIN_TELLING_CHARS) return null
  return all[0] ?? null
}

/**
 * The line at which a function is defined: of several, the one in the printed class, then the one nearest to the line.
 */
export function definitionOf(printed: string | null, line: number | null, lines: SourceLines): number | null {
  const parts = functionParts(printed)
  if (parts === null) return null
  const all = definitionLines(lines, parts.name)
  const { owner } = parts
  const owned = owner === null || all.length < 2 ? [] : all.filter(at => isInside(lines, at, owner))
  const candidates = owned.length > 0 ? owned : all
  if (line === null && candidates.length > 1) return null
  return candidates.toSorted((a, b) => Math.abs(a - (line ?? 0)) - Math.abs(b - (line ?? 0)))[0] ?? null
}

/**
 * Finds a frame's code: the printed line where it exists and nothing speaks against it, else the only line near by that
 * holds the printed code, else the definition of the function that was printed. A printed line outside of the
 * function's body is stale and does not count.
 *
 * @param frame - `line` in our numbering.
 * @param lines - The file's lines.
 */
export function codePlace(frame: Pick<Frame, 'line' | 'sourceText' | 'function'>, lines: SourceLines): CodePlace {
  const { line, sourceText } = frame
  const exists = line !== null && line >= 1 && line <= lines.length
  if (sourceText !== null && line !== null && line >= 1) {
    const code = firstLine(sourceText)
    if (exists && lines.line(line - 1)?.trim() === code) return { line, by: 'line' }
    const moved = movedTo(code, line, lines, frame.function)
    if (moved !== null) return { line: moved, by: 'code' }
  }
  const printed: CodePlace = exists && sourceText === null ? { line, by: 'line' } : UNKNOWN
  if (exists && isInFunction(frame, line, lines) === true) return printed
  const definition = definitionOf(frame.function, line, lines)
  return definition === null ? printed : { line: definition, by: 'function' }
}
