/** The line at a position; empty in front of the first line and behind the last one. */
export const lineAt = (lines: readonly string[], at: number): string => lines[at] ?? ''

/** Whether a line holds nothing but spaces; false in front of the first line and behind the last one. */
export const isBlankAt = (lines: readonly string[], at: number): boolean => lines[at]?.trim() === ''
