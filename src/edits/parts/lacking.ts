import type { Asked } from './asked.ts'
import { isRespelled, isTwin } from './respelled.ts'
import { linesOfUnit, unmatched, wordsOfUnit, type Side } from './side.ts'
import { titleOf, type Unit } from './units/unit.ts'
import { likeness, significantLines, usedWords, type Words } from './words.ts'

/** What else is known about a block than its text. */
export interface Circumstances {
  asked: Asked
  /** Whether another edit of the same reply brings a unit of this name and these words into another file. */
  isElsewhere: (name: string, words: Words) => boolean
  /** Whether another edit of the same reply brings a line into another file. */
  isLineElsewhere: (line: string) => boolean
  /** Whether the reply says to have removed what begins so, or has this name. */
  isConfirmed: (what: string) => boolean
}

/** A unit of the block is the renamed one of the file from this likeness on. */
const RENAMED = 0.6
/** More comparisons of units with each other are not made. */
const MAX_PAIRS = 20_000
/** In a block that lacks more units than this, none is looked for under other words. */
const MAX_RESPELLED = 20
/** Code lives on elsewhere when this share of its lines does. */
const LIVES_ON = 0.7
/** A block may lack this share of the units where the request speaks of "unused functions". */
const SOME_SHARE = 0.5
const MIN_CHARS = 8

/** Compares a block with the file that it may be all of. */
class Comparison {
  readonly #before: Side
  readonly #after: Side
  readonly #known: Circumstances
  /** Units of the block that the file has not. */
  readonly #fresh: Set<number>
  readonly #missing: readonly number[]
  #used: Words | null = null
  #freshNames: ReadonlySet<string> | null = null
  #freshLines: Map<string, number> | null = null

  constructor(before: Side, after: Side, known: Circumstances) {
    this.#before = before
    this.#after = after
    this.#known = known
    this.#missing = unmatched(before, after)
    this.#fresh = new Set(this.#missing.length === 0 ? [] : unmatched(after, before))
  }

