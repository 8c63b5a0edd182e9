import type { Guard } from '../contract/guards.ts'
import { NUMBER, STRING, WORD } from '../outline/lexis/tokens.ts'
import { scopeAt, wordAt, type Source } from './source.ts'

/** A time that something may take. */
interface TimeLimit {
  line: number
  name: string
  scope: string
  /** In units that the text does not say; endless for none. */
  value: number
}

const NAME = /time_?out|deadline|max_?wait|wait_?(?:for|limit)_?(?:ms|s|seconds)?$/i
const UNITS = new Map<string, number>(
  Object.entries({
    Nanosecond: 1e-9,
    Microsecond: 1e-6,
    Millisecond: 1e-3,
    milliseconds: 1e-3,
    MILLISECONDS: 1e-3,
    from_millis: 1e-3,
    ofMillis: 1e-3,
    FromMilliseconds: 1e-3,
    Second: 1,
    seconds: 1,
    SECONDS: 1,
    from_secs: 1,
    ofSeconds: 1,
    FromSeconds: 1,
    Minute: 60,
    minutes: 60,
    MINUTES: 60,
    ofMinutes: 60,
    FromMinutes: 60,
    Hour: 3600,
    hours: 3600,
    HOURS: 3600,
  }),
)
const MAX_AHEAD = 12
const ENDLESS = /^(?:None|null|nil|Infinity)$/
/** More limits of one file are data. */
const MAX_LIMITS = 2000
const SEPARATORS = /^(?:[=:(,*.|]|:=|=>|\?|::)$/

/** Names between a limit and its value: `int timeoutMs: number = 5`, `Duration.ofSeconds(5)`. */
function isTypeName(source: Source, at: number): boolean {
  const word = wordAt(source, at)
  return (
    source.tokens.kind(at) === WORD &&
    /^(?:time|Duration|std|TimeSpan|number|int|long|float|Duration|chrono|TimeUnit|tokio)$/.test(word)
  )
}

/** Whether a token may stand between the name of a limit and its value. */
const leadsOn = (source: Source, at: number, next: number): boolean =>
  next === at + 2 || SEPARATORS.test(wordAt(source, next)) || isTypeName(source, next)

/** Where the value behind a name begins; -1 where none does. */
function valueStart(source: Source, at: number): number {
  const { tokens } = source
  for (let next = at + 1; next < tokens.count && next - at <= MAX_AHEAD; next++) {
    const word = wordAt(source, next)
    if (tokens.kind(next) === NUMBER || UNITS.has(word) || ENDLESS.test(word)) return next
    if (!leadsOn(source, at, next)) return -1
  }
  return -1
}

/** The product of the numbers and units behind a name, as far as the value goes on its line. */
function valueBehind(source: Source, at: number): number | null {
  const { tokens } = source
  const start = valueStart(source, at)
  if (start === -1) return null
  if (ENDLESS.test(wordAt(source, start))) return Infinity
  let value = 1
  for (let next = start; next - start <= MAX_AHEAD && (next === start || !tokens.startsLine(next)); next++) {
    const word = wordAt(source, next)
    const isFactor = next === start || /^[*(]$/.test(wordAt(source, next - 1))
    if (tokens.kind(next) === NUMBER) {
      if (!isFactor) break
      value *= Number.parseFloat(word.replaceAll('_', ''))
    } else if (UNITS.has(word)) value *= UNITS.get(word) ?? 1
    else if (tokens.kind(next) !== WORD && !/^[*.,(]$/.test(word)) break
  }
  return value
}

function limitsIn(source: Source): TimeLimit[] {
  const { tokens } = source
  const limits: TimeLimit[] = []
  for (let at = 0; at < tokens.count && limits.length < MAX_LIMITS; at++) {
    const kind = tokens.kind(at)
    const name = wordAt(source, at)
    if ((kind !== WORD && kind !== STRING) || !NAME.test(name.replace(/^["'`]|["'`]$/g, ''))) continue
    const isTimer = /^(?:set|clear)Timeout$/.test(name) && wordAt(source, at - 1) !== '.'
    const value = isTimer ? null : valueBehind(source, at)
    if (value === null || Number.isNaN(value)) continue
    const line = tokens.line(at)
    limits.push({ line, name, scope: scopeAt(source, line), value })
  }
  return limits
}

const shown = (value: number): string => (value === Infinity ? 'no limit' : String(value))

/** Limits of time that a change raises or takes away; one that it adds is none of these. */
export function raisedTimeouts(path: string, before: Source, after: Source): Guard[] {
  const left = limitsIn(before)
  const fresh = limitsIn(after).filter(limit => {
    const at = left.findIndex(old => old.name === limit.name && old.value === limit.value)
    if (at === -1) return true
    left.splice(at, 1)
    return false
  })
  return fresh.flatMap(({ name, line, scope, value }): Guard[] => {
    const same = left.filter(old => old.name === name)
    const old = same.find(one => one.scope === scope) ?? same[0]
    if (old === undefined || old.value >= value) return []
    left.splice(left.indexOf(old), 1)
    const detail = `${name.slice(0, 60)} was ${shown(old.value)} and is ${shown(value)} now.`
    return [{ path, line, kind: 'raised_timeout', detail }]
  })
}
