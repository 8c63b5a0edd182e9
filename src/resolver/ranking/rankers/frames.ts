import type { CodeReader } from '../../code/code-reader.ts'
import { kindOfPath } from '../../code/path-kinds.ts'
import type { FramePlace, TraceQuery } from '../trace-query.ts'
import type { RankerHit } from './hits.ts'

// All in steps of nearness: one more file outwards costs STEP.
const STEP = 0.5
const NEAR_FILES = 4
const FAR_STEP = 0.1
const CHECKS = 0.45
const ENDS_CHECK = 0.6
const VENDORED = 3
const TEST = 1
const PER_DOUBLED_USE = 0.05
/** Of another exception of the failure, of another failure. */
const AWAY = [0, 0.5, 2] as const

const RAISES = /\b(?:raise|throw|panic!?|fail|die|croak|abort)\b/
const LINES_OF_CHECK = 3
const CHECK_NOTE = '; it raises the error by itself, so a caller may be at fault'

/**
 * A statement that raises the error by itself tells of a check: what it complains of came from outside. The line of a
 * long one is often its last.
 */
function checkAt({ line, lines }: FramePlace): { cost: number; note: string } {
  if (line === null) return { cost: 0, note: '' }
  if (RAISES.test((lines[line - 1] ?? '').slice(0, 300))) return { cost: CHECKS, note: CHECK_NOTE }
  const above = lines.slice(Math.max(0, line - 1 - LINES_OF_CHECK), line - 1)
  return above.some(text => RAISES.test(text.slice(0, 300)))
    ? { cost: ENDS_CHECK, note: CHECK_NOTE }
    : { cost: 0, note: '' }
}

function faultOf(
  place: FramePlace,
  position: number,
  { documentFrequency }: Pick<CodeReader, 'documentFrequency'>,
): { fault: number; note: string } {
  let fault = -STEP * Math.min(position, NEAR_FILES) - FAR_STEP * Math.max(0, position - NEAR_FILES)
  let note = ''
  const kind = kindOfPath(place.path)
  if (position === 0) {
    const check = checkAt(place)
    fault -= check.cost
    note = check.note
  }
  fault -= AWAY[place.distance]
  if (kind.isVendored) fault -= VENDORED
  if (kind.isTest) fault -= TEST
  if (place.name !== null && place.name.length > 2) {
    fault -= PER_DOUBLED_USE * Math.log2(1 + documentFrequency(place.name.toLowerCase()))
  }
  return { fault, note }
}

/**
 * Which of the trace's files is at fault: the nearest to the failure, unless what stands there only found out about it.
 */
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
