import { placeOf } from './native-frame.ts'
import { joinMessage, newFrame, pushFrame } from './trace-reader.ts'
import type { RawFrame, TraceReader } from './trace-reader.ts'

const ROW = /^(?:0x[0-9a-f]{1,16}: |\s?\(inlined by\) )?(\S.{0,2000} at \S.{0,1000}:(?:\d{1,9}|\?))(?: \(discriminator \d{1,9}\))?$/
const UNKNOWN = /^(?:\?\? \?\?:[0?]|\S{1,300} at \?\?:[0?])$/

/** Reads what `addr2line -fpi` and the like print for a list of addresses, the innermost first. */
export const addr2line: TraceReader = {
  language: 'cpp',
  opens: [' at ', '??:'],
  read ({ lines }, at, floor) {
    if (!isRow(lines, at) || !isRow(lines, at + 1)) return null // a sentence may end like one row
    const frames: RawFrame[] = []
    let next = at
    for (; isRow(lines, next); next++) {
      const frame = frameOf(lines[next] ?? '')
      if (frame !== null) pushFrame(frames, frame)
    }
    const above = at > floor ? lines[at - 1] ?? '' : ''
    return frames.length === 0 ? { exceptions: [], next } : { exceptions: [{ type: null, message: joinMessage([above]), relation: 'root', frames: frames.reverse() }], next }
  },
}

function isRow (lines: readonly string[], at: number): boolean {
  const line = lines[at]?.trimEnd() ?? ''
  return UNKNOWN.test(line) || (ROW.test(line) && (line.includes('::') || line.includes('(inlined by)') || /^\S+(?:\(.*\))? at \S+:\d/.test(line)))
}

function frameOf (line: string): RawFrame | null {
  const raw = line.trim()
  const row = ROW.exec(line.trimEnd())?.[1]
  const place = row === undefined ? null : placeOf(row)
  return place?.file == null ? null : newFrame(raw, { function: place.function, file: place.file, line: place.line })
}
