/** What single lines of a diff are. */

export interface HunkCounts {
  oldStart: number | null
  oldCount: number | null
  newCount: number | null
}

const NUMBERS = /^@@\s*-(\d{1,9})(?:,(\d{1,9}))?\s*\+(\d{1,9})(?:,(\d{1,9}))?/
const OLD_NUMBER = /^@@\s*-(\d{1,9})(?:,(\d{1,9}))?/

/** The numbers of a line that begins with `@@`, as far as it has any. */
export function hunkCounts(line: string): HunkCounts {
  const all = NUMBERS.exec(line)
  if (all !== null) return { oldStart: Number(all[1]), oldCount: Number(all[2] ?? 1), newCount: Number(all[4] ?? 1) }
  const old = OLD_NUMBER.exec(line)
  return { oldStart: old === null ? null : Number(old[1]), oldCount: null, newCount: null }
}

export const isHunkHeader = (line: string): boolean => line.startsWith('@@')

const isOldName = (line: string | undefined): boolean =>
  line !== undefined && line.startsWith('--- ') && line.trim().length > 4
const isNewName = (line: string | undefined): boolean =>
  line !== undefined && line.startsWith('+++ ') && line.trim().length > 4

/** Whether the two lines of names stand here. */
export function isFileHeader(lines: readonly string[], at: number): boolean {
  return isOldName(lines[at]) && isNewName(lines[at + 1])
}

/** Whether one of the two names is missing: the other one stands right before a hunk. */
export function isHalfHeader(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1]
  return next !== undefined && isHunkHeader(next) && (isOldName(lines[at]) || isNewName(lines[at]))
}

export const isGitHeader = (line: string): boolean => line.startsWith('diff --git ')

/** The same inside of a hunk, where a line of the file may look so: with a line after it that belongs to a header. */
export const isGitHeaderAt = (lines: readonly string[], at: number): boolean =>
  isGitHeader(lines[at] ?? '') &&
  /^(?:$|(?:old|new|deleted) |(?:copy|rename) (?:from|to) |similarity |dissimilarity |index |--- |\+\+\+ |@@|Binary files |GIT binary|diff --git )/.test(
    lines[at + 1] ?? '',
  )

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
