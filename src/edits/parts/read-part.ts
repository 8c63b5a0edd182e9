import { lossesOf, type Excuses, type Loss } from './account/losses.ts'
import { NOTHING_ASKED, type Asked } from './asked.ts'
import { excusesOf } from './account/excuses.ts'
import { elisionTest } from './elision.ts'
import { mayBeRenamed, missingUnits, type Circumstances } from './lacking.ts'
import { lostImports } from './lost-imports.ts'
import { placePart } from './place/place-part.ts'
import type { Side } from './side.ts'
import { titleOf } from './units/unit.ts'
import type { OutlineFile } from './units/units-of.ts'
import { significantLines } from './words.ts'

/** What a caller knows that a block of a reply does not say. */
export interface PartRules {
  outline: OutlineFile
  asked: Asked
  /** Files that are there to be written anew, so that nothing of them has to stay; default: none. */
  anew?: ReadonlySet<string>
}

/** Nothing is known: no outlines, and no request. */
export const NO_RULES: PartRules = { outline: () => null, asked: NOTHING_ASKED }

/**
 * What a block is to the file of its name: all of it, a part that makes it this one, or a part whose place is not
 * certain, with the words that say so to the model.
 */
export type PartReading = { whole: true } | { placed: Side } | { refused: string }

/** What else is known, and how the model is shown the file. */
interface Known extends Circumstances {
  redact: (text: string) => string
  /** Whether the words above the block announce a part of the file, be it by the numbers of its lines. */
  isAnnounced: boolean
}

/** Why a block is no whole file. */
interface Why {
  text: string
  /** Whether it says itself that something is left out. */
  isElided: boolean
}

const MAX_NAMES = 8
const MAX_NAME_CHARS = 80
/** A block with no more than this share of the lines of the file is taken for a part of it without saying so. */
const PART_SHARE = 0.5

/** Names for the model: the first few of them, and how many more there are. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(name => name.slice(0, MAX_NAME_CHARS))
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** How to say that things are gone on purpose; nothing where they are many: a diff shows them better. */
function offer(path: string, names: readonly string[]): string {
  if (names.length > MAX_NAMES) return ' Send a unified diff to remove so much.'
  const lines = names.map(name => `REMOVED ${path}: ${name.slice(0, MAX_NAME_CHARS)}`).join('\n')
  return ` If it is to go, send all of the file again with this outside of the block:\n${lines}`
}

/** A loss as the model was shown the file. */
interface Shown {
  line: string
  count: number
  /** What of the line is lost; nothing for all of it. */
  items: string[]
}

/** The first lines of what is lost, as the model was shown them. */
function firstLines({ lines }: Side, losses: readonly Loss[], redact: Known['redact']): Shown[] {
  const shown = redact(lines.join('\n')).split('\n')
  return losses.map(({ at, count, items = [] }) => {
    const line = (shown[at] ?? '').trim()
    const known = line.replaceAll(/["'`]/g, '"')
    const named = items.filter(item => known.includes(item)).map(item => item.slice(0, MAX_NAME_CHARS))
    return { line: line.slice(0, MAX_NAME_CHARS), count, items: named }
  })
}

/** A loss in words. */
function told({ line, count, items }: Shown): string {
  const of = JSON.stringify(line)
  if (items.length > 0) return `${items.slice(0, MAX_NAMES).join(' and ')} of ${of}`
  return count > 1 ? `${of} (${count} lines)` : of
}

function whyLost(before: Side, after: Side, excuses: Excuses, { redact, isConfirmed }: Known): string | null {
  const all = lossesOf(before, after, excuses)
  if (all.length === 0) return null
  const isSaid = ({ line, items }: Shown): boolean =>
    isConfirmed(line) || (items.length > 0 && items.every(item => isConfirmed(item)))
  const open = firstLines(before, all, redact).filter(loss => !isSaid(loss))
  if (open.length === 0) return null
  const named = open.map(told)
  return (
    `This block lacks lines of ${before.path} and has nothing in their place: ${listed(named)}.` +
    offer(
      before.path,
      open.map(({ line }) => line),
    )
  )
}

/** Why a block is no whole file; null where nothing says so. */
function whyPart(before: Side, after: Side, known: Known, isElision: (line: string) => boolean): Why | null {
  const { path } = before
  const because = (text: string | null): Why | null => (text === null ? null : { text, isElided: false })
  const elided = after.lines.find(isElision)
  if (elided !== undefined) {
    const said = JSON.stringify(elided.trim().slice(0, MAX_NAME_CHARS))
    return { text: `This block leaves out code of ${path} and says so: ${said}.`, isElided: true }
  }
  if (after.broken !== null && before.broken === null) {
    return because(`This block is not all of ${path}: ${after.broken}.`)
  }
  const { lacking, excused } = missingUnits(before, after, known)
  if (lacking.length > 0) {
    const names = lacking.map(index => titleOf(before.units, index))
    return because(
      `This block lacks ${listed(names)} of ${path}, and nobody asked to remove that: it is a part of the file.` +
        offer(path, names),
    )
  }
  const imports = lostImports(before, after, known.asked)
  if (imports.length > 0) {
    return because(`This block lacks an import of ${path}, of ${listed(imports)}: it is a part of the file.`)
  }
  if (known.asked.file === 'anew') return null
  return because(whyLost(before, after, excusesOf(before, excused, known), known))
}

/** The file with a part of it placed by its definitions; null where a place is not certain. */
function placed(
  { before, after, why }: { before: Side; after: Side; why: Why },
  known: Known,
  { outline, isElision }: { outline: OutlineFile; isElision: (line: string) => boolean },
): Side | null {
  const share = significantLines(after.lines).length / significantLines(before.lines).length
  // Where nothing says so, a block with most of the file may as well be all of it, and what it lacks be meant to go.
  if (!why.isElided && !known.isAnnounced && share > PART_SHARE) return null
  if (known.asked.reworks && mayBeRenamed(before, after)) return null
  const side = placePart({ file: before, block: after, isElision }, outline)
  if (side === null || (!why.isElided && side.text === before.text)) return null
  return whyLost(before, side, excusesOf(before, [], known), known) === null ? side : null
}

/** Reads what a block under the name of a file that exists is to it. */
export function readPart(before: Side, after: Side, outline: OutlineFile, known: Known): PartReading {
  if (before.text.trim() === '' || before.text === after.text) return { whole: true }
  const isElision = elisionTest(before.path, before.lines)
  const why = whyPart(before, after, known, isElision)
  if (why === null) return { whole: true }
  const side = placed({ before, after, why }, known, { outline, isElision })
  return side === null ? { refused: why.text } : { placed: side }
}
