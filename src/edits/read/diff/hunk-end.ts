import { anyOf } from '../../text/any-of.ts'
import { beginsDiff, isFileHeader, isGitHeaderAt, isHunkHeader } from './diff-lines.ts'
import type { DiffText } from './diff-text.ts'
import { readFence } from '../fence-lines.ts'

/** Lines of a hunk that are still to come, as its header counts them; negative where there are too many. */
export interface LinesLeft {
  old: number
  added: number
}

/** More blank lines than these end a hunk in prose. */
const MAX_BLANKS = 16

/** Lines that tools write between the diffs of two files. */
const BETWEEN_DIFFS = /^(?:index [0-9a-f]{4,40}\.\.|Index: |={20,}$|Only in .+: |Binary files .+ differ$)/
const AFTER_BETWEEN_DIFFS = /^(?:={20,}$|Only in |Binary files |diff )/
/** The end of a mail with a patch, and the version of git below it. */
const SIGNATURE = /^-- ?$/
const VERSION = /^\d+\.\d+/

/** A line with a sign that is no item of a list, and no rule. */
const CHANGE = anyOf([/^\+/, /^-(?!-{2,}\s*$| \S)/])
const CHANGE_OR_ITEM = /^[+-](?!-{2,}\s*$)/

const pathOf = (line: string | undefined): string =>
  (line ?? '')
    .slice(4)
    .trim()
    .replace(/^[ab]\//, '')

/**
 * Whether two lines that look like names of a file are a removed and an added line: `-- x` and `++ y` in the file.
 *
 * @param left - null where the header has no counts.
 */
export function areChanges({ lines }: DiffText, at: number, left: LinesLeft | null): boolean {
  const endsHere = isHunkHeader(lines[at + 2] ?? '')
  if (left === null) return !endsHere && pathOf(lines[at]) !== pathOf(lines[at + 1])
  return endsHere ? left.old === 1 && left.added === 1 : left.old > 0 && left.added > 0
}

/** Whether a line stands between the diffs of two files or after the last one. */
export function isBetweenDiffs(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  const next = lines[at + 1] ?? ''
  if (SIGNATURE.test(line)) return VERSION.test(next)
  if (!BETWEEN_DIFFS.test(line)) return false
  return (
    next.trim() === '' || isGitHeaderAt(lines, at + 1) || isFileHeader(lines, at + 1) || AFTER_BETWEEN_DIFFS.test(next)
  )
}

/** Whether prose begins here, in a text that may hold prose after a hunk. */
export function beginsProse(
  { lines, end }: DiffText,
  at: number,
  { isCounted, isSpent }: { isCounted: boolean; isSpent: boolean },
): boolean {
  if (isCounted && !isSpent) return false
  const line = lines[at] ?? ''
  const isPrefixed = /^[ +\-\\]/.test(line)
  if (readFence(line) !== null && !isPrefixed) return true
  if (isCounted) return !isPrefixed
  if (line.trim() !== '') return false
  let next = at
  while (next < end && next - at < MAX_BLANKS && (lines[next] ?? '').trim() === '') next++
  return next > at && next < end && !/^[ +\-\\@]/.test(lines[next] ?? '')
}

/** The fence that stands here, or, where it is bare, behind blank lines; null for none. */
function fenceBefore({ lines, end }: DiffText, from: number): number | null {
  let first = from
  while (first < end && (lines[first] ?? '').trim() === '') first++
  const fence = readFence(lines[first] ?? '')
  return fence !== null && (first === from || fence.info === '') ? first : null
}

/** Whether a line is a fence with a language or a name. */
function opensBlock(line: string): boolean {
  const fence = readFence(line)
  return fence !== null && fence.info !== ''
}

/**
 * Whether what is taken for prose holds lines that look like changes, and not like the items of a list; behind a bare
 * fence, which may be a line of the file, items count, too.
 */
export function changesFollow(text: DiffText, from: number): boolean {
  const { lines, end } = text
  const fence = fenceBefore(text, from)
  const change = fence === null ? CHANGE : CHANGE_OR_ITEM
  for (let at = from; at < end && !beginsDiff(lines, at); at++) {
    const line = lines[at] ?? ''
    if (at !== fence && opensBlock(line)) return false
    if (change.test(line) && !isBetweenDiffs(lines, at)) return true
  }
  return false
}
