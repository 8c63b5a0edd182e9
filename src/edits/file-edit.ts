import { choosePlace, startOf } from './choose-place.ts'
import type { Hunk } from './edit.ts'
import { endBeside, joinFile, splitFile, type FileLines } from './file-lines.ts'
import { hunkVariants } from './hunk-variants.ts'
import { LineIndex, type Work } from './line-index.ts'
import { findPlaces, type Place, type Tier } from './place-hunk.ts'

/** What became of a hunk: `already`: the file has its new side, and not the old one; `repeated`: the reply, or an earlier one, had it before. */
export type HunkOutcome =
  | { done: 'applied' | 'already' | 'repeated', tier: Tier | 'number' | 'variant' | null }
  | { failed: 'not_found' | 'ambiguous' | 'malformed', detail: string, lines?: number[] }

/** A run of removed and added lines without context between. */
interface Change {
  before: number
  deleted: number[]
  added: Array<{ text: string, end: string }>
}

/** One state of the file, and the operations on its lines so far. */
interface Base {
  file: FileLines
  index: LineIndex
  deleted: Set<number>
  inserted: Map<number, Change['added']>
  done: Set<string>
  /** Whether the last line ends, where a marker says so. */
  endsWithNewline: boolean | null
}

const LOST_PREFIX = 'A line that this hunk adds is in the file just so, with its "+": the blank before a context line is missing. Send the hunk again with prefixes.'
/** A reply that builds on its own hunks more often than this is refused. */
const MAX_BASES = 48

/** Hunks of one file, applied as operations on its original lines, so that they disturb neither each other nor the lines that they leave alone. */
export class FileEdit {
  readonly #work: Work
  readonly #wasDone: (hunk: Hunk) => boolean
  readonly #bases: Base[]
  #drift = 0

  /** @param wasDone - Whether a hunk with these changes was applied in an earlier turn. */
  constructor (text: string, { work, wasDone }: { work: Work, wasDone: (hunk: Hunk) => boolean }) {
    this.#work = work
    this.#wasDone = wasDone
    this.#bases = [this.#base(splitFile(text))]
  }

