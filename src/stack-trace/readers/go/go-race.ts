import { goFrame, isGoNoise } from './go-frame.ts'
import type { Failure, RawException } from '../../failures.ts'
import { pushFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import type { TraceReader } from '../../trace-reader.ts'

const START = 'WARNING: DATA RACE'
const SECTION =
  /^(?:(?:Previous )?(?:atomic )?(?:read|write) (?:at 0x[0-9a-f]+ )?by .{1,100}|Goroutine \d{1,12} \([\w ]{1,40}\) created at|Mutex M\d{1,9} \(.{1,40}\) created at|.{0,80}created at):$/i

function readReport(lines: readonly string[], at: number): Failure {
  const sections: RawException[] = []
  let next = at + 1
  while (next < lines.length) {
    const trimmed = lineAt(lines, next).trim()
    const section = sections.at(-1)
    const found = section === undefined ? null : goFrame(lines, next)
    if (found !== null && section !== undefined) {
      pushFrame(section.frames, found.frame)
      next += found.lines
      continue
    }
    if (SECTION.test(trimmed)) {
      sections.push({ type: null, message: trimmed.slice(0, -1), relation: 'context', frames: [] })
    } else if (trimmed !== '' && !isGoNoise(trimmed)) break
    next++
  }
  const [first] = sections
  if (first !== undefined) Object.assign(first, { type: 'DATA RACE', relation: 'root' })
  for (const { frames } of sections) frames.reverse()
  return {
    exceptions: first === undefined ? [{ type: 'DATA RACE', message: null, relation: 'root', frames: [] }] : sections,
    next,
  }
}

/**
 * Reads reports of Go's race detector: the access that was noticed, the one before it, and where the goroutines began.
 */
export const goRace: TraceReader = {
  language: 'go',
  opens: ['DATA RACE'],
  read: (text, at) => (text.lines[at]?.trim() === START ? readReport(text.lines, at) : null),
}
