import type { Shift } from '../../text/indentation.ts'
import { sideOf, unmatched, type Side } from '../side.ts'
import { pathOfUnit, type Unit } from '../units/unit.ts'
import type { OutlineFile } from '../units/units-of.ts'
import {
  blockItems,
  childrenOf,
  compare,
  insideOf,
  isBlank,
  isCloser,
  topOf,
  type Item,
  type Level,
  type Parties,
  type UnitItem,
} from './block-items.ts'
import { changedText, Uncertain, type LineChange } from './line-change.ts'
import { importChange } from './merge-imports.ts'
import { leavesOut, linesToPlace, replacement } from './replace-unit.ts'
import { hidingAt, isConditional, sectionAt } from './section-marks.ts'
import { startLevel } from './start-level.ts'

/** Files with lists among their keys, whose items have no names. */
const HAS_LISTS = /\.(?:ya?ml|cff)$/i
const ITEM = /^\s*-(?:\s|$)/
const MAX_GAP = 3
const MAX_COMPARISONS = 40_000_000

/** The unit that was placed last: the line of the file after it, and its last line in the block. */
interface Neighbour {
  end: number
  blockLast: number
}

/** The line with which a unit begins. */
const headOf = ({ lines, units }: Side, index: number): string | undefined => lines[units[index]?.start ?? -1]?.trim()

/** Whether a level has items of a list. */
const holdsItems = (side: Side, level: Level): boolean =>
  childrenOf(side, level).some(index => ITEM.test(headOf(side, index) ?? ''))

/** What tells a unit from the others of its level: a value may have the name of a function. */
const nameAtLevel = (unit: Unit | undefined): string => `${unit?.kind === 'value' ? '=' : ''}${unit?.name ?? ''}`

/** The units of a level by their names. */
function namesAt(side: Side, { parent }: Level): Map<string, number[]> {
  const names = new Map<string, number[]>()
  for (const [index, unit] of side.units.entries()) {
    if (unit.parent !== parent) continue
    const known = names.get(nameAtLevel(unit))
    if (known === undefined) names.set(nameAtLevel(unit), [index])
    else known.push(index)
  }
  return names
}

/** Puts the units of one level of a block into the level of the file. */
class LevelMerge {
  readonly #parties: Parties
  readonly #level: Level
  readonly #blockLevel: Level
  readonly #shift: Shift | null
  readonly #items: readonly Item[]
  readonly #fileNames: ReadonlyMap<string, number[]>
  readonly #blockNames: ReadonlyMap<string, number[]>
  readonly #changes: LineChange[] = []
  /** New units before the first one that the file has. */
  readonly #waiting: UnitItem[] = []
  #last: Neighbour | null = null
  #isAfterGap = false

  constructor(parties: Parties, levels: { file: Level; block: Level }, shift: Shift | null) {
    this.#parties = parties
    this.#level = levels.file
    this.#blockLevel = levels.block
    this.#shift = shift
    this.#items = blockItems(parties, levels.block)
    this.#fileNames = namesAt(parties.file, levels.file)
    this.#blockNames = namesAt(parties.block, levels.block)
  }

  /** @throws {Uncertain} */
  changes(): LineChange[] {
    for (const [i, item] of this.#items.entries()) {
      if (item.kind === 'gap') this.#passGap()
      else if (item.kind === 'unit') this.#place(item, this.#items.slice(i))
      else if (item.kind === 'import') this.#mergeImport(item)
      else this.#passLoose(item)
    }
    if (this.#waiting.length > 0) throw new Uncertain()
    return this.#changes
  }

  #passGap(): void {
    if (this.#waiting.length > 0) throw new Uncertain()
    this.#last = null
    this.#isAfterGap = true
  }

  #mergeImport({ from, to }: { from: number; to: number }): void {
    const { file, block } = this.#parties
    const change = importChange(file, block, { from, to })
    if (change === 'unclear') throw new Uncertain()
    if (change !== null) this.#changes.push(change)
  }

  /** Lines of the block in no unit must stand in the file just so. */
  #passLoose(item: { from: number; to: number }): void {
    const { file, block } = this.#parties
    const wanted = block.lines.slice(item.from, item.to).map(line => line.trim())
    const { from, to } = this.#level
    compare(this.#parties, to - from + wanted.length)
    for (let at = from; at + wanted.length <= to; at++) {
      if (wanted.every((line, i) => file.lines[at + i]?.trim() === line)) {
        this.#last = null
        return
      }
    }
    throw new Uncertain()
  }

  #place(item: UnitItem, rest: readonly Item[]): void {
    const { file, block } = this.#parties
    compare(this.#parties, file.units.length + block.units.length)
    const known = this.#unitLike(item.index)
    const blockLast = block.units[item.index]?.last ?? 0
    if (known !== null) {
      const lead = file.units[known]?.lead ?? 0
      for (const other of this.#waiting.splice(0)) this.#insert(lead, other, { blanks: 1, isAbove: true })
      this.#replace(known, item)
      this.#last = { end: (file.units[known]?.last ?? 0) + 1, blockLast }
      this.#isAfterGap = false
    } else if (this.#last !== null) {
      const { end } = this.#last
      this.#insert(end, item, { blanks: item.lead - this.#last.blockLast - 1, isAbove: false })
      this.#last = { end, blockLast }
    } else if (this.#isAfterGap && this.#areNew(rest)) {
      this.#insert(this.#endOfLevel(), item, { blanks: this.#usualGap(), isAbove: false })
    } else {
      this.#waiting.push(item)
    }
  }

  /** Whether nothing but new units is left: then they stand behind what the block leaves out. */
  #areNew(items: readonly Item[]): boolean {
    return items.every(item => item.kind === 'unit' && this.#unitLike(item.index) === null)
  }

  /** The unit of the file at this level that has the name of one of the block; null for a new one. */
  #unitLike(index: number): number | null {
    const { file, block } = this.#parties
    const name = nameAtLevel(block.units[index])
    const found = this.#fileNames.get(name) ?? []
    const same = this.#blockNames.get(name) ?? []
    if (found.length <= 1 && same.length <= 1) return found[0] ?? null
    // overloads, or a type and what is implemented for it: their first lines tell
    const line = headOf(block, index)
    const exact = found.filter(other => headOf(file, other) === line)
    const isOnly = exact.length === 1 && same.filter(other => headOf(block, other) === line).length === 1
    if (!isOnly) throw new Uncertain()
    return exact[0] ?? null
  }