  get text (): string {
    return joinFile(render(this.#current))
  }

  /** The state that problems are reported against. */
  get index (): LineIndex {
    return this.#current.index
  }

  startDiff (): void {
    this.#drift = 0
  }

  /** All of the hunk, or nothing of it. */
  apply (hunk: Hunk): HunkOutcome {
    const failures: HunkOutcome[] = []
    for (const base of this.#bases) {
      const outcome = this.#applyTo(base, hunk)
      if (!('failed' in outcome)) {
        if (base !== this.#current && outcome.done === 'applied') throw new Error('A hunk was applied to a state that is past.')
        return outcome
      }
      if (outcome.failed !== 'not_found') return outcome // another state of the file would only hide that
      failures.push(outcome)
    }
    const last = failures.at(-1)
    const current = this.#current
    if (current.deleted.size + current.inserted.size > 0 && this.#bases.length < MAX_BASES) {
      const next = this.#base(render(current))
      const outcome = this.#applyTo(next, hunk)
      if (!('failed' in outcome)) {
        this.#bases.push(next)
        return outcome
      }
    }
    return last ?? { failed: 'not_found', detail: 'The file is empty.' }
  }

  get #current (): Base {
    const base = this.#bases.at(-1)
    if (base === undefined) throw new Error('A file has at least one state.')
    return base
  }

  #base (file: FileLines): Base {
    this.#work.left -= file.lines.length
    return { file, index: new LineIndex(file.lines, this.#work), deleted: new Set(), inserted: new Map(), done: new Set(), endsWithNewline: null }
  }

  #applyTo (base: Base, hunk: Hunk): HunkOutcome {
    const old = hunk.lines.filter(({ kind }) => kind !== '+')
    if (old.length === 0) return this.#insertAtNumber(base, hunk)
    let failure: HunkOutcome | null = null
    for (const { variant, isAsWritten } of hunkVariants(hunk)) {
      const found = findPlaces(variant, base.index)
      if (found === null) continue
      const places = this.#wasDone(hunk) ? found.places.filter(place => !isNewSideAt(variant, place, base)) : found.places
      if (places.length === 0) return { done: 'repeated', tier: null }
      const place = choosePlace(variant, places, { index: base.index, drift: this.#drift })
      if (place === null) {
        failure ??= ambiguous(places)
        if (isAsWritten) break
        continue
      }
      if (looksTaken(variant, place, base)) return { failed: 'malformed', detail: LOST_PREFIX }
      const outcome = this.#commit(base, variant, place)
      if ('failed' in outcome) return outcome
      if (variant.oldStart !== null) this.#drift = startOf(place) - (variant.oldStart - 1)
      return { done: outcome.done, tier: isAsWritten ? found.tier : 'variant' }
    }
    if (failure !== null) return failure
    if (isDone(hunk, base)) return { done: 'already', tier: null }
    return { failed: 'not_found', detail: 'The lines that this hunk removes or shows as context are not in the file.' }
  }

  /** A hunk without context has nothing but its number, which must be inside of the file. */
  #insertAtNumber (base: Base, hunk: Hunk): HunkOutcome {
    const { oldStart, oldCount } = hunk
    const length = base.file.lines.length
    if (length === 0 && (oldStart === null || oldStart <= 1)) return this.#commit(base, hunk, { at: [], spell: line => line }, 0)
    if (oldStart === null || oldStart < 1 || oldStart > length) {
      return { failed: 'malformed', detail: `This hunk has no context, and ${oldStart === null ? 'no line number' : `line ${oldStart} is not in the file, which has ${length} lines`}. Show the lines around the new ones.` }
    }
    const before = oldCount === 0 ? oldStart : oldStart - 1
    if (oldCount !== 0 && hunk.lines.some(({ raw }) => base.file.lines.slice(Math.max(0, before - 1), before + 2).includes(raw))) return { failed: 'malformed', detail: LOST_PREFIX }
    const place: Place = { at: [], spell: line => line }
    if (this.#wasDone(hunk) && hunk.lines.every(({ text }, i) => base.file.lines[before + i] === text)) return { done: 'repeated', tier: null }
    return this.#commit(base, hunk, place, before)
  }

  #commit (base: Base, hunk: Hunk, place: Place, start?: number): { done: 'applied' | 'repeated', tier: Tier | 'number' | null } | { failed: 'not_found' | 'malformed', detail: string } {
    const changes = changesOf(hunk, place, { file: base.file, start })
    if (changes === null) return { failed: 'malformed', detail: 'A line that this hunk adds has less indentation than the lines around it allow.' }
    const isPast = base !== this.#current && this.#bases.includes(base)
    const fresh = changes.filter(change => !base.done.has(keyOf(change)))
    if (fresh.length === 0) return { done: 'repeated', tier: null }
    const isTaken = fresh.some(({ deleted }) => deleted.some(line => base.deleted.has(line)))
    if (isPast || isTaken) return { failed: 'not_found', detail: 'Another hunk of this reply has changed these lines already.' }
    for (const change of fresh) {
      base.done.add(keyOf(change))
      for (const line of change.deleted) base.deleted.add(line)
      if (change.added.length > 0) base.inserted.set(change.before, [...base.inserted.get(change.before) ?? [], ...change.added])
    }
    base.endsWithNewline = newlineSaid(hunk, place, base.file.lines.length) ?? base.endsWithNewline
    return { done: 'applied', tier: start === undefined ? null : 'number' }
  }
}

const keyOf = ({ before, deleted, added }: Change): string => JSON.stringify([before, deleted, added.map(({ text }) => text)])

function ambiguous (places: readonly Place[]): HunkOutcome {
  const lines = places.map(place => startOf(place) + 1).sort((a, b) => a - b)
  const shown = lines.slice(0, 20).join(', ')
  return { failed: 'ambiguous', detail: `These lines stand in the file ${lines.length} times, at lines ${shown}${lines.length > 20 ? ' …' : ''}. Show more context, or the right line number.`, lines }
}

/** The runs of changes of a hunk at its place; null when an added line cannot be spelled there. */
function changesOf (hunk: Hunk, { at, spell }: Place, { file, start }: { file: FileLines, start?: number | undefined }): Change[] | null {
  const changes: Change[] = []
  const isMixed = hunk.lines.some(({ hasCr }) => hasCr)
  const old = hunk.lines.filter(line => line.kind !== '+')
  const followers = nextPlaces(at)
  let cursor = start ?? followers[0] ?? 0
  let current: Change | null = null
  let k = 0
  for (const { kind, text, hasCr } of hunk.lines) {
    if (kind === '+') {
      const spelled = spell(text)
      if (spelled === null) return null
      current ??= { before: cursor, deleted: [], added: [] }
      current.added.push({ text: spelled, end: isMixed ? hasCr ? '\r\n' : '\n' : '' })
    } else {
      const line = at[k] ?? -1
      k++
      if (kind === '-' && line >= 0) {
        current ??= { before: line, deleted: [], added: [] }
        if (current.deleted.length === 0) current.before = line
        current.deleted.push(line)
      } else if (kind === ' ' && current !== null) {
        changes.push(current)
        current = null
      }
      cursor = line >= 0 ? line + 1 : kind === ' ' && old[k - 1]?.text.trim() !== '' ? followers[k] ?? cursor : cursor
    }
  }
  if (current !== null) changes.push(current)
  for (const change of changes) {
    const end = endBeside(file, change.deleted.length > 0 ? (change.deleted[0] ?? 0) + 1 : change.before)
    for (const line of change.added) line.end ||= end
  }
  return changes
}

/** For each line of the old side the place of the first one from it on that has one. */
function nextPlaces (at: readonly number[]): Array<number | undefined> {
  const next: Array<number | undefined> = []
  let known: number | undefined
  for (let i = at.length - 1; i >= 0; i--) {
    if ((at[i] ?? -1) >= 0) known = at[i]
    next[i] = known
  }
  return next
}

/** Whether a line that counts as added is a context line that lost its prefix: the file has it there with its `+`, and the counts of the hunk do not say otherwise. */
function looksTaken (hunk: Hunk, { at }: Place, { index }: Base): boolean {
  if (hunk.oldCount === at.length && hunk.newCount === hunk.lines.filter(({ kind }) => kind !== '-').length) return false
  const followers = nextPlaces(at)
  let k = 0
  let before = -2
  return hunk.lines.some(({ kind, raw }) => {
    if (kind === '+') return index.lines[before + 1] === raw || index.lines[(followers[k] ?? -1) - 1] === raw
    before = at[k] ?? -2
    k++
    return false
  })
}

/** What a hunk at the end of a file says about the newline there; null where it says nothing. */
function newlineSaid ({ lines }: Hunk, { at }: Place, length: number): boolean | null {
  const old = lines.findLast(({ kind }) => kind !== '+')
  const fresh = lines.findLast(({ kind }) => kind !== '-')
  if (old !== undefined && at.at(-1) !== length - 1) return null
  if (fresh?.noNewline === true) return fresh.kind === '+' ? false : null
  return old?.noNewline === true && old.kind === '-' ? true : null
}

/** Whether the new side of a hunk stands where its old side was found. */
function isNewSideAt (hunk: Hunk, { at }: Place, { index }: Base): boolean {
  const fresh = hunk.lines.filter(({ kind }) => kind !== '-')
  const old = hunk.lines.filter(({ kind }) => kind !== '+')
  const first = fresh.findIndex(({ kind }) => kind === ' ')
  const anchor = old.findIndex(({ kind }) => kind === ' ')
  if (first < 0) return false
  const start = (at[anchor] ?? 0) - first
  return fresh.every(({ text }, i) => start + i >= 0 && index.isAt(start + i, text, 'trailing')) || endsWith(hunk, at, index)
}

/** The same for lines inserted before the first context line. */
function endsWith (hunk: Hunk, at: readonly number[], index: LineIndex): boolean {
  const fresh = hunk.lines.filter(({ kind }) => kind !== '-')
  const last = at.at(-1) ?? -1
  return hunk.lines.at(-1)?.kind === ' ' && fresh.every(({ text }, i) => index.isAt(last - fresh.length + 1 + i, text, 'trailing'))
}

/** Whether the new side of a hunk is in the file, and clearly so: with an added line that says something, or with lines that do on both sides of what is gone. */
function isDone ({ lines }: Hunk, { index }: Base): boolean {
  const fresh = lines.filter(({ kind }) => kind !== '-')
  const kept = new Set(fresh.map(({ text }) => text.trim()))
  const removed = lines.filter(({ kind, text }) => kind === '-' && !kept.has(text.trim()))
  const gone = new Set(lines.filter(({ kind }) => kind === '-').map(({ text }) => text.trim()))
  const added = fresh.filter(({ kind, text }) => kind === '+' && !gone.has(text.trim()))
  if (fresh.length === 0 || added.length + removed.length === 0) return false
  const places = index.find(fresh.map(({ text, raw, kind }) => kind === ' ' && text !== raw ? [text, raw] : [text]), 'trailing')
  const [place] = places
  // What is said to be gone must not stand right beside it: then the hunk misquotes the rest of its old side.
  if (place === undefined || removed.some(({ text }) => index.placesOf(text, 'stripped').some(line => Math.abs(line - place) <= lines.length))) return false
  if (added.some(({ text }) => says(text, 4))) return places.length === 1 || fresh.length > added.length
  return places.length === 1 && lines[0]?.kind === ' ' && lines.at(-1)?.kind === ' ' && fresh.filter(({ text }) => says(text, 2)).length >= 2
}

const says = (text: string, letters: number): boolean => (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= letters

function render ({ file, deleted, inserted, endsWithNewline }: Base): FileLines {
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
  return { bom: file.bom, lines, ends }
}
