import type { Hunk } from '../edit.ts'
import type { LineIndex } from './line-index.ts'
import type { Places } from './place-hunk.ts'
import { firstFrom } from '../text/sorted.ts'
import { trimEndOf } from '../text/trim-end-of.ts'

/** Nearest by this factor is clearly nearest. */
const CLEARLY = 3

/**
 * The first place behind the line that a header without numbers names, `@@ def save():`; null unless the file has that
 * line once.
 */
function afterSection({ text }: Hunk, starts: readonly number[], index: LineIndex): number | null {
  const header = text.split('\n', 1)[0] ?? ''
  const section = trimEndOf(header.slice(2), '@ ').trim()
  if (!header.startsWith('@@') || section.length < 3) return null
  const [line, other] = index.placesOf(section, 'stripped')
  if (line === undefined || other !== undefined) return null
  const which = firstFrom(starts, line)
  return which < starts.length ? which : null
}

/**
 * Chooses the one of several places that a hunk means: the one at its number, else the one that is clearly nearest to
 * it.
 *
 * @param drift - The distance of the hunk that was placed last from its number.
 * @returns The position in `starts`; null when nothing tells.
 */
export function choosePlace(
  hunk: Hunk,
  { starts, place }: Places,
  { index, drift }: { index: LineIndex; drift: number },
): number | null {
  const last = starts.length - 1
  if (last <= 0) return last < 0 ? null : 0
  // A hunk that says how the file ends stands at its end.
  if (hunk.lines.some(({ noNewline }) => noNewline) && place(last).at.at(-1) === index.lines.length - 1) return last
  if (hunk.oldStart === null) return afterSection(hunk, starts, index)
  const wanted = hunk.oldStart - 1
  const exact = firstFrom(starts, wanted)
  if (starts[exact] === wanted) return exact
  const beside = firstFrom(starts, wanted + drift)
  const [nearest, next] = [beside - 2, beside - 1, beside, beside + 1]
    .flatMap(which => {
      const start = starts[which]
      return start === undefined ? [] : [{ which, distance: Math.abs(start - wanted - drift) }]
    })
    .sort((a, b) => a.distance - b.distance)
  if (nearest === undefined || next === undefined) return null
  return nearest.distance * CLEARLY <= next.distance && next.distance > nearest.distance ? nearest.which : null
}
