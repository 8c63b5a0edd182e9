/** The number of a line in a listing: `    41 | code`, `>>>  42 | code`, `42: code`. */
const GUTTER = /^(?:>+ ?)? *L?(\d{1,7}) ?[|│:](?: |$)/
const TAB_GUTTER = /^ *(\d{1,7})(?:\t|→)/

/** `41|code`, `L41:code`: where a line of the file could begin so, too. */
const TIGHT_GUTTER = /^(?:>+ ?)? *(?:L(\d{1,7}):|(\d{1,7})\|)/

/** The lines of a listing without their numbers, which no blank need follow; null when one of them has none. */
export function cutTightNumbers(lines: readonly string[]): Array<{ number: number; text: string }> | null {
  const cut: Array<{ number: number; text: string }> = []
  for (const line of lines) {
    const match = TIGHT_GUTTER.exec(line)
    if (match === null) return null
    cut.push({ number: Number(match[1] ?? match[2]), text: line.slice(match[0].length) })
  }
  return cut
}

/** The lines of a listing without their numbers; null when one of them has none. */
export function cutNumbers(lines: readonly string[]): Array<{ number: number; text: string }> | null {
  const cut: Array<{ number: number; text: string }> = []
  for (const line of lines) {
    const match = GUTTER.exec(line) ?? TAB_GUTTER.exec(line)
    if (match === null) return null
    cut.push({ number: Number(match[1]), text: line.slice(match[0].length) })
  }
  return cut
}

/**
 * Removes the numbers that were copied from a listing, where every line has one and they count up by one.
 *
 * @returns null when the lines have no such numbers; `excerpt` when these do not begin with 1.
 */
export function withoutLineNumbers(lines: readonly string[]): string[] | 'excerpt' | null {
  const cut = cutNumbers(lines) ?? cutTightNumbers(lines)
  if (cut === null || lines.length < 2) return null
  if (!cut.every(({ number }, i) => number === (cut[0]?.number ?? 0) + i)) return null
  return cut[0]?.number === 1 ? cut.map(({ text }) => text) : 'excerpt'
}
