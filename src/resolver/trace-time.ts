import { bothEnds, textEnds } from '../core/both-ends.ts'

const LOOKED_AT_CHARS = 524_288
const LINE_HEAD_CHARS = 160
const MAX_LINES = 10_000

const TIME = String.raw`(20\d\d)[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(Z| ?[+-]\d\d:?\d\d)?`
/** Where loggers put it: first in the line, after the prefix of a container or a CI, or in a field of JSON. */
const AT_START = new RegExp(String.raw`^(?:[\w.-]{1,60} {0,20}\| )?[^\w]{0,4}${TIME}`)
const IN_JSON = new RegExp(String.raw`"(?:@?timestamp|time|ts|asctime|date|datetime)" ?: ?"${TIME}`)

function timeOf(found: RegExpExecArray | null): number | null {
  if (found === null) return null
  const [, year, month, day, hour, minute, second, zone = 'Z'] = found
  const offset = zone === 'Z' ? 'Z' : zone.trim().replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  return Number.isNaN(time) ? null : time
}

/**
 * When a crash was logged: the latest time that stands where loggers put it; null when none does. A time without a zone
 * is taken as UTC, so it may be off by half a day. Only both ends of a long text are searched.
 */
export function traceTime(text: string): Date | null {
  const lines = textEnds(text, LOOKED_AT_CHARS).split('\n')
  let latest: number | null = null
  for (const line of bothEnds(lines, MAX_LINES)) {
    const head = line.slice(0, LINE_HEAD_CHARS)
    const time = timeOf(AT_START.exec(head) ?? IN_JSON.exec(head))
    if (time !== null && (latest === null || time > latest)) latest = time
  }
  return latest === null ? null : new Date(latest)
}
