import { placeOf } from './native-frame.ts'
import type { RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const LEAD = /^(?:0x[0-9a-f]{1,16}: |\s?\(inlined by\) )/
const END = /:(?:\d{1,9}|\?)(?: \(discriminator \d{1,9}\))?$/
const DISCRIMINATOR = / \(discriminator \d{1,9}\)$/
const MAX_NAME = 2000
const MAX_FILE = 1000
const UNKNOWN = /^(?:\?\? \?\?:[0?]|\S{1,300} at \?\?:[0?])$/

/** `function at file:line` without what stands around it. */
function rowOf(line: string): string | null {
  if (!END.test(line.slice(-40))) return null
  const row = line.replace(LEAD, '').replace(DISCRIMINATOR, '')
  const at = row.lastIndexOf(' at ')
  const isWhole =
    at > 0 && at <= MAX_NAME && row.length - at <= MAX_FILE && !/^\s/.test(row) && !/\s/.test(row.charAt(at + 4))
  return isWhole ? row : null
}

/** A name alone, or one with parameters, which may hold spaces: a sentence has words. */
const isName = (text: string): boolean =>
  !/\s/.test(text.replace(/\([^]*/, '')) && (!text.includes('(') || text.endsWith(')'))

function isRow(lines: readonly string[], at: number): boolean {
  const line = lineAt(lines, at).trimEnd()
  if (UNKNOWN.test(line)) return true
  const row = rowOf(line)
  return (
    row !== null &&
    (line.includes('::') || line.includes('(inlined by)') || isName(row.slice(0, row.lastIndexOf(' at '))))
  )
}

function frameOf(line: string): RawFrame | null {
  const raw = line.trim()
  const row = rowOf(line.trimEnd())
  const place = row === null ? null : placeOf(row)
  return place?.file == null ? null : newFrame(raw, { function: place.function, file: place.file, line: place.line })
}

/** Reads what `addr2line -fpi` and the like print for a list of addresses, the innermost first. */
export const addr2line: TraceReader = {
  language: 'cpp',
  opens: [' at ', '??:'],
  read({ lines }, at, floor) {
    if (!isRow(lines, at) || !isRow(lines, at + 1)) return null // a sentence may end like one row
    const frames: RawFrame[] = []
    let next = at
    for (; isRow(lines, next); next++) {
      const frame = frameOf(lineAt(lines, next))
      if (frame !== null) pushFrame(frames, frame)
    }
    const above = at > floor ? lineAt(lines, at - 1) : ''
    return frames.length === 0
      ? { exceptions: [], next }
      : {
          exceptions: [{ type: null, message: joinMessage([above]), relation: 'root', frames: frames.reverse() }],
          next,
        }
  },
}
