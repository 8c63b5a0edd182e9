import type { Hunk } from './edit.ts'
import type { LineIndex } from './line-index.ts'
import type { Place } from './place-hunk.ts'
import { trimEndOf } from './trim-end-of.ts'

/** Nearest by this factor is clearly nearest. */
const CLEARLY = 3

/**
 * Which of several places a hunk means: the one at its number, else the one that is clearly nearest to it.
 *
 * @param drift - By how much the hunk placed last stood away from its number.
 * @returns null when nothing tells.
 */
export function choosePlace (hunk: Hunk, places: readonly Place[], { index, drift }: { index: LineIndex, drift: number }): Place | null {
  const open = atFileEnd(hunk, places, index)
  const [only] = open
  if (only === undefined || open.length === 1) return only ?? null
  if (hunk.oldStart === null) return afterSection(hunk, open, index)
  const wanted = hunk.oldStart - 1
  const exact = open.find(place => startOf(place) === wanted)
  if (exact !== undefined) return exact
  const byDistance = open.map(place => ({ place, distance: Math.abs(startOf(place) - wanted - drift) })).sort((a, b) => a.distance - b.distance)
  const [nearest, next] = byDistance
  if (nearest === undefined || next === undefined) return null
  return nearest.distance * CLEARLY <= next.distance && next.distance > nearest.distance ? nearest.place : null
}

/** The line of the file that a hunk's first line has, or would have. */
export function startOf ({ at }: Place): number {
  const first = at.findIndex(line => line >= 0)
  return first < 0 ? 0 : (at[first] ?? 0) - first
}

/** A hunk that says how the file ends stands at its end. */
function atFileEnd ({ lines }: Hunk, places: readonly Place[], index: LineIndex): readonly Place[] {
  if (!lines.some(({ noNewline }) => noNewline)) return places
  const last = places.filter(({ at }) => at.at(-1) === index.lines.length - 1)
  return last.length > 0 ? last : places
}

/** Behind a header without numbers stands the line after which to look, where it is there once. */
function afterSection ({ text }: Hunk, places: readonly Place[], index: LineIndex): Place | null {
  const header = text.split('\n', 1)[0] ?? ''
  const section = trimEndOf(header.slice(2), '@ ').trim()
  if (!header.startsWith('@@') || section.length < 3) return null
  const found = index.placesOf(section, 'stripped')
  const [line] = found
  if (line === undefined || found.length > 1) return null
  return places.find(place => startOf(place) >= line) ?? null
}
