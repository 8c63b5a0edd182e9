import { withoutMark } from './byte-order-mark.ts'
import { choosePlace } from './choose-place.ts'
import { isCountedOut, type Hunk } from '../edit.ts'
import { isGap } from '../text/ellipsis.ts'
import { BOM, endBeside, joinFile, splitFile, type FileLines } from '../text/file-lines.ts'
import { foldLine } from '../text/fold-line.ts'
import { changesOf, keyOf, newlineSaid, type Change } from './hunk-changes.ts'
import { hunkVariants } from './hunk-variants.ts'
import { CHARS_PER_WORK, LineIndex, spend, type Work } from './line-index.ts'
import { hasNewSide, isDone, isMarkerOfFile, isNewSideAt, looksTaken } from './new-side.ts'
import {
  findPlaces,
  placeAt,
  standsUnprefixedAt,
  type Found,
  type Place,
  type Places,
  type Tier,
} from './place-hunk.ts'
import { firstFrom } from '../text/sorted.ts'

/**
 * What became of a hunk: `already`: the file has its new side, and not the old one; `repeated`: the reply, or an
 * earlier one, had it before.
 */
export type HunkOutcome =
  | { done: 'applied' | 'already' | 'repeated'; tier: Tier | 'number' | 'variant' | null }
  | { failed: 'not_found' | 'ambiguous' | 'malformed'; detail: string }

/** One state of the file, and the operations on its lines so far. */
interface Base {
  file: FileLines
  index: LineIndex
  deleted: Set<number>
  inserted: Map<number, Change['added']>
  /** What inserted lines say. */
  added: Set<string>
  done: Set<string>
  /** What was looked for, by the old sides of hunks. */
  found: Map<string, Found | null>
  /** How many places `found` holds. */
  foundPlaces: number
  /** Whether the last line ends, where a marker says so. */
  endsWithNewline: boolean | null
  /** Whether the file begins with a byte order mark, where a hunk says so. */
  hasMark: boolean | null
}

const LOST_PREFIX =
  'A line of this hunk that begins with "+", "-" or a backslash is in the file just so: the blank before a context line is missing. Send the hunk again with prefixes.'
/** A reply that builds on its own hunks more often than this is refused. */
const MAX_BASES = 48
/** What a state of the file costs for each line, in comparisons of lines. */
const BASE_WORK = 20

/**
 * Whether every line that a hunk looks for is one of the file's or one that was added: else it is not worth while to
 * put the file together.
 */
function mayStandIn({ index, added }: Base, hunk: Hunk): boolean {
  const isThere = (text: string): boolean =>
    index.placesOf(text, 'stripped').length > 0 || added.has(foldLine(text).trim())
  return hunkVariants(hunk).some(({ variant }) =>
    variant.lines.every(
      ({ kind, text, raw }) =>
        kind === '+' || text.trim() === '' || isThere(text) || isThere(raw) || isGap(text) || isGap(raw),
    ),
  )
}

/** A reply has few hunks that are longer. */
const MAX_KEY_LINES = 1000

/** Hunks that fit nearly everywhere, each in its own way, would hold many times the file. */
const MAX_FOUND_PLACES = 1_000_000

function keep(base: Base, key: string, known: Found | null): void {
  base.foundPlaces += known?.places.starts.length ?? 0
  if (base.foundPlaces > MAX_FOUND_PLACES) {
    base.found.clear()
    base.foundPlaces = known?.places.starts.length ?? 0
  }
  base.found.set(key, known)
}

/** The places of a hunk. What says the same is looked up once. */
function find({ lines, oldStart }: Hunk, base: Base): Found | null {
  const { index, found } = base
  const old = lines.filter(({ kind }) => kind !== '+')
  const key =
    old.length > MAX_KEY_LINES
      ? null
      : old.map(({ kind, text, raw }) => `${kind}${kind === ' ' ? raw : ''}\0${text}`).join('\n')
  let known = key === null ? undefined : found.get(key)
  if (known === undefined) {
    known = findPlaces(old, index)
    if (key !== null) keep(base, key, known)
  }
  if (known?.tier !== 'exact' || oldStart === null) return known
  // As written it is elsewhere; where it is at its number when prefixes or blanks at ends are lost, that is meant.
  const wanted = oldStart - 1
  const isThere = known.places.starts[firstFrom(known.places.starts, wanted)] === wanted
  return isThere || !standsUnprefixedAt(old, wanted, index)
    ? known
    : { tier: 'prefix', places: { starts: [wanted], place: () => placeAt(old, wanted) } }
}

function filtered({ starts, place }: Places, keep: (place: Place) => boolean): Places {
  const kept = starts.flatMap((_, which) => (keep(place(which)) ? [which] : []))
  return { starts: kept.map(which => starts[which] ?? 0), place: which => place(kept[which] ?? 0) }
}

