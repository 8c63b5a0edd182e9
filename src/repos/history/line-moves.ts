import { structuredPatch } from 'diff'

/** Consecutive lines of one text that others stand for in the next one. Starts are 0-based. */
export interface Replaced {
  oldStart: number
  oldCount: number
  newStart: number
  newCount: number
}

/** Lines from `start` up to but not `end`, 0-based; where they are equal, the place between two lines. */
export interface LineRange {
  start: number
  end: number
}

/** The time to compare two texts grows with the square of the edits between them. */
const MAX_EDITS = 1_000

/** The lines of a text without their ends. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

/** What two texts differ in, in the order of the lines; texts that have little in common differ as a whole. */
export function replacedIn(before: string, after: string): Replaced[] {
  if (before === after) return []
  const patch = structuredPatch('', '', before, after, '', '', { context: 0, maxEditLength: MAX_EDITS })
  if (patch === undefined) {
    return [{ oldStart: 0, oldCount: linesOf(before).length, newStart: 0, newCount: linesOf(after).length }]
  }
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines }) => ({
    oldStart: oldStart - 1,
    oldCount: oldLines,
    newStart: newStart - 1,
    newCount: newLines,
  }))
}

const oldEndOf = ({ oldStart, oldCount }: Replaced): number => oldStart + oldCount
const newEndOf = ({ newStart, newCount }: Replaced): number => newStart + newCount

/** Where a line of the newer text begins in the older one; of a replaced line, where what it stands for begins. */
function startBefore(line: number, replaced: readonly Replaced[]): number {
  let moved = 0
  for (const one of replaced) {
    if (line < one.newStart) break
    if (line < newEndOf(one)) return one.oldStart
    moved = oldEndOf(one) - newEndOf(one)
  }
  return line + moved
}

/** The same for the end of lines, which is that of the line before it. */
function endBefore(line: number, replaced: readonly Replaced[]): number {
  let moved = 0
  for (const one of replaced) {
    if (line <= one.newStart) break
    if (line <= newEndOf(one)) return oldEndOf(one)
    moved = oldEndOf(one) - newEndOf(one)
  }
  return line + moved
}

/** A place between two lines; inside of replaced lines, and where lines were taken out, it is all that was there. */
function gapBefore(line: number, replaced: readonly Replaced[]): LineRange {
  const around = replaced.find(
    one =>
      (one.newCount === 0 && one.newStart === line) ||
      (one.newCount > 0 && one.newStart < line && line < newEndOf(one)),
  )
  if (around !== undefined) return { start: around.oldStart, end: oldEndOf(around) }
  const place = endBefore(line, replaced)
  return { start: place, end: place }
}

/**
 * Where lines of a text were in an earlier one.
 *
 * @param replaced - What the two differ in, the earlier one first.
 */
export const rangeBefore = ({ start, end }: LineRange, replaced: readonly Replaced[]): LineRange =>
  start === end ? gapBefore(start, replaced) : { start: startBefore(start, replaced), end: endBefore(end, replaced) }
