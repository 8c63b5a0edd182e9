import { isCountedOut, oldSide, type Hunk } from '../edit.ts'
import { joinFile, splitFile } from '../text/file-lines.ts'
import { withoutMark } from './byte-order-mark.ts'
import { choosePlace } from './choose-place.ts'
import { FileState, STATE_WORK } from './file-state.ts'
import { changesOf, newlineSaid, type ChangeRefusal } from './hunk-changes.ts'
import { hunkVariants } from './hunk-variants.ts'
import { CHARS_PER_WORK, spend, type LineIndex, type Work } from './line-index.ts'
import { hasNewSide, isDone, isMarkerOfFile, isNewSideAt, looksTaken } from './new-side.ts'
import type { Found, Place, Places } from './place-hunk.ts'

/**
 * The outcome of a hunk. `already`: the file has its new side, and not the old one; `repeated`: this reply, or an
 * earlier one, has made the same change.
 */
export type HunkOutcome =
  { done: 'applied' | 'already' | 'repeated' } | { failed: 'not_found' | 'ambiguous' | 'malformed'; detail: string }

const LOST_PREFIX =
  'A line of this hunk that begins with "+", "-" or a backslash is in the file just so: ' +
  'the blank before a context line is missing. Send the hunk again with prefixes.'
const REFUSALS: Readonly<Record<ChangeRefusal, string>> = {
  indentation: 'A line that this hunk adds has less indentation than the lines around it allow.',
  blank_lines:
    'The file has blank lines where this hunk adds some, and the hunk does not show them: ' +
    'it cannot be told before or after them. Show them.',
}
const NOT_IN_FILE = 'The lines that this hunk removes or shows as context are not in the file.'
const CHANGED_BEFORE = 'Another hunk of this reply has changed these lines already.'
/** A reply that builds on its own hunks more often than this is refused. */
const MAX_STATES = 48
/** Places that are named to the model. */
const MAX_PLACES_SHOWN = 20

/** The place of a hunk without context. */
const NOWHERE: Place = { at: [], spell: line => line }

const malformed = (detail: string): HunkOutcome => ({ failed: 'malformed', detail })
const notFound = (detail: string): HunkOutcome => ({ failed: 'not_found', detail })
const repeated: HunkOutcome = { done: 'repeated' }

function filtered({ starts, place }: Places, keep: (place: Place) => boolean): Places {
  const kept = starts.flatMap((_, which) => (keep(place(which)) ? [which] : []))
  return { starts: kept.map(which => starts[which] ?? 0), place: which => place(kept[which] ?? 0) }
}

function ambiguous(starts: readonly number[]): HunkOutcome {
  const shown = starts.slice(0, MAX_PLACES_SHOWN).map(start => start + 1)
  const more = starts.length > MAX_PLACES_SHOWN ? ' …' : ''
  const where = `${starts.length} times, at lines ${shown.join(', ')}${more}`
  return {
    failed: 'ambiguous',
    detail: `These lines stand in the file ${where}. Show more context, or the right line number.`,
  }
}

/** Says why a hunk without context has no place in a file of so many lines; null where its number is one. */
function numberProblem({ oldStart, oldCount }: Hunk, length: number): string | null {
  if (oldStart === null || oldStart < 1 || oldStart > length) {
    const number =
      oldStart === null ? 'no line number' : `line ${oldStart} is not in the file, which has ${length} lines`
    return `This hunk has no context, and ${number}. Show the lines around the new ones.`
  }
  if (oldCount === null || oldCount === 0) return null
  return (
    `This hunk counts ${oldCount} lines of the file and shows none of them, ` +
    'so it cannot be told before or after which its lines go. Show the lines around the new ones.'
  )
}

/**
 * One file while hunks are applied to it. Hunks are operations on its original lines, so that they disturb neither each
 * other nor the lines that they leave alone.
 */
export class FileEdit {
  readonly #work: Work
  readonly #wasDone: (hunk: Hunk) => boolean
  /** The states of the file that hunks were written against; only the last one is changed. */
  readonly #states: FileState[]
  /** The distance of the hunk that was placed last from its number. */
  #drift = 0
  #text: string | null = null
  /** The state that the current one would become, until it changes. */
  #next: FileState | null = null

  /** @param wasDone - Whether a hunk with these changes was applied in an earlier turn. */
  constructor(text: string, { work, wasDone }: { work: Work; wasDone: (hunk: Hunk) => boolean }) {
    this.#work = work
    this.#wasDone = wasDone
    spend(work, text.length / CHARS_PER_WORK)
    this.#states = [new FileState(splitFile(text), work)]
  }

  get text(): string {
    this.#text ??= joinFile(this.#current.render())
    return this.#text
  }

