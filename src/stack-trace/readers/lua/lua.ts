import type { CleanText } from '../../layout/clean.ts'
import type { RawFrame } from '../../failures.ts'
import { newFrame, pushFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import { joinMessage } from '../../messages.ts'
import type { TraceReader } from '../../trace-reader.ts'

const HEADER = /^stack traceback:$/i
const PLACED =
  /^(.*?)((?:[A-Za-z]:[\\/])?[^\s:"'(){}[\]]{1,500}\.(?:lua|moon|fnl|tl)|\[string "[^"\n]{1,300}"\]):(\d{1,9}): (.*)$/
const ALONE = /^(?:(?:lua|luajit|texlua|love|nginx|resty)\S{0,40}|E\d{3,4}|\[\??[\w./ ]{0,20}\]|Error\b)/i
const ROW =
  /^((?:[A-Za-z]:[\\/])?[^\s:][^:]{0,500}|\[C\]|\[builtin[^\]]{0,60}\]|\[string "[^"\n]{1,300}"\]):(?:(\d{1,9}):)? in (.{1,500})$/
const FUNCTION = /^(?:(?:upvalue|local|method|field|global|function|metamethod|for iterator|hook) ){1,2}(.+)$/
const CUT_ROW = / in function <[^>]{1,500}$/ // a terminal broke it
const MAX_LINES_ABOVE = 12

const headerBelow = (lines: string[], at: number): boolean =>
  lines.slice(at + 1, at + MAX_LINES_ABOVE).some(line => HEADER.test(line.trim()))

// A long path is cut at its beginning, in the message and in the row alike.
const samePlace = (row: RawFrame, place: RawFrame): boolean =>
  row.line === place.line &&
  (row.file === place.file || row.file?.startsWith('...') === true || place.file?.startsWith('...') === true)

/** `function 'cart.total'`, `upvalue 'f'`, `function <cart.lua:3>`, `main chunk`. */
function nameOf(shown: string): string | null {
  const said = (FUNCTION.exec(shown)?.[1] ?? shown).trim()
  const quoted = /^['`](.{1,300})'/.exec(said)?.[1]
  if (quoted !== undefined) return quoted
  return said === '?' || said.startsWith('<') ? null : said
}

function rowOf(line: string): RawFrame | null {
  const raw = line.trim()
  const match = raw.includes(': in ') ? ROW.exec(raw) : null
  if (match === null) return null
  const [, file = '', number, called = ''] = match
  const isNative = file.startsWith('[C]') || file.startsWith('[builtin')
  return newFrame(raw, { file: isNative ? null : file, line: number, function: nameOf(called) })
}

function errorAbove(
  { lines, stamped }: CleanText,
  floor: number,
  at: number,
): { message: string | null; place: RawFrame | null } {
  for (let above = at - 1; above >= Math.max(floor, at - MAX_LINES_ABOVE); above--) {
    const line = lineAt(lines, above).trim()
    const match = PLACED.exec(line)
    if (match !== null) {
      return {
        message: joinMessage([match[4] ?? '', ...lines.slice(above + 1, at)]),
        place: newFrame(line, { file: match[2], line: match[3] }),
      }
    }
    if (line === '' || stamped[above] === 1) break
  }
  return {
    message: at > floor && !/>$/.test(lineAt(lines, at - 1)) ? joinMessage([lineAt(lines, at - 1)]) : null,
    place: null,
  }
}

/** The rows say in which function they stand, the innermost first. */
function readTraceback(text: CleanText, at: number, floor: number) {
  const frames: RawFrame[] = []
  let next = at + 1
  for (; next < text.lines.length; next++) {
    const line = lineAt(text.lines, next).trim()
    const row = rowOf(line)
    if (row !== null) pushFrame(frames, row)
    else if (
      !(CUT_ROW.test(lineAt(text.lines, next - 1).trim()) && line.endsWith('>')) &&
      !/^\.\.\./.test(line) &&
      line !== '(...tail calls...)'
    ) {
      break
    }
  }
  const { message, place } = errorAbove(text, floor, at)
  const last = frames.find(({ file }) => file !== null)
  if (place !== null && (last === undefined || !samePlace(last, place))) frames.unshift(place)
  return { exceptions: [{ type: 'error', message, relation: 'root' as const, frames: frames.reverse() }], next }
}

/** Reads what Lua's hosts print: `lua: cart.lua:12: message` with the traceback below it or without. */
export const lua: TraceReader = {
  language: 'lua',
  opens: [':\n', '.lua:', '"]:'],
  read(text, at, floor) {
    const line = lineAt(text.lines, at).trim()
    if (HEADER.test(line)) return rowOf(lineAt(text.lines, at + 1)) === null ? null : readTraceback(text, at, floor)
    const match = line.includes('.lua:') || line.includes('"]:') ? PLACED.exec(line) : null
    if (match === null || headerBelow(text.lines, at) || (!ALONE.test(line) && !match[4]?.startsWith('attempt to '))) {
      return null
    }
    const place = newFrame(line, { file: match[2], line: match[3] })
    return {
      exceptions: [{ type: 'error', message: joinMessage([match[4] ?? '']), relation: 'root', frames: [place] }],
      next: at + 1,
    }
  },
}
