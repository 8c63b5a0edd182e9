import type { HunkLine } from '../../edit.ts'
import { isFileHeader, isGitHeaderAt, isHunkHeader } from './diff-lines.ts'
import type { DiffText } from './diff-text.ts'
import { readFence } from '../fence-lines.ts'

/** This many lines after a marker may show that it is none. */
const MAX_AFTER_MARKER = 8

/** `\ No newline at end of file`, in any language; other lines with a backslash are of the file. */
const MARKER = /^\\ (?:no newline at (?:the )?end of (?:the )?file|[^\s\d]+(?: [^\s\d]+){3,8}?)\.?\s*$/i

/** Whether a line cannot belong to the hunk before it, or says nothing about which side it belongs to. */
const endsBothSides = (lines: readonly string[], at: number, line: string): boolean =>
  line === '' ||
  isHunkHeader(line) ||
  isGitHeaderAt(lines, at) ||
  MARKER.test(line) ||
  isFileHeader(lines, at) ||
  readFence(line) !== null ||
  line.startsWith('*** ')

/** Whether a line belongs to the same side of the hunk as `last`. */
function goesOn(line: string, last: HunkLine): boolean {
  if (line.startsWith(' ')) return true
  return last.kind === '+' ? line.startsWith('+') : line.startsWith('-') || (last.kind === ' ' && line.startsWith('+'))
}

/**
 * Whether a line says that the line before it, `last`, ends its file without a newline. It must stand where a side of
 * the hunk can end: no line of that side follows it.
 */
export function isNewlineMarker({ lines, end }: DiffText, at: number, last: HunkLine | undefined): boolean {
  if (last === undefined || !MARKER.test(lines[at] ?? '')) return false
  for (let i = at + 1; i < end && i <= at + MAX_AFTER_MARKER; i++) {
    const line = lines[i] ?? ''
    if (endsBothSides(lines, i, line)) return true
    if (goesOn(line, last)) return false
  }
  return true
}
