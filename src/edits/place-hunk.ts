import { isGap } from './ellipsis.ts'
import type { Hunk, HunkLine } from './edit.ts'
import { foldLine, plainSpelling } from './fold-line.ts'
import { findShift, shiftLine, type Shift } from './indentation.ts'
import type { Level, LineIndex } from './line-index.ts'

/** Where the old side of a hunk stands in a file. */
export interface Place {
  /** For each line that is context or removed, its line in the file from 0; -1 for a gap and for a blank line that is not there. */
  at: number[]
  /** An added line as the file would have it; null when it cannot be. */
  spell: (line: string) => string | null
}

export type Tier = 'exact' | 'prefix' | 'trailing' | 'unicode' | 'indentation' | 'blank_lines' | 'ellipsis'

const same = (line: string): string => line

/** The places of the first tier that finds any; none when no tier does. */
export function findPlaces (hunk: Hunk, index: LineIndex): { tier: Tier, places: Place[] } | null {
  const old = hunk.lines.filter(({ kind }) => kind !== '+')
  const tiers: Array<[Tier, () => Place[]]> = [
    ['exact', () => exactly(hunk, old, index)],
    ['prefix', () => contiguous(old, index, 'exact', true)],
    ['trailing', () => contiguous(old, index, 'trailing', true)],
    ['unicode', () => contiguous(old, index, 'folded', true)],
    ['indentation', () => shifted(hunk, old, index)],
    ['blank_lines', () => blankTolerant(old, index)],
    ['ellipsis', () => acrossGaps(old, index)],
  ]
  for (const [tier, find] of tiers) {
    const places = find()
    if (places.length > 0) return { tier, places }
  }
  return null
}

/** As the lines are written; where that is not at the number of the hunk but another reading of lost prefixes is, both. */
function exactly (hunk: Hunk, old: readonly HunkLine[], index: LineIndex): Place[] {
  const places = contiguous(old, index, 'exact')
  const isAtNumber = ({ at }: Place): boolean => at[0] === (hunk.oldStart ?? 0) - 1
  if (places.length === 0 || hunk.oldStart === null || places.some(isAtNumber)) return places
  return [...places, ...contiguous(old, index, 'exact', true).filter(isAtNumber)]
}

/** @param withLost - A context line may have lost its prefix, and begin with a blank of its own. */
function contiguous (old: readonly HunkLine[], index: LineIndex, level: Level, withLost = false): Place[] {
  const pattern = old.map(({ kind, text, raw }) => withLost && kind === ' ' && raw !== text ? [text, raw] : [text])
  return index.find(pattern, level).map(start => ({
    at: old.map((_, i) => start + i),
    spell: level === 'folded' ? plainSpelling(old.map(({ text }, i) => ({ reply: text, file: index.lines[start + i] ?? '' }))) : same,
  }))
}

function shifted (hunk: Hunk, old: readonly HunkLine[], index: LineIndex): Place[] {
  if (old.every(({ text }) => text.trim() === '')) return []
  return index.find(old.map(({ text }) => [text]), 'stripped').flatMap((start): Place[] => {
    const pairs = old.map(({ text }, i) => ({ hunk: text, file: index.lines[start + i] ?? '' }))
    const shift = findShift(pairs) ?? findShift(old.map(({ kind, text, raw }, i) => ({ hunk: kind === ' ' ? raw : text, file: index.lines[start + i] ?? '' })).filter((_, i) => old[i]?.kind === '-'))
    if (shift === null || (shift !== null && !fits(old, start, { shift, index }))) return []
    const spell = (line: string): string | null => shiftLine(line, shift)
    return hunk.lines.every(({ kind, text }) => kind !== '+' || spell(text) !== null) ? [{ at: old.map((_, i) => start + i), spell }] : []
  })
}

/** Whether every line of the old side has its place's indentation after the shift; a context line also as it is written, without a prefix. */
function fits (old: readonly HunkLine[], start: number, { shift, index }: { shift: Shift, index: LineIndex }): boolean {
  return old.every(({ kind, text, raw }, i) => {
    const file = foldLine(index.lines[start + i] ?? '')
    const spelled = shiftLine(text, shift)
    return text.trim() === '' || (spelled !== null && foldLine(spelled) === file) || (kind === ' ' && foldLine(raw) === file)
  })
}

/** Blank lines count for nothing on either side; all others follow each other. */
function blankTolerant (old: readonly HunkLine[], index: LineIndex): Place[] {
  const filled = old.flatMap((line, i) => line.text.trim() === '' ? [] : [{ ...line, i }])
  const first = filled[0]
  if (first === undefined || filled.length < 2) return []
  // Begins at the rarest line, and goes both ways.
  const places = filled.map(({ text }) => index.placesOf(text, 'folded'))
  const rarest = places.reduce((best, own, i) => own.length < (places[best]?.length ?? 0) ? i : best, 0)
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

function skipBlanks (index: LineIndex, from: number, step: 1 | -1): number {
  let line = from
  while (index.lines[line]?.trim() === '' && index.isAt(line, '', 'stripped')) line += step
  return line
}

/**
 * Gives blank lines of the old side to blank lines of the file between their neighbours, as far as there are any.
 *
 * @returns false when one that is to be removed is not there.
 */
function fillBlanks (old: readonly HunkLine[], at: number[], index: LineIndex): boolean {
  for (let i = 0; i < at.length; i++) {
    if (at[i] !== -1) continue
    const before = i === 0 ? undefined : at[i - 1]
    if (before !== undefined && before !== -1 && index.lines[before + 1]?.trim() === '') at[i] = before + 1
    else if (old[i]?.kind === '-') return false
  }
  return true
}

/** Lines that stand for what is left out part the old side into segments, each of which is in the file once, in this order. */
function acrossGaps (old: readonly HunkLine[], index: LineIndex): Place[] {
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

function segmentPlaces (segment: readonly HunkLine[], index: LineIndex): number[] {
  for (const level of ['exact', 'trailing', 'folded'] as const) {
    const found = contiguous(segment, index, level, level !== 'exact').map(({ at }) => at[0] ?? 0)
    if (found.length > 0) return found
  }
  return []
}