  /** The text, counted as work where it has to be put together. */
  read(): string {
    if (this.#text === null) spend(this.#work, STATE_WORK * this.index.lines.length)
    return this.text
  }

  /** The lines of the state that problems are reported against. */
  get index(): LineIndex {
    return this.#current.index
  }

  /** Forgets how far away from their numbers the hunks of another diff stood. */
  startDiff(): void {
    this.#drift = 0
  }

  /** Applies all of the hunk, or nothing of it. */
  apply(hunk: Hunk): HunkOutcome {
    let failure: HunkOutcome = notFound(NOT_IN_FILE)
    for (const state of this.#states) {
      const outcome = this.#applyTo(state, hunk)
      if (!('failed' in outcome)) {
        if (state !== this.#current && outcome.done === 'applied') {
          throw new Error('A hunk was applied to a state that is past.')
        }
        return outcome
      }
      if (outcome.failed !== 'not_found') return outcome // another state of the file would only hide that
      failure = outcome
    }
    return this.#applyToNext(hunk) ?? failure
  }

  get #current(): FileState {
    const state = this.#states.at(-1)
    if (state === undefined) throw new Error('A file has at least one state.')
    return state
  }

  /** Applies a hunk to the file as the hunks before it have left it; null where it does not fit there either. */
  #applyToNext(hunk: Hunk): HunkOutcome | null {
    const current = this.#current
    if (!current.isChanged || this.#states.length >= MAX_STATES || !current.mayHold(hunk)) return null
    this.#next ??= new FileState(current.render(), this.#work)
    const next = this.#next
    const outcome = this.#applyTo(next, hunk)
    if ('failed' in outcome) return null
    this.#states.push(next)
    this.#next = null
    return outcome
  }

  #applyTo(state: FileState, sent: Hunk): HunkOutcome {
    const { hunk, mark } = withoutMark(sent, state.index)
    if (oldSide(hunk).length === 0) return this.#insertAtNumber(state, hunk, mark)
    let failure: HunkOutcome | null = null
    for (const { variant, isAsWritten } of hunkVariants(hunk)) {
      const found = state.find(variant)
      if (found === null) continue
      const outcome = this.#applyAt(state, variant, { places: this.#openPlaces(sent, variant, found, state), mark })
      if (!('failed' in outcome) || outcome.failed !== 'ambiguous') return outcome
      failure ??= outcome
      if (isAsWritten) break
    }
    if (failure !== null) return failure
    if (this.#wasDone(sent) && hasNewSide(hunk, state.index)) return repeated
    return isDone(hunk, state.index) ? { done: 'already' } : notFound(NOT_IN_FILE)
  }

  /** The places of a hunk, without those where an earlier turn has applied it. */
  #openPlaces(sent: Hunk, variant: Hunk, { places }: Found, { index }: FileState): Places {
    return this.#wasDone(sent) ? filtered(places, place => !isNewSideAt(variant, place, index)) : places
  }

  /** Applies a hunk at the one of these places that it means. */
  #applyAt(state: FileState, hunk: Hunk, { places, mark }: { places: Places; mark: boolean | null }): HunkOutcome {
    if (places.starts.length === 0) return repeated
    const which = choosePlace(hunk, places, { index: state.index, drift: this.#drift })
    if (which === null) return ambiguous(places.starts)
    const place = places.place(which)
    if (looksTaken(hunk, place, state.index) || isMarkerOfFile(hunk, place, state.index)) return malformed(LOST_PREFIX)
    const outcome = this.#commit(state, hunk, { place, mark })
    if (!('failed' in outcome) && hunk.oldStart !== null) {
      this.#drift = (places.starts[which] ?? 0) - (hunk.oldStart - 1)
    }
    return outcome
  }

  /** Applies a hunk without context at its number, which must be inside of the file. */
  #insertAtNumber(state: FileState, hunk: Hunk, mark: boolean | null): HunkOutcome {
    const { oldStart, oldCount } = hunk
    const { lines } = state.file
    if (lines.length === 0 && (oldStart ?? 0) <= 1) return this.#commit(state, hunk, { place: NOWHERE, start: 0, mark })
    const problem = numberProblem(hunk, lines.length)
    if (problem !== null) return malformed(problem)
    const number = oldStart ?? 0
    const start = oldCount === 0 ? number : number - 1
    const around = lines.slice(Math.max(0, start - 1), start + 2)
    if (!isCountedOut(hunk) && hunk.lines.some(({ raw }) => around.includes(raw))) return malformed(LOST_PREFIX)
    if (this.#wasDone(hunk) && hunk.lines.every(({ text }, i) => lines[start + i] === text)) return repeated
    return this.#commit(state, hunk, { place: NOWHERE, start, mark })
  }

  #commit(
    state: FileState,
    hunk: Hunk,
    { place, start, mark }: { place: Place; start?: number; mark: boolean | null },
  ): HunkOutcome {
    const changes = changesOf(hunk, place, { file: state.file, start })
    if (typeof changes === 'string') return malformed(REFUSALS[changes])
    const fresh = state.newOf(changes)
    if (fresh.length === 0) return repeated
    const isPast = state !== this.#current && this.#states.includes(state)
    if (isPast || state.isTaken(fresh)) return notFound(CHANGED_BEFORE)
    this.#text = null
    if (state === this.#current) this.#next = null
    state.record(fresh)
    const isEnded = newlineSaid(hunk, place, state.file.lines.length)
    if (isEnded !== null) state.endWithNewline(isEnded)
    if (mark !== null && (place.at[0] ?? start) === 0) state.mark(mark)
    return { done: 'applied' }
  }
}
