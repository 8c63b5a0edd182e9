import type { Hunk, HunkLine } from '../edit.ts'
import { BOM } from '../text/file-lines.ts'
import type { LineIndex } from './line-index.ts'

const unmarked = (line: HunkLine): HunkLine => ({ ...line, text: line.text.slice(1), raw: line.raw.replace(BOM, '') })

/**
 * Removes the byte order mark from the first lines of a hunk, where they were copied with it: the lines of a file are
 * kept without.
 *
 * @returns `mark`: whether the file begins with one afterwards; null where the hunk says nothing of it.
 */
export function withoutMark(hunk: Hunk, index: LineIndex): { hunk: Hunk; mark: boolean | null } {
  const old = hunk.lines.findIndex(({ kind }) => kind !== '+')
  const fresh = hunk.lines.findIndex(({ kind }) => kind !== '-')
  const isMarked = (at: number): boolean => hunk.lines[at]?.text.startsWith(BOM) === true
  if (!isMarked(old) && !isMarked(fresh)) return { hunk, mark: null }
  // inside of the file
  if (isMarked(old) && index.placesOf(hunk.lines[old]?.text ?? '', 'exact').length > 0) return { hunk, mark: null }
  const lines = hunk.lines.map((line, i) => ((i === old || i === fresh) && isMarked(i) ? unmarked(line) : line))
  return { hunk: { ...hunk, lines }, mark: isMarked(fresh) }
}
