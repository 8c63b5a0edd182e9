import { indentOf } from '../text/indentation.ts'

/** A line that begins a fence, or ends one. */
export interface Fence {
  /** The number of blanks and tabs before it. */
  indent: number
  mark: string
  /** The text behind the mark, trimmed: a language, a name, or nothing. */
  info: string
}

/** The kind of text in a fence: it decides how the end of the fence is found. */
export type FenceContent = 'diff' | 'markdown' | 'other'

/** Reads a line that begins a fence, or ends one when `info` is empty; null for any other line. */
export function readFence(line: string): Fence | null {
  let at = 0
  while (line[at] === ' ' || line[at] === '\t') at++
  const char = line[at]
  if (char !== '`' && char !== '~') return null
  let end = at
  while (line[end] === char) end++
  const info = line.slice(end).trim()
  return end - at < 3 || (char === '`' && info.includes('`')) ? null : { indent: at, mark: line.slice(at, end), info }
}

/** The lines in a fence, without the indentation of the fence where every one of them has it. */
export function contentOf(
  lines: readonly string[],
  from: number,
  { to, indent }: { to: number; indent: number },
): string[] {
  const content = lines.slice(from, to)
  if (indent === 0 || content.some(line => line.trim() !== '' && indentOf(line).length < indent)) return content
  return content.map(line => line.slice(Math.min(indent, indentOf(line).length)))
}
