/** The part of a context that is about one file: its header, and its rows of code. */
interface Section {
  header: string
  rows: string[]
}

const HEADER = '==='
const MARK = '>>>'
const OMITTED = /^\s*…$/
/** The part of a page that the first file, that of the failing frame, may take. */
const FIRST_SHARE = 0.5
const FEWEST_ROWS = 4
const LINES_AROUND = 3 // header, empty line, a row that stands for omitted ones

function sectionsOf(context: string): Section[] {
  const sections: Section[] = []
  for (const line of context.split('\n')) {
    if (line.startsWith(HEADER)) sections.push({ header: line, rows: [] })
    else if (line !== '' && !OMITTED.test(line)) sections.at(-1)?.rows.push(line)
  }
  return sections
}

/** Rows between this one and the nearest marked one; without marks the number of those before it. */
function distances(rows: readonly string[]): number[] {
  const marks = rows.flatMap((row, at) => (row.startsWith(MARK) ? [at] : []))
  return rows.map((_, at) => (marks.length === 0 ? at : Math.min(...marks.map(mark => Math.abs(mark - at)))))
}

const numberOf = (row: string): number => Number(/^(?:>>>)? {0,12}(\d{1,12}) \|/.exec(row)?.[1] ?? 0)

/** The rows nearest to those of the trace, in order, with a row for each gap. */
function nearestRows(rows: readonly string[], most: number): string[] {
  const near = distances(rows)
  const kept = new Set(
    rows
      .map((_, at) => at)
      .sort((a, b) => (near[a] ?? 0) - (near[b] ?? 0) || a - b)
      .slice(0, most),
  )
  const shown: string[] = []
  let last: number | null = null
  for (const [at, row] of rows.entries()) {
    if (!kept.has(at)) continue
    if (last !== null && numberOf(row) > last + 1) shown.push(`${' '.repeat(Math.max(0, row.indexOf('|')))}…`)
    shown.push(row)
    last = numberOf(row)
  }
  return shown
}

/**
 * As much of a context as a page has room for: of each file the rows nearest to the lines of the trace, half of the
 * page for the first one, and no file of which only a few rows would be left.
 *
 * @param most - Lines of the page.
 * @returns The text, and how many rows of code there was no room for.
 */
export function codePage(context: string, most: number): { text: string; omitted: number } {
  const sections = sectionsOf(context)
  const all = sections.reduce((sum, { rows }) => sum + rows.length, 0)
  if (context.split('\n').length <= most) return { text: context, omitted: 0 }
  const texts: string[] = []
  let left = most
  let shownRows = 0
  for (const [at, { header, rows }] of sections.entries()) {
    const isFirstOfMany = at === 0 && sections.length > 1
    const share = isFirstOfMany ? Math.floor(most * FIRST_SHARE) : Math.ceil(left / Math.min(2, sections.length - at))
    const room = Math.min(left, share) - LINES_AROUND
    if (room < FEWEST_ROWS && at > 0) break
    const shown = nearestRows(rows, Math.max(FEWEST_ROWS, room))
    texts.push([header, ...shown].join('\n'))
    shownRows += shown.filter(row => !OMITTED.test(row)).length
    left -= shown.length + 2
  }
  return { text: texts.join('\n\n'), omitted: all - shownRows }
}
