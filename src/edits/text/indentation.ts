/** The blanks and tabs that a line begins with. */
export function indentOf(line: string): string {
  let end = 0
  while (line[end] === ' ' || line[end] === '\t') end++
  return line.slice(0, end)
}

/** A change of indentation, from that of a hunk to that of its file: a constant, or tabs for blanks and back. */
export type Shift = { add: string } | { drop: string } | { tabsTo: number } | { blanksTo: number }

/** Widths of a tab, the likeliest first. */
const TAB_WIDTHS = [4, 2, 8, 3]
const TAB_SHIFTS = TAB_WIDTHS.flatMap<Shift>(width => [{ tabsTo: width }, { blanksTo: width }])

function shiftIndent(indent: string, shift: Shift): string | null {
  if ('add' in shift) return shift.add + indent
  if ('drop' in shift) return indent.startsWith(shift.drop) ? indent.slice(shift.drop.length) : null
  if ('tabsTo' in shift) return indent.replaceAll('\t', ' '.repeat(shift.tabsTo))
  const blanks = indent.replaceAll('\t', ' '.repeat(shift.blanksTo)).length
  return '\t'.repeat(Math.floor(blanks / shift.blanksTo)) + ' '.repeat(blanks % shift.blanksTo)
}

/** The shift that adds or drops a constant, read off the first line; null when there is none. */
function constantShift({ hunk, file }: { hunk: string; file: string }): Shift | null {
  if (file.length > hunk.length && file.endsWith(hunk)) return { add: file.slice(0, file.length - hunk.length) }
  if (hunk.length > file.length && hunk.endsWith(file)) return { drop: hunk.slice(0, hunk.length - file.length) }
  return null
}

/**
 * Finds one shift that gives every line of a hunk the indentation it has in the file; null when there is none. Blank
 * lines are left out.
 */
export function findShift(pairs: ReadonlyArray<{ hunk: string; file: string }>): Shift | null {
  const indents = pairs
    .filter(({ hunk }) => hunk.trim() !== '')
    .map(({ hunk, file }) => ({ hunk: indentOf(hunk), file: indentOf(file) }))
  const first = indents[0]
  if (first === undefined) return null
  const constant = constantShift(first)
  const shifts = constant === null ? TAB_SHIFTS : [constant, ...TAB_SHIFTS]
  return shifts.find(shift => indents.every(({ hunk, file }) => shiftIndent(hunk, shift) === file)) ?? null
}

/** A line with its indentation shifted; null where the line has less than the shift drops. */
export function shiftLine(line: string, shift: Shift): string | null {
  const indent = indentOf(line)
  if (indent.length === line.length) return line
  const shifted = shiftIndent(indent, shift)
  return shifted === null ? null : shifted + line.slice(indent.length)
}
