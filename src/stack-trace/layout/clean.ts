import { bothEnds, textEnds } from '../../core/both-ends.ts'
import { plainCharacters } from './characters.ts'
import { groupByWriter } from './interleaved.ts'
import { jsonEvent, type JsonEvent } from './json-events.ts'
import { withoutLayout } from './layout.ts'
import { splitOneLine } from './one-line.ts'
import { dropPrefixes, type PrefixedLines } from './prefixes.ts'
import { holdsRow } from '../trace-rows.ts'
import { fromHtml, splitEscaped } from './unescape.ts'
import { unwrapLines } from './unwrap.ts'
import { fromXmlReport } from './xml-reports.ts'
import { lineAt } from '../lines.ts'

/** Lines of a posted text without the marks of the places it went through. */
export interface CleanText {
  lines: string[]
  /** 1 where a timestamp was taken off: such a line begins a new log entry. */
  stamped: Uint8Array
  /** What structured events held; a line of `eventMark` stands for each. */
  events?: readonly JsonEvent[]
  /** Position in the posted text of each line, where lines of several containers were put together. */
  origins?: Uint32Array
}

const MAX_LINE_CHARS = 4096
const MAX_LEVELS = 2 // a log in a log
const MAX_LINES = 350_000 // of 10 MiB: lines of a log are longer than 26 characters
const MAX_INNER_LINES = 250_000

// Control characters are gone from the text by then, so that no one can write such a line.
const EVENT_MARK = '\u0001event '

/** Number of the structured event that a line stands for; -1 when it is a line of text. */
export const eventAt = (line: string): number =>
  line.startsWith(EVENT_MARK) ? Number(line.slice(EVENT_MARK.length)) : -1

function placed(text: CleanText, lines: string[], starts: number[]): CleanText {
  const stamped = Uint8Array.from(starts, start => text.stamped[start] ?? 0)
  return { lines, stamped, origins: Uint32Array.from(starts, start => text.origins?.[start] ?? start) }
}

/** Prefixes had hidden the layout, too. */
function laidOut(text: CleanText): CleanText {
  const { lines, starts } = withoutLayout(text.lines)
  return starts === null ? { ...text, lines } : placed(text, lines, starts)
}

/** Prefixes had hidden the width at which the lines were broken. */
function unwrapped(text: CleanText): CleanText {
  const joined = unwrapLines(text.lines)
  if (joined === null) return text
  return placed(text, joined.lines, joined.starts)
}

const grouped = (text: PrefixedLines): CleanText => groupByWriter(text) ?? { lines: text.lines, stamped: text.stamped }

const prefixedLines = (lines: string[]): PrefixedLines => ({
  lines,
  stamped: new Uint8Array(lines.length),
  writers: new Array(lines.length),
})

const plainLines = (text: string): string[] =>
  text.startsWith(EVENT_MARK) ? [text] : plainCharacters(text).split('\n')

function linesOf(event: JsonEvent, events: JsonEvent[]): string[] {
  return event.exceptions.length === 0 ? event.lines : [`${EVENT_MARK}${events.push(event) - 1}`]
}

function mark(text: PrefixedLines, at: number, value = 1): void {
  if (at >= text.stamped.length) {
    const grown = new Uint8Array(text.stamped.length * 2 + 16)
    grown.set(text.stamped)
    text.stamped = grown
  }
  if (value === 1) text.stamped[at] = 1
}

function push(text: PrefixedLines, line: string, stamp: number, writer: string | undefined): void {
  const at = text.lines.push(line) - 1
  text.writers[at] = writer
  if (stamp === 1) mark(text, at)
  else if (at >= text.stamped.length) mark(text, at, 0)
}

