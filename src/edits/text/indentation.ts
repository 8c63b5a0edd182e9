/** The blanks and tabs that a line begins with. */
export function indentOf(line: string): string {
  let end = 0
  while (line[end] === ' ' || line[end] === '\t') end++
  return line.slice(0, end)
}

/** How the indentation of a hunk becomes that of its file. */
export type Shift = { add: string } | { drop: string } | { tabsTo: number } | { blanksTo: number }

const TAB_WIDTHS = [4, 2, 8, 3]

function shiftIndent(indent: string, shift: Shift): string | null {
  if ('add' in shift) return shift.add + indent
  if ('drop' in shift) return indent.startsWith(shift.drop) ? indent.slice(shift.drop.length) : null
  if ('tabsTo' in shift) return indent.replaceAll('\t', ' '.repeat(shift.tabsTo))
  const blanks = indent.replaceAll('\t', ' '.repeat(shift.blanksTo)).length
  return '\t'.repeat(Math.floor(blanks / shift.blanksTo)) + ' '.repeat(blanks % shift.blanksTo)
}

/**
 * The one shift that makes each line of a hunk into that of the file; null when there is none. Lines without text say
 * nothing.
 */
export function findShift(pairs: ReadonlyArray<{ hunk: string; file: string }>): Shift | null {
  const indents = pairs
    .filter(({ hunk }) => hunk.trim() !== '')
    .map(({ hunk, file }) => ({ hunk: indentOf(hunk), file: indentOf(file) }))
  const first = indents[0]
  if (first === undefined) return null
  const constant: Shift | null =
    first.file.endsWith(first.hunk) && first.file.length > first.hunk.length
      ? { add: first.file.slice(0, first.file.length - first.hunk.length) }
      : first.hunk.endsWith(first.file) && first.hunk.length > first.file.length
        ? { drop: first.hunk.slice(0, first.hunk.length - first.file.length) }
        : null
  const widths = TAB_WIDTHS.flatMap<Shift>(width => [{ tabsTo: width }, { blanksTo: width }])
  return (
    [...(constant === null ? [] : [constant]), ...widths].find(shift =>
      indents.every(({ hunk, file }) => shiftIndent(hunk, shift) === file),
    ) ?? null
  )
}

/** A line with its indentation shifted; null where it has less than is to be dropped. */
export function shiftLine(line: string, shift: Shift): string | null {
  const indent = indentOf(line)
  if (indent.length === line.length) return line
  const shifted = shiftIndent(indent, shift)
  return shifted === null ? null : shifted + line.slice(indent.length)
}