  #replace(known: number, item: UnitItem): void {
    const { file, block } = this.#parties
    const isContainer = file.units[known]?.kind === 'container' || block.units[item.index]?.kind === 'container'
    if (!isContainer || !(leavesOut(this.#parties, item.index) || this.#lacksMembers(known, item.index))) {
      const change = replacement(this.#parties, known, { item, shift: this.#shift })
      if (change !== null) this.#changes.push(change)
      return
    }
    const hasSameHead = headOf(file, known) === headOf(block, item.index)
    const levels = { file: insideOf(file, known), block: insideOf(block, item.index) }
    const isUnclear = HAS_LISTS.test(file.path) && this.#isListOrInner(levels, item.index)
    if (this.#shift !== null || isUnclear || !hasSameHead) throw new Uncertain()
    this.#changes.push(...new LevelMerge(this.#parties, levels, null).changes())
  }

  /** One of several services is a part; what a service does not show may be meant to go, and lists have an order. */
  #isListOrInner(levels: { file: Level; block: Level }, index: number): boolean {
    const { file, block } = this.#parties
    if (holdsItems(file, levels.file) || holdsItems(block, levels.block)) return true
    return this.#level.parent !== null && !leavesOut(this.#parties, index)
  }

  #lacksMembers(known: number, index: number): boolean {
    const { file, block } = this.#parties
    const within = ({ units, keys }: Side, around: number): string[] => {
      const prefix = `${pathOfUnit(units, around).join('\0')}\0`
      return keys.flatMap((key, i) => (i !== around && key.startsWith(prefix) ? [key.slice(prefix.length)] : []))
    }
    const shown = new Set(within(block, index))
    return within(file, known).some(key => !shown.has(key))
  }

  /** Inserts a unit, with blank lines towards its neighbour. */
  #insert(at: number, item: UnitItem, { blanks, isAbove }: { blanks: number; isAbove: boolean }): void {
    this.#requireSection(at, item)
    const lines = linesToPlace(this.#parties, item, this.#shift)
    const gap = Array.from({ length: Math.min(Math.max(blanks, 0), MAX_GAP) }, () => '')
    this.#changes.push({ from: at, to: at, lines: isAbove ? [...lines, ...gap] : [...gap, ...lines] })
  }

  /** A unit may stand only below such a word as `private` that the block shows above it, too. */
  #requireSection(at: number, { lead }: UnitItem): void {
    const { file, block } = this.#parties
    compare(this.#parties, file.lines.length + block.lines.length)
    const isSame = sectionAt(file, this.#level, at) === sectionAt(block, this.#blockLevel, lead)
    if (!isSame || (isConditional(file, at) && !isConditional(block, lead))) throw new Uncertain()
  }

  /** The line after the last unit that nothing hides, where nothing but blank lines and brackets follows. */
  #endOfLevel(): number {
    const { file } = this.#parties
    const hidden = hidingAt(file, this.#level) ?? Infinity
    const children = childrenOf(file, this.#level).filter(index => (file.units[index]?.start ?? 0) < hidden)
    const last = Math.max(-1, ...children.map(index => file.units[index]?.last ?? -1))
    const isValue = children.some(index => file.units[index]?.last === last && file.units[index]?.kind === 'value')
    const isLast = file.lines.slice(last + 1, Math.min(hidden, this.#level.to)).every(isCloser)
    if (last < 0 || isValue || !isLast) throw new Uncertain()
    return last + 1
  }

  /** The number of blank lines between the last two units of the level. */
  #usualGap(): number {
    const { file } = this.#parties
    const [first, second] = childrenOf(file, this.#level).slice(-2)
    if (first === undefined || second === undefined) return 1
    const between = file.lines.slice((file.units[first]?.last ?? 0) + 1, file.units[second]?.lead)
    return between.length <= MAX_GAP && between.every(isBlank) ? between.length : 1
  }
}

/**
 * Places a block that is a part of a file by its definitions: each replaces the one of the same name, new ones go
 * beside their neighbours in the block, what the block leaves out stays.
 *
 * @returns null where a place is not certain, or where anything of the file would be lost.
 */
export function placePart(given: Omit<Parties, 'work'>, outline: OutlineFile): Side | null {
  const { file, block } = given
  const parties = { ...given, work: { left: MAX_COMPARISONS } }
  if (!file.hasLines || !block.hasLines || block.units.length === 0) return null
  try {
    const { level, shift } = startLevel(parties)
    const changes = new LevelMerge(parties, { file: level, block: topOf(block) }, shift).changes()
    const text = changedText(file.text, changes)
    const placed = sideOf(file.path, text, outline)
    const keys = new Set(placed.keys)
    const around = level.parent === null ? '' : `${pathOfUnit(file.units, level.parent).join('\0')}\0`
    const isWhole = unmatched(file, placed).length === 0 && block.keys.every(key => keys.has(around + key))
    return isWhole ? placed : null
  } catch (error) {
    if (error instanceof Uncertain) return null
    throw error
  }
}
