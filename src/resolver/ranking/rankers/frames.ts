import type { CodeReader } from '../../code/code-reader.ts'
import { kindOfPath } from '../../code/path-kinds.ts'
import type { FramePlace, TraceQuery } from '../trace-query.ts'
import { FRAME_FAULT } from '../learned-weights.ts'
import type { RankerHit } from './hits.ts'

const RAISES = /\b(?:raise|throw|panic!?|fail|die|croak|abort)\b/
const LINES_OF_CHECK = 3
const CHECK_NOTE = '; it raises the error by itself, so a caller may be at fault'

/**
 * Whether a statement raises the error itself: then it is a check, and what it complains about came from elsewhere. The
 * printed line of a long statement is often its last.
 */
function checkAt({ line, lines }: FramePlace): { cost: number; note: string } {
  if (line === null) return { cost: 0, note: '' }
  if (RAISES.test((lines.line(line - 1) ?? '').slice(0, 300))) return { cost: FRAME_FAULT.raises, note: CHECK_NOTE }
  const above = lines.slice(Math.max(0, line - 1 - LINES_OF_CHECK), line - 1)
  return above.some(text => RAISES.test(text.slice(0, 300)))
    ? { cost: FRAME_FAULT.endsRaising, note: CHECK_NOTE }
    : { cost: 0, note: '' }
}

function faultOf(
  place: FramePlace,
  position: number,
  { documentFrequency }: Pick<CodeReader, 'documentFrequency'>,
): { fault: number; note: string } {
  const { perNearFile, nearFiles, perFarFile, perDoubledUse } = FRAME_FAULT
  let fault = -perNearFile * Math.min(position, nearFiles) - perFarFile * Math.max(0, position - nearFiles)
  let note = ''
  const kind = kindOfPath(place.path)
  if (position === 0) {
    const check = checkAt(place)
    fault -= check.cost
    note = check.note
  }
  fault -= FRAME_FAULT.away[place.distance]
  if (kind.isVendored) fault -= FRAME_FAULT.vendored
  if (kind.isTest) fault -= FRAME_FAULT.test
  if (place.name !== null && place.name.length > 2) {
    fault -= perDoubledUse * Math.log2(1 + documentFrequency(place.name.toLowerCase()))
  }
  return { fault, note }
}

/** Ranks the files of the trace: the nearest to the failure first, unless its line only detected the problem. */
export function rankFrames(query: TraceQuery, reader: Pick<CodeReader, 'documentFrequency'>): RankerHit[] {
  const scored = query.named.map((place, position) => ({ place, position, ...faultOf(place, position, reader) }))
  return scored
    .sort((a, b) => b.fault - a.fault || a.position - b.position)
    .map(({ place, fault, note }) => ({
      repository: place.repository,
      path: place.path,
      score: Math.exp(fault),
      why: place.why + note,
      lines: place.line === null ? [] : [{ startLine: place.line, endLine: place.line }],
    }))
}
