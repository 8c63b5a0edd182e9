import { foldLine } from '../text/fold-line.ts'

/** The strictness of comparing lines: each level takes more of them for equal. */
export type Level = 'exact' | 'trailing' | 'folded' | 'stripped'

const KEYS: Readonly<Record<Level, (line: string) => string>> = {
  exact: line => line,
  trailing: line => line.trimEnd(),
  folded: foldLine,
  stripped: line => foldLine(line).trim(),
}

/** The comparisons of lines that are left for all of a reply, so that no reply costs more than linear work. */
export interface Work {
  left: number
}

/** The number of characters whose splitting into lines costs as much as comparing two lines. */
export const CHARS_PER_WORK = 2

/** The cost of a place that is found and remembered, in comparisons of lines. */
const FOUND_WORK = 4

/** Thrown where a reply needs more comparisons of lines than it may. */
export class TooMuchWork extends Error {}

/**
 * Counts work that is done.
 *
 * @throws {TooMuchWork} when none is left.
 */
export function spend(work: Work, amount: number): void {
  work.left -= amount
  if (work.left < 0) throw new TooMuchWork()
}

interface Table {
  /** For each line the first place of a line that is equal to it. */
  ids: Int32Array
  places: ReadonlyMap<string, number[]>
}

/** The places of the lines of a file, by what they say. A table is made once for each level that is asked for. */
export class LineIndex {
  readonly lines: readonly string[]
  readonly work: Work
  readonly #tables = new Map<Level, Table>()

  constructor(lines: readonly string[], work: Work) {
    this.lines = lines
    this.work = work
  }

  /** 0-based places of a line, ascending. */
  placesOf(line: string, level: Level): readonly number[] {
    return this.#table(level).places.get(KEYS[level](line)) ?? []
  }

  /** Whether a line stands at this place. */
  isAt(place: number, line: string, level: Level): boolean {
    spend(this.work, 1)
    const own = this.lines[place]
    return own !== undefined && (own === line || KEYS[level](own) === KEYS[level](line))
  }

  /** Every place, ascending, where the lines stand one after the other; each may be spelled in several ways. */
  find(pattern: ReadonlyArray<readonly string[]>, level: Level): readonly number[] {
    if (pattern.length === 0 || pattern.length > this.lines.length) return []
    spend(this.work, pattern.length)
    const { ids, places } = this.#table(level)
    const wanted: number[][] = []
    let rarest: readonly number[] = []
    let rarestAt = -1
    for (const spellings of pattern) {
      const own = new Set(spellings.map(line => places.get(KEYS[level](line))).filter(found => found !== undefined))
      if (own.size === 0) return []
      const all = [...own].reduce((sum, found) => sum + found.length, 0)
      if (rarestAt < 0 || all < rarest.length) {
        const [only = [], other] = own
        rarest = other === undefined ? only : [...own].flat().sort((a, b) => a - b)
        rarestAt = wanted.length
      }
      wanted.push([...own].map(([first = -1]) => first))
    }
    // A line that stands in few places is the quickest way; lines that repeat need one that does not start over.
    if (rarest.length * pattern.length <= this.lines.length || wanted.some(own => own.length > 1)) {
      return this.#compareAt(rarest, { rarestAt, wanted, ids })
    }
    return this.#scan(
      wanted.map(([id = -1]) => id),
      ids,
    )
  }

  #compareAt(
    candidates: readonly number[],
    { rarestAt, wanted, ids }: { rarestAt: number; wanted: readonly number[][]; ids: Int32Array },
  ): number[] {
    const starts: number[] = []
    for (const place of candidates) {
      const start = place - rarestAt
      if (start < 0 || start + wanted.length > ids.length) continue
      let i = 0
      while (i < wanted.length && wanted[i]?.includes(ids[start + i] ?? -1) === true) i++
      spend(this.work, i + 1)
      if (i === wanted.length) starts.push(start)
    }
    return starts
  }

  /** Knuth, Morris and Pratt: one pass over the file, whatever repeats. */
  #scan(wanted: readonly number[], ids: Int32Array): number[] {
    spend(this.work, ids.length + wanted.length)
    const back = new Int32Array(wanted.length)
    for (let i = 1, matched = 0; i < wanted.length; i++) {
      while (matched > 0 && wanted[i] !== wanted[matched]) matched = back[matched - 1] ?? 0
      if (wanted[i] === wanted[matched]) matched++
      back[i] = matched
    }
    const starts: number[] = []
    for (let i = 0, matched = 0; i < ids.length; i++) {
      while (matched > 0 && (matched === wanted.length || ids[i] !== wanted[matched])) matched = back[matched - 1] ?? 0
      if (ids[i] === wanted[matched]) matched++
      if (matched === wanted.length) starts.push(i - wanted.length + 1)
    }
    spend(this.work, FOUND_WORK * starts.length)
    return starts
  }

  #table(level: Level): Table {
    const known = this.#tables.get(level)
    if (known !== undefined) return known
    const ids = new Int32Array(this.lines.length)
    const places = new Map<string, number[]>()
    const key = KEYS[level]
    for (const [i, line] of this.lines.entries()) {
      const spelled = key(line)
      const own = places.get(spelled)
      if (own === undefined) {
        places.set(spelled, [i])
        ids[i] = i
      } else {
        own.push(i)
        ids[i] = own[0] ?? i
      }
    }
    const table = { ids, places }
    this.#tables.set(level, table)
    return table
  }
}
