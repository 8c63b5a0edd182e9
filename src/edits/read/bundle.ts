import type { FileName } from './file-name.ts'
import { nameInFirstLine } from './first-line-name.ts'
import { endsSection, nameInRules } from './section-mark.ts'

/** One of several files in a block. */
interface BundledFile {
  name: FileName
  /** The first line of the content, and the first one after it. */
  from: number
  to: number
}

/** A line that names a file in rules, or in a comment with nothing else in it. */
interface Mark {
  at: number
  path: string
  comment: string | null
}

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ''

/** The lines of one kind that name files: in rules where the first line is such a one, else in comments. */
function marksIn(lines: readonly string[], language: string): Mark[] {
  const first = lines.findIndex(line => !isBlank(line))
  if (first < 0) return []
  const marks: Mark[] = []
  const isInRules = nameInRules(lines[first] ?? '') !== null
  for (const [at, line] of lines.entries()) {
    if (isInRules) {
      const path = nameInRules(line)
      if (path !== null) marks.push({ at, path, comment: null })
    } else if (isBlank(lines[at - 1])) {
      const own = nameInFirstLine([line], 0, language)
      if (own !== null) marks.push({ at, path: own.path, comment: own.line })
    }
  }
  return marks[0]?.at === first ? marks : []
}

/** The end of a file: without the line that says so, and the blank ones that part it from the next one. */
function endOf(lines: readonly string[], from: number, next: number): number {
  let to = next
  while (to > from && (isBlank(lines[to - 1]) || endsSection(lines[to - 1] ?? ''))) to--
  return to
}

/**
 * The files of a block that holds several, each below a line with its name: in rules, or alone in a comment. Null for a
 * block of one file.
 *
 * @param name - The name that the block has from outside; null for none.
 */
export function bundledFiles(lines: readonly string[], language: string, name: FileName | null): BundledFile[] | null {
  const marks = marksIn(lines, language)
  const [first] = marks
  if (first === undefined || new Set(marks.map(({ path }) => path)).size !== marks.length) return null
  if (name !== null && name.path !== first.path) return null
  if (marks.length === 1 && (first.comment !== null || name !== null)) return null
  return marks.map(({ at, path, comment }, i) => {
    const from = comment === null ? at + 1 : at
    const own = comment === null ? {} : { ownLine: comment }
    return { name: { path, named: 'line', ...own }, from, to: endOf(lines, from, marks[i + 1]?.at ?? lines.length) }
  })
}
