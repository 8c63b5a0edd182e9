import type { RawException, RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const ROW =
  /\[([\w$.*+!?<>-]{1,400}) ([\w$<>*+!?-]{1,200}) "?([\w$.-]{1,200}\.(?:cljc?|java|clj[sd]|kt|scala)|NO_SOURCE_FILE)"? (-?\d{1,9})\]/g
const BRACKETS = /^(?::trace)?[\s[\]},]*$/
const CAUSE = /:type ([\w$.]{1,300})(?:,?\s{0,40}:message\s{0,40}"((?:[^"\\]|\\.){0,2000})")?/g
const TRACE = ':trace'
const MAX_LINES_ABOVE = 60
const MAX_CHARS = 20_000

function framesOf(line: string): RawFrame[] {
  return [...line.matchAll(ROW)].map(([raw, type, method, file, number]) =>
    newFrame(raw, {
      function: `${type}.${method}`,
      file: file === 'NO_SOURCE_FILE' ? null : file,
      line: number?.startsWith('-') === true ? null : Number(number),
    }),
  )
}

const isRows = (line: string): boolean =>
  line.includes('[') &&
  line.length < MAX_CHARS &&
  framesOf(line).length > 0 &&
  BRACKETS.test(line.replace(ROW, '').trim())

/** What `:via` lists above the stack, outermost first. */
function causesAbove(lines: string[], floor: number, at: number): RawException[] {
  const first = Math.max(floor, at - MAX_LINES_ABOVE)
  const via = lines.slice(first, at).findLastIndex(line => line.includes(':via'))
  if (via === -1) return []
  const text = lines.slice(first + via, at).join(' ')
  return [...text.slice(0, text.includes(TRACE) ? text.lastIndexOf(TRACE) : undefined).matchAll(CAUSE)].map(
    ([, type, message], index): RawException => ({
      type: type ?? null,
      message: joinMessage([message?.replace(/\\(.)/g, '$1') ?? '']),
      relation: index === 0 ? 'root' : 'cause',
      frames: [],
    }),
  )
}

/** Reads the stacks of Clojure's error maps: `[shop.till$open invokeStatic "till.clj" 12]`, the innermost first. */
export const clojure: TraceReader = {
  language: 'clojure',
  opens: ['0]'],
  read({ lines }, at, floor) {
    if (!isRows(lineAt(lines, at))) return null
    const frames: RawFrame[] = []
    let next = at
    for (; next < lines.length && isRows(lineAt(lines, next)); next++) {
      for (const frame of framesOf(lineAt(lines, next))) pushFrame(frames, frame)
    }
    if (frames.length < 2) return null
    const causes = causesAbove(lines, floor, at)
    const innermost = causes.at(-1) ?? { type: null, message: null, relation: 'root' as const, frames: [] }
    return { exceptions: [...causes.slice(0, -1), { ...innermost, frames: frames.reverse() }], next }
  },
}