  /** The units that the block lacks and that nothing accounts for. */
  lacking(): number[] {
    const { units } = this.#before
    const lacking = new Set<number>()
    const gone = new Set<number>()
    for (const index of this.#missing) {
      const { parent = null, name = '' } = units[index] ?? {}
      if (parent !== null && gone.has(parent)) {
        gone.add(index)
      } else if (parent === null || !lacking.has(parent)) {
        if (this.#isRemoved(index)) {
          if (!this.#isReplaced(index)) gone.add(index)
        } else if (!this.#takeFresh(name) && !this.#isAccountedFor(index)) {
          lacking.add(index)
        }
      }
    }
    const startOf = (index: number): number => units[index]?.start ?? 0
    return [...lacking].sort((a, b) => startOf(a) - startOf(b))
  }

  #isRemoved(index: number): boolean {
    const { isConfirmed, asked } = this.#known
    const { removes } = asked
    const name = this.#before.units[index]?.name ?? ''
    const text = /^[\w.$]+\("(.+)"\)$/.exec(name)?.[1] // of a call: test("adds")
    const title = titleOf(this.#before.units, index)
    return removes(name) || removes(title) || isConfirmed(title) || (text !== undefined && removes(text))
  }

  /** Whether a container may stand in the block under another name: then its members are looked for. */
  #isReplaced(index: number): boolean {
    if (this.#before.units[index]?.kind !== 'container') return false
    return this.#fresh.values().some(own => this.#after.units[own]?.kind === 'container')
  }

  /** Takes a unit of this name that stands elsewhere in the block. */
  #takeFresh(name: string): boolean {
    this.#freshNames ??= new Set(this.#fresh.values().map(index => this.#after.units[index]?.name ?? ''))
    if (!this.#freshNames.has(name)) return false
    const found = this.#fresh.values().find(index => this.#after.units[index]?.name === name)
    return found !== undefined && this.#fresh.delete(found)
  }

  #isAccountedFor(index: number): boolean {
    const { asked, isElsewhere } = this.#known
    const unit = this.#before.units[index]
    if (unit === undefined) return true
    if (isElsewhere(unit.name, wordsOfUnit(this.#before, index))) return true
    if (this.#missing.length <= MAX_RESPELLED && (isTwin(this.#before, index) || this.#takeRespelled(index))) {
      return true
    }
    if (asked.reworks && (this.#isRenamed(index) || this.#livesOn(index))) return true
    return this.#mayGo(unit)
  }

  /** Whether the request lets a unit go that it does not name. Nothing goes that the block still uses. */
  #mayGo(unit: Unit): boolean {
    const { asked } = this.#known
    if (this.#isUsed(unit.name)) return false
    if (this.#isOfScript(unit) || asked.file === 'anew' || asked.removesUnnamed === 'most') return true
    const isChosen = asked.removesUnnamed === 'some' || (asked.removesUnnamed === 'values' && unit.kind === 'value')
    return isChosen && this.#missing.length <= this.#before.units.length * SOME_SHARE
  }

  /** Whether it is a value of a script that defines nothing: such come and go with its lines. */
  #isOfScript({ kind, name }: Unit): boolean {
    const isValue = kind === 'value' && this.#before.hasLines && /^[a-z_$]\w*$/.test(name)
    return isValue && this.#before.units.every(unit => unit.kind === 'value')
  }

  #isUsed(name: string): boolean {
    this.#used ??= usedWords(this.#after.lines)
    return this.#used.has(name)
  }

  /** Takes the unit of the block that is this one in other words. */
  #takeRespelled(index: number): boolean {
    if (this.#before.account === 'bodies' || this.#fresh.size > MAX_RESPELLED) return false
    const found = this.#fresh.values().find(own => isRespelled(this.#before, index, [this.#after, own]))
    return found !== undefined && this.#fresh.delete(found)
  }

  #isRenamed(index: number): boolean {
    if (this.#missing.length * this.#fresh.size > MAX_PAIRS) return false
    const words = wordsOfUnit(this.#before, index)
    const kind = this.#before.units[index]?.kind
    const found = this.#fresh
      .values()
      .find(own => this.#after.units[own]?.kind === kind && likeness(words, wordsOfUnit(this.#after, own)) >= RENAMED)
    return found !== undefined && this.#fresh.delete(found)
  }

  /** Whether the lines of a unit stand elsewhere in the block, which has more of them than the rest of the file. */
  #livesOn(index: number): boolean {
    this.#freshLines ??= this.#countFreshLines()
    const left = this.#freshLines
    const own = significantLines(linesOfUnit(this.#before, index)).slice(1)
    const telling = own.filter(line => line.length >= MIN_CHARS)
    return telling.length > 0 && telling.filter(line => (left.get(line) ?? 0) > 0).length >= telling.length * LIVES_ON
  }

  /** The lines of the block, less those of the units that it has in common with the file. */
  #countFreshLines(): Map<string, number> {
    const counts = new Map<string, number>()
    const add = (lines: readonly string[], by: number): void => {
      for (const line of significantLines(lines)) counts.set(line, (counts.get(line) ?? 0) + by)
    }
    add(this.#after.lines, 1)
    add(this.#before.lines, -1)
    const missing = new Set(this.#missing)
    for (const index of this.#missing) {
      const parent = this.#before.units[index]?.parent ?? null
      if (parent === null || !missing.has(parent)) add(linesOfUnit(this.#before, index), 1)
    }
    return counts
  }
}

/** Whether a unit that the block lacks may be one that it has under a new name. */
export function mayBeRenamed(before: Side, after: Side): boolean {
  const [missing, fresh] = [unmatched(before, after), unmatched(after, before)]
  if (missing.length * fresh.length > MAX_PAIRS) return true
  const words = new Map(fresh.map(index => [index, wordsOfUnit(after, index)]))
  return missing.some(index => {
    const own = wordsOfUnit(before, index)
    const isLike = (other: number): boolean => likeness(own, words.get(other) ?? own) >= RENAMED
    return fresh.some(other => before.units[index]?.kind === after.units[other]?.kind && isLike(other))
  })
}

/** The units of a file that a block has not, as indices. */
interface Missing {
  /** The units that nobody asked to remove. A container that is lacking as a whole stands here without its members. */
  lacking: number[]
  /** The others. */
  excused: number[]
}

/** Looks for the units of a file that a block has not. */
export function missingUnits(before: Side, after: Side, known: Circumstances): Missing {
  const lacking = new Comparison(before, after, known).lacking()
  const isLacking = new Set(lacking)
  const isWithin = (index: number): boolean => {
    for (let at: number | null = index; at !== null; at = before.units[at]?.parent ?? null) {
      if (isLacking.has(at)) return true
    }
    return false
  }
  return { lacking, excused: unmatched(before, after).filter(index => !isWithin(index)) }
}
