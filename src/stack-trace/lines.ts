/** The line at a position; empty in front of the first line and behind the last one. */
export const lineAt = (lines: readonly string[], at: number): string => lines[at] ?? ''

/** Whether a line holds nothing but spaces; false in front of the first line and behind the last one. */
export const isBlankAt = (lines: readonly string[], at: number): boolean => lines[at]?.trim() === ''

/** The first line from `at` on that is not blank, behind `limit` blank ones at most. */
export function skipBlank(lines: readonly string[], at: number, limit: number): number {
  let next = at
  while (next < at + limit && isBlankAt(lines, next)) next++
  return next
}

/** The number of spaces and tabs that a line begins with. */
export const indentOf = (line: string): number => line.length - line.trimStart().length
