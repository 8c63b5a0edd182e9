/** The number of a line in a listing: `    41 | code`, `>>>  42 | code`, `42: code`. */
const GUTTER = /^(?:>+ ?)? *L?(\d{1,7}) ?[|│:](?: |$)/
const TAB_GUTTER = /^ *(\d{1,7})(?:\t|→)/

/** `41|code`, `L41:code`: where a line of the file could begin so, too. */
const TIGHT_GUTTER = /^(?:>+ ?)? *(?:L(\d{1,7}):|(\d{1,7})\|)/

/** `1. code`, as Markdown numbers a list: in front of every line of a file that holds no text. */
const LIST_GUTTER = /^ *(\d{1,7})[.)](?: |$)/
const PROSE = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i

/** A line of a listing. */
interface Numbered {
  number: number
  text: string
}

/** The lines without what a pattern finds at their beginnings; null when it finds nothing in one of them. */
function cutAll(lines: readonly string[], find: (line: string) => RegExpExecArray | null): Numbered[] | null {
  const cut: Numbered[] = []
  for (const line of lines) {
    const match = find(line)
    if (match === null) return null
    cut.push({ number: Number(match[1] ?? match[2]), text: line.slice(match[0].length) })
  }
  return cut
}

/** The lines of a listing without their numbers, which no blank need follow; null when one of them has none. */
export const cutTightNumbers = (lines: readonly string[]): Numbered[] | null =>
  cutAll(lines, line => TIGHT_GUTTER.exec(line))

/** The lines of a listing without their numbers; null when one of them has none. */
export const cutNumbers = (lines: readonly string[]): Numbered[] | null =>
  cutAll(lines, line => GUTTER.exec(line) ?? TAB_GUTTER.exec(line))

/**
 * Removes the numbers that were copied from a listing, where every line has one and they count up by one.
 *
 * @returns null when the lines have no such numbers; `excerpt` when these do not begin with 1.
 */
export function withoutLineNumbers(lines: readonly string[], path: string): string[] | 'excerpt' | null {
  const asList = (): Numbered[] | null => (PROSE.test(path) ? null : cutAll(lines, line => LIST_GUTTER.exec(line)))
  const cut = cutNumbers(lines) ?? cutTightNumbers(lines) ?? asList()
  if (cut === null || lines.length < 2) return null
  if (!cut.every(({ number }, i) => number === (cut[0]?.number ?? 0) + i)) return null
  return cut[0]?.number === 1 ? cut.map(({ text }) => text) : 'excerpt'
}
