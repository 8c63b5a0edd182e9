import { isCountedOut, newSide, oldSide, type Hunk } from '../edit.ts'
import { nextPlaces } from './hunk-changes.ts'
import type { LineIndex } from './line-index.ts'
import type { Place } from './place-hunk.ts'
import { firstFrom } from '../text/sorted.ts'

/**
 * Whether a line that counts as added or removed is a context line that lost its prefix: the file has it with its sign,
 * there, or anywhere when the counts ask for more context.
 */
export function looksTaken(hunk: Hunk, { at }: Place, index: LineIndex): boolean {
  const mayLackLines = !isCountedOut(hunk)
  const places = new Set(at)
  const lacksContext = at.length < (hunk.oldCount ?? 0)
  const followers = nextPlaces(at)
  let k = 0
  let before = -2
  return hunk.lines.some(({ kind, raw }) => {
    if (kind === '+' && lacksContext && index.placesOf(raw, 'trailing').length > 0) return true
    if (kind === '+') {
      return (
        index.lines[before + 1]?.trimEnd() === raw.trimEnd() ||
        index.lines[(followers[k] ?? -1) - 1]?.trimEnd() === raw.trimEnd()
      )
    }
    before = at[k] ?? -2
    k++
    return (
      kind === '-' &&
      mayLackLines &&
      before >= 0 &&
      [before - 1, before + 1].some(beside => !places.has(beside) && index.lines[beside]?.trimEnd() === raw.trimEnd())
    )
  })
}

/**
 * Whether what was read as the marker of an end without newline is a line of the file: it has such a line, and does not
 * end where the hunk says so.
 */
export function isMarkerOfFile({ lines }: Hunk, { at }: Place, index: LineIndex): boolean {
  return (
    lines.some(({ noNewline }) => noNewline) &&
    at.at(-1) !== index.lines.length - 1 &&
    index.placesOf('\\ No newline at end of file', 'exact').length > 0
  )
}

/** Whether the new side ends where the old side does: for lines inserted before the first context line. */
function endsWith(hunk: Hunk, at: readonly number[], index: LineIndex): boolean {
  const fresh = newSide(hunk)
  const last = at.at(-1) ?? -1
  return (
    hunk.lines.at(-1)?.kind === ' ' &&
    fresh.every(({ text }, i) => index.isAt(last - fresh.length + 1 + i, text, 'trailing'))
  )
}

/** Whether the new side of a hunk stands where its old side was found. */
export function isNewSideAt(hunk: Hunk, { at }: Place, index: LineIndex): boolean {
  const fresh = newSide(hunk)
  const old = oldSide(hunk)
  const first = fresh.findIndex(({ kind }) => kind === ' ')
  const anchor = old.findIndex(({ kind }) => kind === ' ')
  if (first < 0) return false
  const start = (at[anchor] ?? 0) - first
  return (
    fresh.every(({ text }, i) => start + i >= 0 && index.isAt(start + i, text, 'trailing')) || endsWith(hunk, at, index)
  )
}

/** Whether the new side of a hunk is anywhere in the file: enough where it is known to have been applied. */
export function hasNewSide(hunk: Hunk, index: LineIndex): boolean {
  const pattern = newSide(hunk).map(({ text }) => [text])
  return index.find(pattern, 'trailing').length > 0
}

function isNear(places: readonly number[], place: number, distance: number): boolean {
  return (places[firstFrom(places, place - distance)] ?? Infinity) <= place + distance
}

const says = (text: string, letters: number): boolean => (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= letters

/**
 * Whether the new side of a hunk is in the file, and clearly so: with an added line that says something, or with lines
 * that do on both sides of what is gone.
 */
export function isDone(hunk: Hunk, index: LineIndex): boolean {
  const { lines } = hunk
  const fresh = newSide(hunk)
  const kept = new Set(fresh.map(({ text }) => text.trim()))
  const removed = lines.filter(({ kind, text }) => kind === '-' && !kept.has(text.trim()))
  const gone = new Set(lines.filter(({ kind }) => kind === '-').map(({ text }) => text.trim()))
  const added = fresh.filter(({ kind, text }) => kind === '+' && !gone.has(text.trim()))
  if (fresh.length === 0 || added.length + removed.length === 0) return false
  const places = index.find(
    fresh.map(({ text, raw, kind }) => (kind === ' ' && text !== raw ? [text, raw] : [text])),
    'trailing',
  )
  const [place] = places
  // What is said to be gone must not stand right beside it: then the hunk misquotes the rest of its old side.
  if (
    place === undefined ||
    removed.some(({ text }) => isNear(index.placesOf(text, 'stripped'), place, lines.length))
  ) {
    return false
  }
  if (added.some(({ text }) => says(text, 4))) return places.length === 1 || fresh.length > added.length
  return (
    places.length === 1 &&
    lines[0]?.kind === ' ' &&
    lines.at(-1)?.kind === ' ' &&
    fresh.filter(({ text }) => says(text, 2)).length >= 2
  )
}
