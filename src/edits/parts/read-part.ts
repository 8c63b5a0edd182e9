import { NOTHING_ASKED, type Asked } from './asked.ts'
import { elisionTest } from './elision.ts'
import { lackingUnits, mayBeRenamed, type Circumstances } from './lacking.ts'
import { placePart } from './place/place-part.ts'
import type { Side } from './side.ts'
import { emptied, lostImports, losesLines } from './torn.ts'
import { titleOf } from './units/unit.ts'
import type { OutlineFile } from './units/units-of.ts'

/** What a caller knows that a block of a reply does not say. */
export interface PartRules {
  outline: OutlineFile
  asked: Asked
}

/** Nothing is known: no outlines, and no request. */
export const NO_RULES: PartRules = { outline: () => null, asked: NOTHING_ASKED }

/**
 * What a block is to the file of its name: all of it, a part that makes it this one, or a part whose place is not
 * certain, with the words that say so to the model.
 */
export type PartReading = { whole: true } | { placed: Side } | { refused: string }

const MAX_NAMES = 8
const MAX_NAME_CHARS = 80

/** Names for the model: the first few of them, and how many more there are. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(name => name.slice(0, MAX_NAME_CHARS))
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** Why a block is no whole file; null where nothing says so. */
function whyPart(before: Side, after: Side, known: Circumstances, isElision: (line: string) => boolean): string | null {
  const { path } = before
  const elided = after.lines.find(isElision)
  if (elided !== undefined) {
    const said = JSON.stringify(elided.trim().slice(0, MAX_NAME_CHARS))
    return `This block leaves out code of ${path} and says so: ${said}.`
  }
  if (after.broken !== null && before.broken === null) return `This block is not all of ${path}: ${after.broken}.`
  const lacking = lackingUnits(before, after, known).map(index => titleOf(before.units, index))
  if (lacking.length > 0) {
    return `This block lacks ${listed(lacking)} of ${path}, and nobody asked to remove that: it is a part of the file.`
  }
  const empty = emptied(before, after, known.asked)
  if (empty.length > 0) return `In this block ${listed(empty)} of ${path} has lost its body: it is a part of the file.`
  const imports = lostImports(before, after, known.asked)
  if (imports.length > 0) {
    return `This block lacks an import of ${path}, of ${listed(imports)}: it is a part of the file.`
  }
  if (losesLines(before, after, known.asked)) return `This block lacks most lines of ${path}: it is a part of the file.`
  return null
}

/** Reads what a block under the name of a file that exists is to it. */
export function readPart(before: Side, after: Side, outline: OutlineFile, known: Circumstances): PartReading {
  if (before.text.trim() === '' || before.text === after.text) return { whole: true }
  const isElision = elisionTest(before.path, before.lines)
  const why = whyPart(before, after, known, isElision)
  if (why === null) return { whole: true }
  const isReworked = known.asked.reworks && mayBeRenamed(before, after)
  const placed = isReworked ? null : placePart({ file: before, block: after, isElision }, outline)
  // a class is placed as one piece: a method in it may be the stub that made the block a part
  const isKept = placed !== null && emptied(before, placed, known.asked).length === 0
  return isKept ? { placed } : { refused: why }
}
