import { showBidi } from '../visible-text.ts'

/** Lines of a posted text without the marks of the places it went through. */
export interface CleanText {
  lines: string[]
  /** 1 where a timestamp was taken off: such a line begins a new log entry. */
  stamped: Uint8Array
}

const MAX_LINE_CHARS = 4096
const MAX_PREFIXES = 6 // a quoted log of a container of a CI job; more is not a prefix

const TRACE_STARTS = ['Traceback (most recent call last):', 'File "']

// eslint-disable-next-line no-control-regex
const ANSI = /(?:\u001B\[|\u009B)[0-9:;<=>?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[@-Z\\^_]/g
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g

const ISO_STAMP = /^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)?\]?(?: |$)/
const TIME_STAMP = /^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?(?: |$)/
const SYSLOG_STAMP = /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,255} [\w./-]{1,255}(?:\[\d{1,9}\])?:(?: |$)/
const SERVICE = /^([A-Za-z][\w.-]{0,127}) {0,64}\|(?: |$)/

/**
 * Splits a posted text into lines and takes off what is not the program's: terminal escapes, control characters,
 * `> ` quoting, timestamps, `service | ` prefixes. Linear in the length of the text; a line over 4 KiB keeps both ends.
 */
export function cleanText (text: string): CleanText {
  const plain = showBidi(text.toWellFormed().replace(/\r\n?/g, '\n').replace(ANSI, '').replace(CONTROLS, ''))
  const lines = plain.split('\n')
  const services = repeatedServices(lines)
  const stamped = new Uint8Array(lines.length)
  for (const [index, line] of lines.entries()) {
    if (line.length === 0) continue
    const stripped = withoutPrefixes(capped(line), services)
    lines[index] = stripped.text
    if (stripped.stamped) stamped[index] = 1
  }
  dropLoggerPrefixes(lines)
  return { lines, stamped }
}

/** The same as one text. */
export const plainText = (text: string): string => cleanText(text).lines.join('\n')

/** A logger that repeats its name on every line of a traceback (`TRACE api.v2   File "…"`): the shared beginning goes. */
function dropLoggerPrefixes (lines: string[]): void {
  for (let at = 0; at < lines.length - 1; at++) {
    const line = lines[at] ?? ''
    const start = TRACE_STARTS.map(mark => line.indexOf(mark)).find(index => index > 0) ?? 0
    const prefix = line.slice(0, start).trimEnd()
    const isName = /^[\w[(]/.test(prefix) // the margin of an exception group is drawn with signs
    if (!isName || lines[at + 1]?.startsWith(prefix) !== true) continue
    for (; lines[at]?.startsWith(prefix) === true; at++) lines[at] = (lines[at] ?? '').slice(prefix.length).replace(/^ /, '')
    at--
  }
}

/** A name before `|` counts as a service when it stands there more than once: a message may hold a `|`, too. */
function repeatedServices (lines: string[]): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const line of lines) {
    const bar = line.indexOf('|')
    if (bar < 1 || bar > 200) continue
    const name = serviceOf(line)
    if (name === null) continue
    if (seen.has(name)) repeated.add(name)
    else seen.add(name)
  }
  return repeated
}

function serviceOf (line: string): string | null {
  let rest = line
  for (let round = 0; round < MAX_PREFIXES; round++) {
    const name = SERVICE.exec(rest)?.[1]
    if (name !== undefined) return name
    const length = quoteLength(rest) || stampLength(rest)
    if (length === 0) return null
    rest = rest.slice(length)
  }
  return null
}

function withoutPrefixes (line: string, services: ReadonlySet<string>): { text: string, stamped: boolean } {
  let text = line
  let stamped = false
  for (let round = 0; round < MAX_PREFIXES; round++) {
    const stamp = stampLength(text)
    if (stamp > 0) stamped = true
    const length = stamp || quoteLength(text) || serviceLength(text, services)
    if (length === 0) break
    text = text.slice(length)
  }
  return { text, stamped }
}

// `>>> ` is Python's prompt, not three levels of quoting.
const quoteLength = (line: string): number => line === '>' ? 1 : line.startsWith('> ') ? 2 : 0

function stampLength (line: string): number {
  return (ISO_STAMP.exec(line) ?? TIME_STAMP.exec(line) ?? SYSLOG_STAMP.exec(line))?.[0].length ?? 0
}

function serviceLength (line: string, services: ReadonlySet<string>): number {
  const match = SERVICE.exec(line)
  return match?.[1] !== undefined && services.has(match[1]) ? match[0].length : 0
}

function capped (line: string): string {
  if (line.length <= MAX_LINE_CHARS) return line
  const half = MAX_LINE_CHARS / 2 - 2
  return `${line.slice(0, half)} … ${line.slice(-half)}`.toWellFormed()
}
