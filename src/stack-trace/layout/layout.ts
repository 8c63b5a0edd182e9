import { holdsRow, startsRow } from '../trace-rows.ts'
import { indentOf, lineAt } from '../lines.ts'

const BOXED = /^[\u2502|] (.*)[\u2502|]$/
const BOXED_ROW = /^\s*(?:Traceback \(most recent call last\):|File "|at \S.{0,400}[(:]\d?|#\d{1,4} )/
/** Not a method as Ruby quotes it, `block in find', which a narrow page puts on a line of its own. */
const CODE_OPENS = /^`(?=[^`\s])(?!\w[\w.?!=]{0,100}'|[^`]{1,300}'\)?$)/
const CODE_CLOSES = /^[^`]*`$/
const MIN_SPACED = 3

/** Lines, and for each its position among the old ones; null where none was taken out. */
interface LaidOut {
  lines: string[]
  starts: number[] | null
}

/** A text between two backquotes, which a page takes for code in a sentence. */
function withoutInlineCode(lines: string[]): string[] {
  if (!lines.some(line => CODE_OPENS.test(line))) return lines
  const lastEnd = lines.findLastIndex(line => CODE_CLOSES.test(line))
  let isOpen = false
  return lines.map((line, at) => {
    const opens = !isOpen && at <= lastEnd && CODE_OPENS.test(line)
    const text = opens ? line.slice(1) : line
    isOpen ||= opens
    if (!isOpen || !CODE_CLOSES.test(text)) return text
    isOpen = false
    return text.slice(0, -1).trimEnd()
  })
}

/** A frame that was drawn around a log, when a trace is in it. */
function withoutBoxes(lines: string[]): string[] {
  const plain = lines.slice()
  let first = 0
  while (first < lines.length) {
    let next = first
    let rows = 0
    for (; next < lines.length; next++) {
      const inside = BOXED.exec(lineAt(lines, next))?.[1]
      if (inside === undefined) break
      if (BOXED_ROW.test(inside)) rows++
    }
    if (rows > 0) for (let at = first; at < next; at++) plain[at] = BOXED.exec(lineAt(lines, at))?.[1]?.trimEnd() ?? ''
    first = Math.max(next, first + 1)
  }
  return plain
}

/** Whether a row has the next one, or its code, two lines below it. */
const goesOnBelow = (row: string, below: string): boolean =>
  holdsRow(row) && (startsRow(below) || (row.includes('File "') && indentOf(below) > indentOf(row)))

/** A blank line after each line of a trace. */
function withoutDoubleSpacing(lines: string[]): LaidOut {
  const dropped = new Set<number>()
  const isBlank = (at: number): boolean => lineAt(lines, at).trim() === ''
  for (let first = 0; first < lines.length;) {
    let next = first
    let isTrace = false
    while (next < lines.length && !isBlank(next) && isBlank(next + 1)) {
      isTrace ||= goesOnBelow(lineAt(lines, next), lineAt(lines, next + 2))
      next += 2
    }
    if (isTrace && next - first >= 2 * MIN_SPACED) for (let at = first + 1; at < next; at += 2) dropped.add(at)
    first = Math.max(next, first + 1)
  }
  if (dropped.size === 0) return { lines, starts: null }
  const starts = [...lines.keys()].filter(at => !dropped.has(at))
  return { lines: starts.map(at => lineAt(lines, at)), starts }
}

/**
 * Lines without what a page or a terminal did to their layout: boxes, quotes of inline code, a blank line after each.
 * Linear.
 */
export const withoutLayout = (lines: string[]): LaidOut => withoutDoubleSpacing(withoutBoxes(withoutInlineCode(lines)))
