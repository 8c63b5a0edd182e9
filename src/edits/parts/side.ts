import { splitFile } from '../text/file-lines.ts'
import { keyOf, type FileUnits } from './units/unit.ts'
import { unitsOf, type OutlineFile } from './units/units-of.ts'
import { wordsIn, type Words } from './words.ts'

/** A file, or a block that may be all of it, with what it defines. */
export interface Side extends FileUnits {
  path: string
  text: string
  lines: readonly string[]
  /** Names of the units with those around them, which tell them apart. */
  keys: readonly string[]
}

/** Reads what a text defines. */
export function sideOf(path: string, text: string, outline: OutlineFile): Side {
  const { lines } = splitFile(text)
  const found = unitsOf(path, { text, lines }, outline)
  return { ...found, path, text, lines, keys: found.units.map((_, i) => keyOf(found.units, i)) }
}

/** The number of units for each key. */
function keyCounts({ keys }: Side): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** The indices of the units of one side that the other has no more of. */
export function unmatched(side: Side, other: Side): number[] {
  const counts = keyCounts(other)
  return side.keys.flatMap((key, i) => {
    const left = counts.get(key) ?? 0
    counts.set(key, left - 1)
    return left > 0 ? [] : [i]
  })
}

/** The lines of a unit, those with comments above it left out. */
export function linesOfUnit({ lines, units, hasLines }: Side, index: number): readonly string[] {
  const unit = units[index]
  return unit === undefined || !hasLines ? [] : lines.slice(unit.start, unit.last + 1)
}

/** The words of a unit but its own name. */
export function wordsOfUnit(side: Side, index: number): Words {
  const words = new Map(wordsIn(linesOfUnit(side, index)))
  words.delete(side.units[index]?.name ?? '')
  return words
}
