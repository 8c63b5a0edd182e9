import { diffArrays } from 'diff'
import type { LineRange } from './guard.ts'

/** Beyond so many edits two texts are taken to have only their two ends in common. */
const MAX_EDITS = 2000

/** Lines of two texts that stand in each other's place, 0-based, the end not included. */
interface Hunk {
  before: { from: number; to: number }
  after: { from: number; to: number }
}

function endsApart(before: readonly string[], after: readonly string[]): Hunk[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return [{ before: { from: head, to: before.length - tail }, after: { from: head, to: after.length - tail } }]
}

function hunksOf(before: readonly string[], after: readonly string[]): Hunk[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: MAX_EDITS })
  if (parts === undefined) return endsApart(before, after)
  const hunks: Hunk[] = []
  let [old, fresh] = [0, 0]
  for (const { added, removed, count = 0 } of parts) {
    if (added !== true && removed !== true) {
      old += count
      fresh += count
      continue
    }
    const last = hunks.at(-1)
    const isSame = last !== undefined && last.before.to === old && last.after.to === fresh
    const hunk = isSame ? last : { before: { from: old, to: old }, after: { from: fresh, to: fresh } }
    if (!isSame) hunks.push(hunk)
    if (removed === true) hunk.before.to = old += count
    else hunk.after.to = fresh += count
  }
  return hunks
}

/** Which lines of a text stand for which of the text before it. */
export interface LineMap {
  /** Whether a line of the text after the change is new or changed. */
  isAdded(line: number): boolean
  /** Lines that stand where a line of the text before stood: itself, or what took its place. */
  placeOf(line: number): LineRange
}

/** Compares two texts line by line; spaces at the ends of lines do not count. */
export function mapLines(before: string, after: string): LineMap {
  const lines = (text: string): string[] => text.split('\n').map(line => line.trimEnd())
  const hunks = hunksOf(lines(before), lines(after))
  return {
    isAdded: line => hunks.some(hunk => hunk.after.from < line && line <= hunk.after.to),
    placeOf(line) {
      let shift = 0
      for (const hunk of hunks) {
        if (line <= hunk.before.from) break
        if (line <= hunk.before.to) return { from: hunk.after.from + 1, to: hunk.after.to }
        shift = hunk.after.to - hunk.before.to
      }
      return { from: line + shift, to: line + shift }
    },
  }
}
