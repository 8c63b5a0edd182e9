import { isGap } from '../text/ellipsis.ts'
import type { HunkLine } from '../edit.ts'
import { foldLine, plainSpelling } from '../text/fold-line.ts'
import { findShift, shiftLine, type Shift } from '../text/indentation.ts'
import { spend, type Level, type LineIndex } from './line-index.ts'

/** A place of the old side of a hunk in a file. */
export interface Place {
  /**
   * The line of the file, from 0, for each line of the old side; -1 for a gap and for a blank line that is not there.
   */
  at: number[]
  /** Spells an added line as the file would have it; null when it cannot be. */
  spell: (line: string) => string | null
}

/** All places of the old side of a hunk, in the order of the file. */
export interface Places {
  /** The line of the file at which each place begins, or would begin; ascending. */
  starts: readonly number[]
  place: (which: number) => Place
}

/** The way in which a hunk was found: as it is, or without what it may have lost. */
export type Tier = 'exact' | 'prefix' | 'trailing' | 'unicode' | 'indentation' | 'blank_lines' | 'ellipsis'

/** The places of a hunk, and the first tier that finds any. */
export interface Found {
  tier: Tier
  places: Places
}

const same = (line: string): string => line

/** The line of the file that a hunk's first line has, or would have. */
function startOf({ at }: Place): number {
  const shown = at.findIndex(line => line >= 0)
  const line = at[shown]
  return line === undefined ? 0 : line - shown
}

function listed(places: Place[]): Places {
  const sorted = places.map(place => ({ place, start: startOf(place) })).sort((a, b) => a.start - b.start)
  return { starts: sorted.map(({ start }) => start), place: which => sorted[which]?.place ?? { at: [], spell: same } }
}

/** The place whose lines follow each other from `start` on. */
export const placeAt = (old: readonly HunkLine[], start: number): Place => ({
  at: old.map((_, i) => start + i),
  spell: same,
})

/**
 * The places where all lines follow each other.
 *
 * @param withLost - A context line may have lost its prefix, and begin with a blank of its own.
 */
function contiguous(old: readonly HunkLine[], index: LineIndex, level: Level, withLost = false): Places {
  const starts = index.find(
    old.map(({ kind, text, raw }) => (withLost && kind === ' ' && raw !== text ? [text, raw] : [text])),
    level,
  )
  return {
    starts,
    place: which => {
      const start = starts[which] ?? 0
      const spell =
        level === 'folded'
          ? plainSpelling(old.map(({ text }, i) => ({ reply: text, file: index.lines[start + i] ?? '' })))
          : same
      return { ...placeAt(old, start), spell }
    },
  }
}

/** The cost of a comparison of indentations, in comparisons of lines. */
const SHIFT_WORK = 10

/**
 * Whether every line of the old side has its place's indentation after the shift; a context line also as it is written,
 * without a prefix.
 */
function fits(old: readonly HunkLine[], start: number, { shift, index }: { shift: Shift; index: LineIndex }): boolean {
  return old.every(({ kind, text, raw }, i) => {
    const file = foldLine(index.lines[start + i] ?? '')
    const spelled = shiftLine(text, shift)
    return (
      text.trim() === '' || (spelled !== null && foldLine(spelled) === file) || (kind === ' ' && foldLine(raw) === file)
    )
  })
}

function shifted(old: readonly HunkLine[], index: LineIndex): Place[] {
  if (old.every(({ text }) => text.trim() === '')) return []
  return index
    .find(
      old.map(({ text }) => [text]),
      'stripped',
    )
    .flatMap((start): Place[] => {
      spend(index.work, SHIFT_WORK * old.length)
      const pairs = old.map(({ text }, i) => ({ hunk: text, file: index.lines[start + i] ?? '' }))
      const shift =
        findShift(pairs) ??
        findShift(
          old
            .map(({ kind, text, raw }, i) => ({ hunk: kind === ' ' ? raw : text, file: index.lines[start + i] ?? '' }))
            .filter((_, i) => old[i]?.kind === '-'),
        )
      return shift !== null && fits(old, start, { shift, index })
        ? [{ at: old.map((_, i) => start + i), spell: line => shiftLine(line, shift) }]
        : []
    })
}

function skipBlanks(index: LineIndex, from: number, step: 1 | -1): number {
  let line = from
  while (index.lines[line]?.trim() === '' && index.isAt(line, '', 'stripped')) line += step
  return line
}

/**
 * Gives blank lines of the old side to blank lines of the file between their neighbours, as far as there are any.
 *
 * @returns false when one that is to be removed is not there, or is one of more than the hunk shows.
 */
