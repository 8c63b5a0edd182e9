import { isCountedOut, type Hunk, type HunkLine } from '../edit.ts'
import { endBeside, type FileLines } from '../text/file-lines.ts'
import type { Place } from './place-hunk.ts'

/** A run of removed and added lines without context between. */
export interface Change {
  /** The line of the file before which the new lines go. */
  before: number
  deleted: number[]
  added: Array<{ text: string; end: string }>
}

/**
 * The reason why a hunk cannot be applied at its place. `indentation`: an added line cannot be spelled there;
 * `blank_lines`: the file has blank lines that the hunk does not show where it adds lines or removes a blank one.
 */
export type ChangeRefusal = 'indentation' | 'blank_lines'

/** A key that only the same change at the same place has. */
export const keyOf = ({ before, deleted, added }: Change): string =>
  JSON.stringify([before, deleted, added.map(({ text }) => text)])

/** The place of each line of the old side, or of the next line that has one. */
export function nextPlaces(at: readonly number[]): Array<number | undefined> {
  const next: Array<number | undefined> = []
  let known: number | undefined
  for (let i = at.length - 1; i >= 0; i--) {
    if ((at[i] ?? -1) >= 0) known = at[i]
    next[i] = known
  }
  return next
}

const endOf = (hasCr: boolean): string => (hasCr ? '\r\n' : '\n')

/** Goes over the lines of a hunk at its place in a file, and collects the runs of changes. */
class ChangeReader {
  readonly #hunk: Hunk
  readonly #place: Place
  readonly #file: FileLines
  readonly #changes: Change[] = []
  /** The run that is not finished. */
  #current: Change | null = null
  /** The number of lines of the old side that were read. */
  #read = 0
  /** The next place in the file for each line of the old side. */
  readonly #followers: ReadonlyArray<number | undefined>
  readonly #places: ReadonlySet<number>
  readonly #mayLackLines: boolean
  /** Whether the lines of the reply end in different ways. */
  readonly #isMixed: boolean
  /** The line of the file before which the next line of the hunk goes. */
  #cursor: number
  /** The line of the file that the hunk showed last. */
  #shown: number | null = null
  #addsSince = false

  constructor(hunk: Hunk, place: Place, { file, start }: { file: FileLines; start: number | undefined }) {
    this.#hunk = hunk
    this.#place = place
    this.#file = file
    this.#followers = nextPlaces(place.at)
    this.#places = new Set(place.at)
    this.#mayLackLines = !isCountedOut(hunk)
    this.#isMixed = hunk.lines.some(({ hasCr }) => hasCr)
    this.#cursor = start ?? this.#followers[0] ?? 0
  }

  collect(): Change[] | ChangeRefusal {
    for (const line of this.#hunk.lines) {
      const refusal = line.kind === '+' ? this.#add(line) : this.#pass(line)
      if (refusal !== null) return refusal
    }
    this.#finish()
    this.#setEnds()
    return this.#changes
  }

  #add({ text, hasCr }: HunkLine): ChangeRefusal | null {
    const spelled = this.#place.spell(text)
    if (spelled === null) return 'indentation'
    this.#current ??= { before: this.#cursor, deleted: [], added: [] }
    this.#current.added.push({ text: spelled, end: this.#isMixed ? endOf(hasCr) : '' })
    this.#addsSince = true
    return null
  }

  /** Goes past a line of the old side. */
  #pass({ kind, text }: HunkLine): ChangeRefusal | null {
    const line = this.#place.at[this.#read] ?? -1
    this.#read++
    if (line < 0) {
      this.#passMissing(kind, text)
      return null
    }
    if (!this.#show(line)) return 'blank_lines'
    if (kind === '-') {
      if (this.#mayBeAnother(line, text)) return 'blank_lines'
      this.#delete(line)
    } else {
      this.#finish()
    }
    this.#cursor = line + 1
    return null
  }

  /** Goes past a line that the file does not have: a blank one, or one that stands for what is left out. */
  #passMissing(kind: HunkLine['kind'], text: string): void {
    if (kind === ' ') this.#finish()
    if (text.trim() === '') return
    this.#shown = null
    if (kind === ' ') this.#cursor = this.#followers[this.#read] ?? this.#cursor
  }

  /** Notes that the hunk shows this line. Returns false where lines were added beside others that it does not show. */
  #show(line: number): boolean {
    if (this.#shown !== null && line > this.#shown + 1) {
      if (this.#addsSince) return false
      this.#finish()
    }
    this.#shown = line
    this.#addsSince = false
    return true
  }

  /**
   * Whether the hunk may mean to remove another blank line than this: there is one beside it, and this one is spelled
   * otherwise, or that one is not shown.
   */
  #mayBeAnother(line: number, text: string): boolean {
    if (text.trim() !== '') return false
    const isSpelledSo = this.#file.lines[line] === text
    return [line - 1, line + 1].some(
      beside =>
        this.#file.lines[beside]?.trim() === '' && (!isSpelledSo || (this.#mayLackLines && !this.#places.has(beside))),
    )
  }

  #delete(line: number): void {
    this.#current ??= { before: line, deleted: [], added: [] }
    if (this.#current.deleted.length === 0) this.#current.before = line
    this.#current.deleted.push(line)
  }

  #finish(): void {
    if (this.#current !== null) this.#changes.push(this.#current)
    this.#current = null
  }

  /** Gives added lines the end of the lines that the hunk shows, or that of the line beside them. */
  #setEnds(): void {
    const shownEnds = new Set(this.#place.at.flatMap(line => this.#file.ends[line] || []))
    const [onlyEnd] = shownEnds
    for (const { before, deleted, added } of this.#changes) {
      const [first] = deleted
      const beside = endBeside(this.#file, first === undefined ? before : first + 1)
      const end = onlyEnd !== undefined && shownEnds.size === 1 ? onlyEnd : beside
      for (const line of added) line.end ||= end
    }
  }
}

/**
 * Returns the runs of changes of a hunk at its place, or why they cannot be made.
 *
 * @param start - The line before which a hunk without context goes.
 */
export const changesOf = (
  hunk: Hunk,
  place: Place,
  { file, start }: { file: FileLines; start?: number | undefined },
): Change[] | ChangeRefusal => new ChangeReader(hunk, place, { file, start }).collect()

/** Whether a hunk says that the file ends with a newline afterwards; null where it says nothing about it. */
export function newlineSaid(hunk: Hunk, { at }: Place, length: number): boolean | null {
  // Blank lines at its end that the file does not have only part it from what follows.
  let [end, placed] = [hunk.lines.length, at.length]
  while (hunk.lines[end - 1]?.kind === ' ' && hunk.lines[end - 1]?.text.trim() === '' && at[placed - 1] === -1) {
    ;[end, placed] = [end - 1, placed - 1]
  }
  const lines = hunk.lines.slice(0, end)
  const old = lines.findLast(({ kind }) => kind !== '+')
  const fresh = lines.findLast(({ kind }) => kind !== '-')
  if (old !== undefined && at[placed - 1] !== length - 1) return null
  if (fresh?.noNewline === true) return fresh.kind === '+' ? false : null
  return old?.noNewline === true && old.kind === '-' ? true : null
}
