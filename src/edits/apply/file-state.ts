import { oldSide, type Hunk } from '../edit.ts'
import { isGap } from '../text/ellipsis.ts'
import { BOM, endBeside, type FileLines } from '../text/file-lines.ts'
import { foldLine } from '../text/fold-line.ts'
import { firstFrom } from '../text/sorted.ts'
import { keyOf, type Change } from './hunk-changes.ts'
import { hunkVariants } from './hunk-variants.ts'
import { LineIndex, spend, type Work } from './line-index.ts'
import { findPlaces, placeAt, standsUnprefixedAt, type Found } from './place-hunk.ts'

/** The cost of a state of a file for each of its lines, in comparisons of lines. */
export const STATE_WORK = 20
/** Hunks with a longer old side are not remembered: a reply has few of them. */
const MAX_KEY_LINES = 1000
/** The most places to remember: hunks that fit nearly everywhere would need many times the file. */
const MAX_FOUND_PLACES = 1_000_000

/** Tells hunks that look for the same lines from others; null for long ones, which are looked up each time. */
function keyOfOldSide(hunk: Hunk): string | null {
  const old = oldSide(hunk)
  if (old.length > MAX_KEY_LINES) return null
  return old.map(({ kind, text, raw }) => `${kind}${kind === ' ' ? raw : ''}\0${text}`).join('\n')
}

/** One state of a file, and the operations on its lines so far. */
export class FileState {
  readonly file: FileLines
  readonly index: LineIndex
  readonly #deleted = new Set<number>()
  readonly #inserted = new Map<number, Change['added']>()
  /** The inserted lines, folded. */
  readonly #added = new Set<string>()
  /** The changes that were made, by their keys. */
  readonly #done = new Set<string>()
  /** The places that were found, by the old sides of hunks. */
  readonly #found = new Map<string, Found | null>()
  /** The number of places in `#found`. */
  #foundPlaces = 0
  /** Whether the last line ends, where a marker says so. */
  #endsWithNewline: boolean | null = null
  /** Whether the file begins with a byte order mark, where a hunk says so. */
  #hasMark: boolean | null = null

  /** @throws {TooMuchWork} */
  constructor(file: FileLines, work: Work) {
    spend(work, STATE_WORK * file.lines.length)
    this.file = file
    this.index = new LineIndex(file.lines, work)
  }

  /** Whether any line was removed or added. */
  get isChanged(): boolean {
    return this.#deleted.size + this.#inserted.size > 0
  }

  /**
   * Whether every line that a hunk looks for is in the file or was added to it. Where one is not, the changed file need
   * not be put together to look for the hunk.
   */
  mayHold(hunk: Hunk): boolean {
    const isThere = (text: string): boolean =>
      this.index.placesOf(text, 'stripped').length > 0 || this.#added.has(foldLine(text).trim())
    return hunkVariants(hunk).some(({ variant }) =>
      oldSide(variant).every(
        ({ text, raw }) => text.trim() === '' || isThere(text) || isThere(raw) || isGap(text) || isGap(raw),
      ),
    )
  }

  /** Finds the places of a hunk; null for none. Hunks with the same old side are looked up once. */
  find(hunk: Hunk): Found | null {
    const known = this.#lookUp(hunk)
    if (known?.tier !== 'exact' || hunk.oldStart === null) return known
    // As written it is elsewhere; where it is at its number when prefixes or blanks at ends are lost, that is meant.
    const old = oldSide(hunk)
    const wanted = hunk.oldStart - 1
    const { starts } = known.places
    const isThere = starts[firstFrom(starts, wanted)] === wanted
    if (isThere || !standsUnprefixedAt(old, wanted, this.index)) return known
    return { tier: 'prefix', places: { starts: [wanted], place: () => placeAt(old, wanted) } }
  }

  /** The changes that were not made yet. */
  newOf(changes: readonly Change[]): Change[] {
    return changes.filter(change => !this.#done.has(keyOf(change)))
  }

  /** Whether one of the lines that these changes remove is gone. */
  isTaken(changes: readonly Change[]): boolean {
    return changes.some(({ deleted }) => deleted.some(line => this.#deleted.has(line)))
  }

  /** Makes changes. */
  record(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#done.add(keyOf(change))
      for (const line of change.deleted) this.#deleted.add(line)
      if (change.added.length === 0) continue
      for (const { text } of change.added) this.#added.add(foldLine(text).trim())
      const beside = this.#inserted.get(change.before)
      if (beside === undefined) this.#inserted.set(change.before, [...change.added])
      else for (const line of change.added) beside.push(line)
    }
  }

  /** Sets whether the last line ends. */
  endWithNewline(isEnded: boolean): void {
    this.#endsWithNewline = isEnded
  }

  /** Sets whether the file begins with a byte order mark. */
  mark(hasMark: boolean): void {
    this.#hasMark = hasMark
  }

  /** The file after the changes. */
  render(): FileLines {
    if (!this.isChanged && this.#endsWithNewline === null) return this.file
    const { lines, ends } = this.#renderLines()
    this.#endLines(ends)
    const mark = this.#hasMark === true ? BOM : ''
    return { bom: this.#hasMark === null ? this.file.bom : mark, lines, ends }
  }

  #lookUp(hunk: Hunk): Found | null {
    const key = keyOfOldSide(hunk)
    const known = key === null ? undefined : this.#found.get(key)
    if (known !== undefined) return known
    const found = findPlaces(oldSide(hunk), this.index)
    if (key !== null) this.#keep(key, found)
    return found
  }

  #keep(key: string, found: Found | null): void {
    const places = found?.places.starts.length ?? 0
    this.#foundPlaces += places
    if (this.#foundPlaces > MAX_FOUND_PLACES) {
      this.#found.clear()
      this.#foundPlaces = places
    }
    this.#found.set(key, found)
  }

  #renderLines(): { lines: string[]; ends: string[] } {
    const { file } = this
    const lines: string[] = []
    const ends: string[] = []
    for (let i = 0; i <= file.lines.length; i++) {
      for (const { text, end } of this.#inserted.get(i) ?? []) {
        lines.push(text)
        ends.push(end)
      }
      if (i < file.lines.length && !this.#deleted.has(i)) {
        lines.push(file.lines[i] ?? '')
        ends.push(file.ends[i] ?? '\n')
      }
    }
    return { lines, ends }
  }

  /** Gives an end to each line but the last, which ends as the last line of the file did, or as a marker says. */
  #endLines(ends: string[]): void {
    if (ends.length === 0) return
    const { file } = this
    const wasEnded = file.lines.length === 0 || file.ends.at(-1) !== ''
    const isEnded = this.#endsWithNewline ?? wasEnded
    const beside = endBeside(file, file.lines.length)
    const last = ends.length - 1
    for (const [i, end] of ends.entries()) if (end === '') ends[i] = beside
    if (!isEnded) ends[last] = ''
  }
}