function insideOf(line: string, events: JsonEvent[], levels: number): { lines: string[]; isPiece: boolean } | null {
  const inner = (line: string): string[] => {
    const deeper = levels === 0 ? null : insideOf(line, events, levels - 1)
    return deeper?.lines ?? [line]
  }
  const open = line.endsWith('}') ? line.indexOf('{"') : -1
  const event = open === -1 ? null : jsonEvent(line.slice(open))
  if (
    event !== null &&
    (event.isPiece || event.exceptions.length > 0 || event.lines.length > 1 || event.lines.some(holdsRow))
  ) {
    const before = line.slice(0, open).trim()
    return {
      lines: [
        ...(before === '' ? [] : [before]),
        ...bothEnds(linesOf(event, events), MAX_LINES).flatMap(plainLines).flatMap(inner),
      ],
      isPiece: event.isPiece,
    }
  }
  const lines = splitEscaped(line) ?? splitOneLine(line)
  return lines === null
    ? null
    : { lines: bothEnds(lines, MAX_LINES).flatMap(plainLines).flatMap(inner), isPiece: false }
}

/** Lines that hold several, as such: events of structured logs and written-out line breaks. */
function expand(text: PrefixedLines, events: JsonEvent[]): PrefixedLines {
  let expanded: PrefixedLines | null = null
  const fresh: number[] = []
  let added = 0
  text.lines.forEach((line, at) => {
    const inside = added < MAX_INNER_LINES ? insideOf(line, events, MAX_LEVELS) : null
    added += inside?.lines.length ?? 0
    if (inside !== null && expanded === null) {
      expanded = {
        lines: text.lines.slice(0, at),
        stamped: new Uint8Array(text.lines.length + 1),
        writers: text.writers.slice(0, at),
      }
      expanded.stamped.set(text.stamped.subarray(0, at))
    }
    if (expanded === null) return
    if (inside === null) return push(expanded, line, text.stamped[at] ?? 0, text.writers[at])
    const first = expanded.lines.length
    for (const inner of bothEnds(inside.lines, MAX_LINES)) {
      fresh.push(expanded.lines.length)
      push(expanded, inner, 0, text.writers[at])
    }
    if (!inside.isPiece) mark(expanded, first)
    if (!inside.isPiece) mark(expanded, expanded.lines.length)
  })
  if (expanded === null) return text
  dropPrefixes(expanded, fresh)
  return expanded
}

function capped(line: string): string {
  return textEnds(line, MAX_LINE_CHARS - 4, ' … ').toWellFormed()
}

/**
 * Splits a posted text into lines and takes off what is not the program's: terminal escapes, control characters, HTML,
 * XML reports and JSON around it, boxes, written-out and lost line breaks, wrapping, quoting, timestamps, names of
 * containers, marks of CI systems. A clean trace stays as it is. Linear in the length of the text; a line over 4 KiB,
 * and a text of more than 400,000 lines, keep both ends; lines that hold several are taken apart until that gave
 * 250,000.
 */
export function cleanText(text: string): CleanText {
  const events: JsonEvent[] = []
  const plain = fromHtml(plainCharacters(fromXmlReport(text)))
  const whole = /^\s*[[{"]/.test(plain) ? jsonEvent(plain) : null
  const posted = bothEnds(whole === null ? plain.split('\n') : linesOf(whole, events).flatMap(plainLines), MAX_LINES)
  const { lines } = withoutLayout(posted)
  const prefixed = prefixedLines(unwrapLines(lines)?.lines ?? lines)
  dropPrefixes(prefixed)
  const clean = unwrapped(laidOut(grouped(expand(prefixed, events))))
  for (let at = 0; at < clean.lines.length; at++) {
    const line = lineAt(clean.lines, at)
    if (line.length > MAX_LINE_CHARS) clean.lines[at] = capped(line)
  }
  return { ...clean, events }
}

/** A cleaned text in one piece. */
export function plainText({ lines, events = [] }: CleanText): string {
  return lines
    .map(line => {
      const event = events[eventAt(line)]
      return event === undefined
        ? line
        : event.exceptions.map(({ type, message }) => `${type ?? ''}: ${message ?? ''}`).join('\n')
    })
    .join('\n')
}