const MAX_TOLD = 20

function ambiguous(starts: readonly number[]): HunkOutcome {
  const shown = starts.slice(0, MAX_TOLD).map(start => start + 1)
  return {
    failed: 'ambiguous',
    detail: `These lines stand in the file ${starts.length} times, at lines ${shown.join(', ')}${starts.length > MAX_TOLD ? ' …' : ''}. Show more context, or the right line number.`,
  }
}

function render({ file, deleted, inserted, endsWithNewline, hasMark }: Base): FileLines {
  if (deleted.size + inserted.size === 0 && endsWithNewline === null) return file
  const lines: string[] = []
  const ends: string[] = []
  for (let i = 0; i <= file.lines.length; i++) {
    for (const { text, end } of inserted.get(i) ?? []) {
      lines.push(text)
      ends.push(end)
    }
    if (i < file.lines.length && !deleted.has(i)) {
      lines.push(file.lines[i] ?? '')
      ends.push(file.ends[i] ?? '\n')
    }
  }
  const wasEnded = file.lines.length === 0 || file.ends.at(-1) !== ''
  const beside = endBeside(file, file.lines.length)
  for (const [i, end] of ends.entries()) if (end === '' && i < ends.length - 1) ends[i] = beside
  if (ends.length > 0) {
    const last = ends.length - 1
    const isEnded = endsWithNewline ?? wasEnded
    ends[last] = isEnded ? ends[last] || beside : ''
  }
  return { bom: hasMark === null ? file.bom : hasMark ? BOM : '', lines, ends }
}

/**
 * Hunks of one file, applied as operations on its original lines, so that they disturb neither each other nor the lines
 * that they leave alone.
 */
export class FileEdit {
  readonly #work: Work
  readonly #wasDone: (hunk: Hunk) => boolean
  readonly #bases: Base[]
  #drift = 0
  #text: string | null = null
  /** The state that the current one would become, until it changes. */
  #next: Base | null = null

  /** @param wasDone - Whether a hunk with these changes was applied in an earlier turn. */
  constructor(text: string, { work, wasDone }: { work: Work; wasDone: (hunk: Hunk) => boolean }) {
    this.#work = work
    this.#wasDone = wasDone
    spend(work, text.length / CHARS_PER_WORK)
    this.#bases = [this.#base(splitFile(text))]
  }

  get text(): string {
    this.#text ??= joinFile(render(this.#current))
    return this.#text
  }

  /** The text, counted as work where it has to be put together. */
  read(): string {
    if (this.#text === null) spend(this.#work, BASE_WORK * this.index.lines.length)
    return this.text
  }

  /** The state that problems are reported against. */
  get index(): LineIndex {
    return this.#current.index
  }

  startDiff(): void {
    this.#drift = 0
  }

  /** All of the hunk, or nothing of it. */
  apply(hunk: Hunk): HunkOutcome {
    const failures: HunkOutcome[] = []
    for (const base of this.#bases) {
      const outcome = this.#applyTo(base, hunk)
      if (!('failed' in outcome)) {
        if (base !== this.#current && outcome.done === 'applied') {
          throw new Error('A hunk was applied to a state that is past.')
        }
        return outcome
      }
      if (outcome.failed !== 'not_found') return outcome // another state of the file would only hide that
      failures.push(outcome)
    }
    const last = failures.at(-1)
    const current = this.#current
    if (
      current.deleted.size + current.inserted.size > 0 &&
      this.#bases.length < MAX_BASES &&
      mayStandIn(current, hunk)
    ) {
      this.#next ??= this.#base(render(current))
      const outcome = this.#applyTo(this.#next, hunk)
      if (!('failed' in outcome)) {
        this.#bases.push(this.#next)
        this.#next = null
        return outcome
      }
    }
    return last ?? { failed: 'not_found', detail: 'The file is empty.' }
  }

  get #current(): Base {
    const base = this.#bases.at(-1)
    if (base === undefined) throw new Error('A file has at least one state.')
    return base
  }

