import { foldLine } from './fold-line.ts'

/** How lines are compared: each level calls more of them equal. */
export type Level = 'exact' | 'trailing' | 'folded' | 'stripped'

const KEYS: Readonly<Record<Level, (line: string) => string>> = {
  exact: line => line,
  trailing: line => line.trimEnd(),
  folded: foldLine,
  stripped: line => foldLine(line).trim(),
}

/** Counts comparisons over all of a reply, so that no reply costs more than linear work. */
export interface Work { left: number }

export class TooMuchWork extends Error {}

interface Table { ids: Int32Array, places: ReadonlyMap<string, number[]> }

/** Where the lines of a file stand, by what they say. Built once for each level that is asked for. */
export class LineIndex {
  readonly lines: readonly string[]
  readonly #tables = new Map<Level, Table>()
  readonly #work: Work

  constructor (lines: readonly string[], work: Work) {
    this.lines = lines
    this.#work = work
  }

  /** 0-based places of a line. */
  placesOf (line: string, level: Level): readonly number[] {
    return this.#table(level).places.get(KEYS[level](line)) ?? []
  }

  isAt (place: number, line: string, level: Level): boolean {
    if (--this.#work.left < 0) throw new TooMuchWork()
    const own = this.lines[place]
    return own !== undefined && (own === line || KEYS[level](own) === KEYS[level](line))
  }

  /**
   * Every place where the lines stand one after the other; each may be spelled in several ways.
   * Costs the places of the rarest line, each compared until it differs.
   */
  find (pattern: ReadonlyArray<readonly string[]>, level: Level): number[] {
    const table = this.#table(level)
    const wanted = pattern.map(spellings => spellings.flatMap(line => {
      const places = table.places.get(KEYS[level](line))
      return places?.[0] === undefined ? [] : [{ id: table.ids[places[0]] ?? -1, places }]
    }))
    this.#spend(pattern.length)
    let rarest = -1
    let fewest = Infinity
    for (const [i, spellings] of wanted.entries()) {
      const count = spellings.reduce((sum, { places }) => sum + places.length, 0)
      if (count === 0) return []
      if (count < fewest) {
        fewest = count
        rarest = i
      }
    }
    const starts = [...new Set(wanted[rarest]?.flatMap(({ places }) => places) ?? [])].map(place => place - rarest).sort((a, b) => a - b)
    return starts.filter(start => start >= 0 && wanted.every((spellings, i) => {
      this.#spend(1)
      return spellings.some(({ id }) => id === table.ids[start + i])
    }))
  }

  #spend (work: number): void {
    this.#work.left -= work
    if (this.#work.left < 0) throw new TooMuchWork()
  }

  #table (level: Level): Table {
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