function fillBlanks(old: readonly HunkLine[], at: number[], index: LineIndex): boolean {
  for (let from = 0; from < at.length; from++) {
    if (at[from] !== -1) continue
    let to = from
    while (to < at.length && at[to] === -1) to++
    const before = at[from - 1]
    const after = at[to]
    const removes = old.slice(from, to).some(({ kind }) => kind === '-')
    if (removes && (before === undefined || after === undefined || after - before - 1 !== to - from)) return false
    if (before !== undefined) {
      const free = Math.min(to - from, (after ?? index.lines.length) - before - 1)
      for (let k = 0; k < free && index.lines[before + 1 + k]?.trim() === ''; k++) at[from + k] = before + 1 + k
    }
    from = to
  }
  return true
}

/** The places where all lines follow each other that are not blank, whatever blank lines stand between. */
function blankTolerant(old: readonly HunkLine[], index: LineIndex): Place[] {
  const filled = old.flatMap((line, i) => (line.text.trim() === '' ? [] : [{ ...line, i }]))
  const first = filled[0]
  if (first === undefined || filled.length < 2 || filled.length > index.lines.length) return []
  // Begins at the rarest line, and goes both ways.
  const places = filled.map(({ text }) => index.placesOf(text, 'folded'))
  let rarest = 0
  for (const [i, { length }] of places.entries()) if (length < (places[rarest]?.length ?? 0)) rarest = i
  return (places[rarest] ?? []).flatMap((place): Place[] => {
    const at = new Array<number>(old.length).fill(-1)
    const walk = (from: number, step: 1 | -1): boolean => {
      let line = place
      for (let k = from; k >= 0 && k < filled.length; k += step) {
        const own = filled[k]
        if (k !== rarest) line = skipBlanks(index, line, step)
        if (own === undefined || !index.isAt(line, own.text, 'folded')) return false
        at[own.i] = line
        line += step
      }
      return true
    }
    return walk(rarest, 1) && walk(rarest, -1) && fillBlanks(old, at, index) ? [{ at, spell: same }] : []
  })
}

function segmentPlaces(segment: readonly HunkLine[], index: LineIndex): readonly number[] {
  for (const level of ['exact', 'trailing', 'folded'] as const) {
    const found = contiguous(segment, index, level, level !== 'exact').starts
    if (found.length > 0) return found
  }
  return []
}

/**
 * The place of an old side with lines that stand for what is left out: each segment between them must be in the file
 * once, in this order.
 */
function acrossGaps(old: readonly HunkLine[], index: LineIndex): Place[] {
  const isHole = old.map(({ kind, text, raw }) => kind === ' ' && (isGap(text) || isGap(raw)))
  if (!isHole.includes(true)) return []
  const at = new Array<number>(old.length).fill(-1)
  let from = 0
  let after = 0
  for (let i = 0; i <= old.length; i++) {
    if (i < old.length && isHole[i] !== true) continue
    const segment = old.slice(from, i)
    if (segment.length > 0) {
      const found = segmentPlaces(segment, index)
      const start = found[0]
      if (start === undefined || found.length > 1 || start < after) return []
      for (let k = 0; k < segment.length; k++) at[from + k] = start + k
      after = start + segment.length
    }
    from = i + 1
  }
  return after === 0 ? [] : [{ at, spell: same }]
}

/** Returns the places of the first tier that finds any, whatever the number of the hunk; null when no tier does. */
export function findPlaces(old: readonly HunkLine[], index: LineIndex): Found | null {
  const tiers: Array<[Tier, () => Places]> = [
    ['exact', () => contiguous(old, index, 'exact')],
    ['prefix', () => contiguous(old, index, 'exact', true)],
    ['trailing', () => contiguous(old, index, 'trailing', true)],
    ['unicode', () => contiguous(old, index, 'folded', true)],
    ['indentation', () => listed(shifted(old, index))],
    ['blank_lines', () => listed(blankTolerant(old, index))],
    ['ellipsis', () => listed(acrossGaps(old, index))],
  ]
  for (const [tier, find] of tiers) {
    const places = find()
    if (places.starts.length > 0) return { tier, places }
  }
  return null
}

/**
 * Whether the old side stands at this line once blanks at the beginning of context lines are read as the file's own and
 * not as prefixes, and blanks at the ends of lines are ignored.
 */
export function standsUnprefixedAt(old: readonly HunkLine[], start: number, index: LineIndex): boolean {
  return (
    start >= 0 &&
    old.every(
      ({ kind, text, raw }, i) =>
        index.isAt(start + i, text, 'trailing') || (kind === ' ' && index.isAt(start + i, raw, 'trailing')),
    )
  )
}
