import { hasEpochs, stampLength } from '../../core/log-stamps.ts'
import { CI_MARKER, JOB_STEP, MAIL_QUOTE, POD, SERVICE, XUNIT_CLOCK } from '../../core/log-writers.ts'
import { logcatLength } from './logcat.ts'
import { dropTestNumbers } from './test-numbers.ts'
import { holdsRow, rowBehindPrefix, startsRow } from '../trace-rows.ts'
import { lineAt } from '../lines.ts'

/** Lines whose prefixes are taken off in place, and what the prefixes said. */
export interface PrefixedLines {
  lines: string[]
  /** 1 where a timestamp was taken off: such a line begins a new log entry. */
  stamped: Uint8Array
  /** Name of the container, process or job that wrote the line, where a prefix named it. */
  writers: Array<string | undefined>
}

const MAX_LINES_ABOVE = 60 // of a message in front of its trace
const MAX_PREFIXES = 6 // a quoted log of a container of a CI job; more is not a prefix

/** What PowerShell writes above the code of each error: no container is called so. */
const ABOVE_CODE = 'Line |'
// Compose's own last word on a container.
const EXITED = /^([\w.-]{1,128}) exited with code \d{1,3}(?: \(restarting\))?$/
const ANNOTATION = /^::(error|warning|notice) ([^:]{1,2000}(?::[^:]{1,2000}){0,8})::/
const CODE_FRAME = /^> {1,8}\d{1,7} \|/
const BULLET = /^\s{0,8}(?:[-*\u2022]|\d{1,3}[.)]) (?=\S)/
const FENCE = /^\s{0,8}(?:`{3,}|~{3,})\s{0,4}[\w+#-]{0,24}\s*$/
const FENCED = /^(\s{0,8})`{3,}|(?<!`)`{3,}\s*$/g
// `#1` in front of a row, after a code host has made a link of it.
const LINKED_NUMBER =
  /^(\s{0,40})(?:https?:\/\/[\w.-]{1,100}\/[\w.-]{1,100}\/[\w.-]{1,100}\/(?:issues|pull)\/(\d{1,4})|\[#(\d{1,4})\]\([^)\s]{1,300}\)|[\w.-]{1,100}\/[\w.-]{1,100}#(\d{1,4})) (?=\S)/

/** `file=src/a.ts,line=3,col=5` as compilers write a place: `src/a.ts:3:5: `. */
function placeOf(properties: string): string {
  const values = new Map(
    properties
      .split(',')
      .map(property => [property.slice(0, property.indexOf('=')).trim(), property.slice(property.indexOf('=') + 1)]),
  )
  const place = [values.get('file'), values.get('line'), values.get('col')].filter(
    value => value !== undefined && value !== '',
  )
  return values.has('file') ? `${place.join(':')}: ` : ''
}

/** A line behind the command that a CI system wrote there; null when it begins with none. */
function withoutCommand(line: string): string | null {
  const marker = CI_MARKER.exec(line)
  if (marker !== null) return line.slice(marker[0].length)
  const annotation = ANNOTATION.exec(line)
  if (annotation === null) return null
  const [all, severity = '', properties = ''] = annotation
  return `${placeOf(properties)}${severity}: ${line.slice(all.length)}`
}

/** A row behind a bullet of a list; null when there is none. */
function withoutBullet(line: string): string | null {
  const rest = line.slice(BULLET.exec(line)?.[0].length ?? 0)
  return rest !== line && startsRow(rest) ? rest : null
}

/** A row whose number a code host has made a link of, as it was; null when it is none. */
function withoutLink(line: string): string | null {
  const linked = LINKED_NUMBER.exec(line)
  if (linked === null) return null
  const number = linked.slice(2).find(digits => digits !== undefined) ?? ''
  return `${linked[1] ?? ''}#${number} ${line.slice(linked[0].length)}`
}

/** Marks of CI systems, Markdown and code hosts, each known by its first characters. */
function withoutMark(line: string): string {
  const first = line.trimStart().charAt(0)
  const mayBeCommand = first === '#' || first === ':' || line.startsWith('section_')
  const command = mayBeCommand ? withoutCommand(line) : null
  if (command !== null) return command
  if (first === '`' || first === '~' || line.endsWith('```')) return FENCE.test(line) ? '' : line.replace(FENCED, '$1')
  const row = withoutBullet(line) ?? withoutLink(line)
  if (row !== null) return row
  if (first === '[') return line.replace(XUNIT_CLOCK, '')
  const tabs = line.includes('\t') ? JOB_STEP.exec(line) : null
  return tabs === null ? line : line.slice(tabs[0].length)
}

function serviceOf(line: string): { name: string; length: number } | null {
  if (line.trimEnd() === ABOVE_CODE) return null
  const match = (line.startsWith('[') ? POD : SERVICE).exec(line)
  return match?.[1] === undefined ? null : { name: match[1], length: match[0].length }
}

function withoutPrefix(
  { lines, stamped, writers }: PrefixedLines,
  at: number,
  { quoted, services, epochs }: { quoted: boolean; services: ReadonlySet<string>; epochs: boolean },
): string {
  const line = lineAt(lines, at)
  if (quoted) return line.slice(MAIL_QUOTE.exec(line)?.[0].length ?? 0)
  const stamp = logcatLength(line) || stampLength(line, epochs)
  if (stamp > 0) {
    stamped[at] = (stamped[at] ?? 0) + 1 // MAX_PREFIXES at most
    return line.slice(stamp)
  }
  const service = serviceOf(line)
  if (service !== null && services.has(service.name)) {
    writers[at] = `${writers[at] ?? ''}${service.name}`
    return line.slice(service.length)
  }
  const exited = EXITED.exec(line)?.[1]
  return exited !== undefined && services.has(exited) ? '' : withoutMark(line)
}

const isMarked = (line: string | undefined): boolean => line?.charCodeAt(0) === 62

/**
 * A line with `>` is quoted where the next or the last one has it, too, and not all of them are code with numbers: test
 * runners mark a single line of code so. `>>> ` is Python's prompt, not three levels of quoting, unless a row of a
 * trace follows one.
 */
function quotedLines(lines: string[]): Uint8Array {
  const quoted = new Uint8Array(lines.length)
  const isDeep = lines.some(line => line.startsWith('>>>') && holdsRow(line.slice(3).replace(/^ /, '')))
  const isQuoted = (at: number): boolean => isMarked(lines[at]) && (isDeep || lines[at]?.startsWith('>>>') !== true)
  for (let first = 0; first < lines.length; first++) {
    if (!isQuoted(first)) continue
    let next = first
    let code = 0
    for (; isQuoted(next); next++) if (CODE_FRAME.test(lineAt(lines, next))) code++
    if (next - first > 1 && code < next - first) quoted.fill(1, first, next)
    first = next
  }
  return quoted
}

function behindOthers(line: string): string | null {
  let rest = line
  for (let round = 0; round < MAX_PREFIXES; round++) {
    const service = serviceOf(rest)
    if (service !== null) return service.name
    const length = MAIL_QUOTE.exec(rest)?.[0].length ?? stampLength(rest, false)
    if (length === 0) return null
    rest = rest.slice(length)
  }
  return null
}

/** A name before `|` counts as a service when it stands there more than once: a message may hold a `|`, too. */
function repeatedServices(lines: string[]): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const line of lines) {
    if (!/[|\u2502]|^\[|\] /.test(line.length > 400 ? line.slice(0, 400) : line)) continue
    const name = behindOthers(line)
    if (name === null) continue
    if (seen.has(name)) repeated.add(name)
    else seen.add(name)
  }
  return repeated
}

/**
 * Where each line of a trace has a timestamp, because something else wrote it, that one tells nothing about entries; a
 * second one behind it is the program's own.
 */
function forgetLineStamps({ lines, stamped }: PrefixedLines): void {
  for (let first = 0; first < stamped.length; first++) {
    if (stamped[first] === 0) continue
    let next = first + 1
    let ofRows = 0
    for (; (stamped[next] ?? 0) > 0; next++) {
      const line = lineAt(lines, next)
      const count = stamped[next] ?? 0
      if (startsRow(line) && !line.includes('Traceback (')) ofRows = ofRows === 0 ? count : Math.min(ofRows, count)
    }
    for (let at = first; at < next; at++) stamped[at] = Number((stamped[at] ?? 0) > ofRows)
    first = next
  }
}

/** A logger that repeats its name on every line of a trace (`TRACE api.v2   File "…"`): the shared beginning goes. */
function dropLoggerPrefixes(lines: string[]): void {
  for (let at = 0; at < lines.length; at++) {
    const line = lineAt(lines, at)
    const prefix = line.slice(0, rowBehindPrefix(line)).trimEnd()
    if (!/^[\w[(]/.test(prefix)) continue // the margin of an exception group is drawn with signs
    const shares = (index: number): boolean => lines[index]?.startsWith(prefix) === true
    if (!shares(at + 1) && !shares(at - 1)) continue
    let first = at
    while (first > at - MAX_LINES_ABOVE && shares(first - 1)) first--
    let next = first
    for (; shares(next); next++) lines[next] = lineAt(lines, next).slice(prefix.length).replace(/^ /, '')
    at = next - 1
  }
}

/**
 * Takes quoting, timestamps, names of containers and the marks of CI systems off the given lines (of all when none are
 * given).
 */
export function dropPrefixes(text: PrefixedLines, only?: number[]): void {
  const { lines } = text
  const services = repeatedServices(lines)
  const epochs = hasEpochs(lines)
  let pending: number[] | null = only ?? null
  for (let round = 0; round < MAX_PREFIXES; round++) {
    const quoted = pending?.some(at => isMarked(lines[at])) === false ? null : quotedLines(lines)
    const changed: number[] = []
    const count = pending?.length ?? lines.length
    for (let i = 0; i < count; i++) {
      const at = pending?.[i] ?? i
      const line = lineAt(lines, at)
      if (line === '') continue
      const rest = withoutPrefix(text, at, { quoted: quoted?.[at] === 1, services, epochs })
      if (rest === line) continue
      lines[at] = rest
      changed.push(at)
    }
    if (changed.length === 0) break
    pending = changed
  }
  dropTestNumbers(lines)
  dropLoggerPrefixes(lines)
  forgetLineStamps(text)
}
