import { anyOf } from '../../text/any-of.ts'

/** The numbers in the header of a hunk; null where it has none. */
export interface HunkCounts {
  oldStart: number | null
  oldCount: number | null
  newCount: number | null
}

const NUMBERS = /^@@\s*-(\d{1,9})(?:,(\d{1,9}))?\s*\+(\d{1,9})(?:,(\d{1,9}))?/
const OLD_NUMBER = /^@@\s*-(\d{1,9})(?:,(\d{1,9}))?/
/** The lines that may follow a `diff --git` line. */
const AFTER_GIT_HEADER = anyOf([
  /^$/,
  /^(?:old|new|deleted|similarity|dissimilarity|index) /,
  /^(?:copy|rename) (?:from|to) /,
  /^(?:--- |\+\+\+ |@@|diff --git |Binary files |GIT binary)/,
])

/** The numbers of a line that begins with `@@`, as far as it has any. */
export function hunkCounts(line: string): HunkCounts {
  const all = NUMBERS.exec(line)
  if (all !== null) return { oldStart: Number(all[1]), oldCount: Number(all[2] ?? 1), newCount: Number(all[4] ?? 1) }
  const old = OLD_NUMBER.exec(line)
  return { oldStart: old === null ? null : Number(old[1]), oldCount: null, newCount: null }
}

/** Whether a line is the header of a hunk. */
export const isHunkHeader = (line: string): boolean => line.startsWith('@@')

const isOldName = (line: string | undefined): boolean =>
  line !== undefined && line.startsWith('--- ') && line.trim().length > 4
const isNewName = (line: string | undefined): boolean =>
  line !== undefined && line.startsWith('+++ ') && line.trim().length > 4

/** Whether the two lines that name the versions of a file stand here. */
export function isFileHeader(lines: readonly string[], at: number): boolean {
  return isOldName(lines[at]) && isNewName(lines[at + 1])
}

/** Whether only one of these two lines stands here, right before a hunk. */
export function isHalfHeader(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1]
  return next !== undefined && isHunkHeader(next) && (isOldName(lines[at]) || isNewName(lines[at]))
}

/** Whether a line begins git's header of a file. */
export const isGitHeader = (line: string): boolean => line.startsWith('diff --git ')

/**
 * Whether git's header stands here in a hunk, where a line of the file may look like one: the next line must belong to
 * a header, too.
 */
export const isGitHeaderAt = (lines: readonly string[], at: number): boolean =>
  isGitHeader(lines[at] ?? '') && AFTER_GIT_HEADER.test(lines[at + 1] ?? '')

/** Whether a diff begins here, in a text that may be prose. */
export function beginsDiff(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (!'d-+@*'.includes(line[0] ?? 'x')) return false // nearly every line of prose
  return (
    isGitHeader(line) ||
    isFileHeader(lines, at) ||
    isHalfHeader(lines, at) ||
    NUMBERS.test(line) ||
    line.startsWith('*** Begin Patch')
  )
}