  #base(file: FileLines): Base {
    spend(this.#work, BASE_WORK * file.lines.length)
    return {
      file,
      index: new LineIndex(file.lines, this.#work),
      deleted: new Set(),
      inserted: new Map(),
      added: new Set(),
      done: new Set(),
      found: new Map(),
      foundPlaces: 0,
      endsWithNewline: null,
      hasMark: null,
    }
  }

  #applyTo(base: Base, sent: Hunk): HunkOutcome {
    const { hunk, mark } = withoutMark(sent, base.index)
    const old = hunk.lines.filter(({ kind }) => kind !== '+')
    if (old.length === 0) return this.#insertAtNumber(base, hunk, mark)
    let failure: HunkOutcome | null = null
    for (const { variant, isAsWritten } of hunkVariants(hunk)) {
      const found = find(variant, base)
      if (found === null) continue
      const places = this.#wasDone(sent)
        ? filtered(found.places, place => !isNewSideAt(variant, place, base.index))
        : found.places
      if (places.starts.length === 0) return { done: 'repeated', tier: null }
      const which = choosePlace(variant, places, { index: base.index, drift: this.#drift })
      if (which === null) {
        failure ??= ambiguous(places.starts)
        if (isAsWritten) break
        continue
      }
      const place = places.place(which)
      if (looksTaken(variant, place, base.index) || isMarkerOfFile(variant, place, base.index)) {
        return { failed: 'malformed', detail: LOST_PREFIX }
      }
      const outcome = this.#commit(base, variant, { place, mark })
      if ('failed' in outcome) return outcome
      if (variant.oldStart !== null) this.#drift = (places.starts[which] ?? 0) - (variant.oldStart - 1)
      return { done: outcome.done, tier: isAsWritten ? found.tier : 'variant' }
    }
    if (failure !== null) return failure
    if (this.#wasDone(sent) && hasNewSide(hunk, base.index)) return { done: 'repeated', tier: null }
    if (isDone(hunk, base.index)) return { done: 'already', tier: null }
    return { failed: 'not_found', detail: 'The lines that this hunk removes or shows as context are not in the file.' }
  }

  /** A hunk without context has nothing but its number, which must be inside of the file. */
  #insertAtNumber(base: Base, hunk: Hunk, mark: boolean | null): HunkOutcome {
    const { oldStart, oldCount } = hunk
    const length = base.file.lines.length
    if (length === 0 && (oldStart === null || oldStart <= 1)) {
      return this.#commit(base, hunk, { place: { at: [], spell: line => line }, start: 0, mark })
    }
    if (oldStart === null || oldStart < 1 || oldStart > length) {
      return {
        failed: 'malformed',
        detail: `This hunk has no context, and ${oldStart === null ? 'no line number' : `line ${oldStart} is not in the file, which has ${length} lines`}. Show the lines around the new ones.`,
      }
    }
    if (oldCount !== null && oldCount > 0) {
      return {
        failed: 'malformed',
        detail: `This hunk counts ${oldCount} lines of the file and shows none of them, so it cannot be told before or after which its lines go. Show the lines around the new ones.`,
      }
    }
    const before = oldCount === 0 ? oldStart : oldStart - 1
    if (
      !isCountedOut(hunk) &&
      hunk.lines.some(({ raw }) => base.file.lines.slice(Math.max(0, before - 1), before + 2).includes(raw))
    ) {
      return { failed: 'malformed', detail: LOST_PREFIX }
    }
    const place: Place = { at: [], spell: line => line }
    if (this.#wasDone(hunk) && hunk.lines.every(({ text }, i) => base.file.lines[before + i] === text)) {
      return { done: 'repeated', tier: null }
    }
    return this.#commit(base, hunk, { place, start: before, mark })
  }

  #commit(
    base: Base,
    hunk: Hunk,
    { place, start, mark }: { place: Place; start?: number; mark: boolean | null },
  ):
    | { done: 'applied' | 'repeated'; tier: Tier | 'number' | null }
    | { failed: 'not_found' | 'malformed'; detail: string } {
    const changes = changesOf(hunk, place, { file: base.file, start })
    if (changes === 'indentation') {
      return {
        failed: 'malformed',
        detail: 'A line that this hunk adds has less indentation than the lines around it allow.',
      }
    }
    if (changes === 'blank_lines') {
      return {
        failed: 'malformed',
        detail:
          'The file has blank lines where this hunk adds some, and the hunk does not show them: it cannot be told before or after them. Show them.',
      }
    }
    const isPast = base !== this.#current && this.#bases.includes(base)
    const fresh = changes.filter(change => !base.done.has(keyOf(change)))
    if (fresh.length === 0) return { done: 'repeated', tier: null }
    const isTaken = fresh.some(({ deleted }) => deleted.some(line => base.deleted.has(line)))
    if (isPast || isTaken) {
      return { failed: 'not_found', detail: 'Another hunk of this reply has changed these lines already.' }
    }
    this.#text = null
    if (base === this.#current) this.#next = null
    for (const change of fresh) {
      base.done.add(keyOf(change))
      for (const line of change.deleted) base.deleted.add(line)
      if (change.added.length === 0) continue
      for (const { text } of change.added) base.added.add(foldLine(text).trim())
      const beside = base.inserted.get(change.before)
      if (beside === undefined) base.inserted.set(change.before, [...change.added])
      else for (const line of change.added) beside.push(line)
    }
    base.endsWithNewline = newlineSaid(hunk, place, base.file.lines.length) ?? base.endsWithNewline
    if (mark !== null && (place.at[0] ?? start) === 0) base.hasMark = mark
    return { done: 'applied', tier: start === undefined ? null : 'number' }
  }
}
