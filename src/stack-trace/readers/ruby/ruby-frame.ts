import { pathAtEnd } from '../../path-text.ts'
import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'

const PLACE = /(?::(\d{1,9}))?:in$/
const EVALUATED = /^\(eval at (.+):(\d{1,9})\)$/
const CALLED_FROM = /^(?:\d{1,7}: )?from (.+):(\d{1,9})$/
const LISTED = /^# (\.{0,2}\/?[^\s:]+\.rb):(\d{1,9})$/
const BARE = /^([\w.~-]*\/[\w.+@~/-]+):(\d{1,9})$/
const COMMENT = /^#\s+/
const NUMBERED = /^\d{1,7}: from /
const QUOTES = ["'", '`']
const MAX_WRAPPED_LINES = 2

/** One frame of a Ruby backtrace, which a mail or a narrow terminal may have wrapped. */
export interface RubyLine {
  frame: RawFrame
  /** How many lines of the text it takes. */
  lines: number
  /** What follows `file:line:in 'name': `, as in the first line of an uncaught error; null when nothing does. */
  error: string | null
  /** Whether it says that it is not the innermost. */
  isCaller: boolean
}

/** Evaluated code stands where it was evaluated, since that is a file that exists. */
function placeOf(printed: string, line: string | undefined): Partial<RawFrame> {
  const evaluated = EVALUATED.exec(printed)
  if (evaluated !== null) return { file: evaluated[1] ?? null, line: Number(evaluated[2]) }
  return { file: printed, line: line === undefined ? null : Number(line) }
}

const isQuote = (text: string): boolean => QUOTES.includes(text[0] ?? '')
const closingQuote = (text: string): number => text.indexOf("'", 1)
const isWhole = (text: string): boolean => isQuote(text) && closingQuote(text) !== -1

/** The text behind a place with the lines that its name was wrapped into, and how many those are. */
function unwrapped(lines: string[], at: number, after: string): { text: string; taken: number } {
  let text = after.trim()
  let taken = 0
  while (taken < MAX_WRAPPED_LINES && !isWhole(text) && (text === '' || isQuote(text))) {
    const more = lineAt(lines, at + taken + 1).trim()
    if (more === '' || PLACE.test(more) || more.includes(':in ')) break
    text = text === '' ? more : `${text} ${more}`
    taken++
  }
  return { text, taken }
}

function calledAt(lines: string[], at: number, after: string): Called | null {
  const { text, taken } = unwrapped(lines, at, after)
  if (!isQuote(text)) return null
  const close = closingQuote(text)
  const end = close === -1 ? text.length : close
  const name = text.slice(1, end)
  if (name === '') return null
  const rest = text.slice(end + 1)
  const error = rest.startsWith(': ') ? rest.slice(2) : null
  return { name, quoted: text.slice(0, end + 1), error, lines: taken + 1 }
}

/** `from file:line` of a top level that old versions leave without a name, and the list of a spec runner. */
function withoutFunction(line: string): RubyLine | null {
  const raw = line.trim()
  const match = CALLED_FROM.exec(raw) ?? LISTED.exec(raw)
  if (match?.[1] === undefined || match[1].includes(' ')) return null
  return {
    frame: newFrame(raw, { file: match[1], line: match[2] }),
    lines: 1,
    error: null,
    isCaller: raw.startsWith('from '),
  }
}

const withoutMark = (text: string): string =>
  text
    .trim()
    .replace(COMMENT, '')
    .replace(/^(?:\d{1,7}: )?from /, '')
    .replace(/^(?!\(eval|\(irb)[("'[]{1,2}(?:at )?/, '')

/**
 * The frame at a line, in the quoting of any version (`` in `total' ``, `in 'Cart#total'`), or null when there is none.
 */
export function rubyLine(lines: string[], at: number): RubyLine | null {
  const line = lineAt(lines, at)
  const place = line.indexOf(':in')
  if (place === -1) return line.includes('from ') || line.includes('# ') ? withoutFunction(line) : null
  const before = line.slice(0, place + 3)
  const match = PLACE.exec(before)
  if (match === null) return null
  const called = calledAt(lines, at, line.slice(place + 3))
  if (called === null) return null
  const start = withoutMark(before.slice(0, match.index))
  const isCaller = /(?:^|\s)from /.test(before.slice(0, match.index))
  const printed = start.startsWith('(') ? start : pathAtEnd(start)
  if (printed === '' || /^\d+$/.test(printed) || (match[1] === undefined && !isCaller)) return null
  const frame = newFrame(`${printed}${match[0]} ${called.quoted}`, {
    ...placeOf(printed, match[1]),
    function: called.name,
  })
  return { frame, lines: called.lines, error: called.error, isCaller }
}

/** `file:line` alone between the frames of a list: a view, or a top level. */
export function bareFrame(line: string): RawFrame | null {
  const raw = line.trim()
  const match = BARE.exec(raw)
  return match === null ? null : newFrame(raw, { file: match[1], line: match[2] })
}

/** Whether a line is numbered from the outside in, as Ruby 2.5 to 2.7 did on a terminal. */
export const isNumbered = (line: string): boolean => NUMBERED.test(line.trimStart())

interface Called {
  name: string
  quoted: string
  error: string | null
  lines: number
}
