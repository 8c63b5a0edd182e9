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
const SEPARATORS = /^(?:[=:(,*.|]|:=|=>|\?|::)$/

/** The product of the numbers behind a name, as far as the value goes. */
function valueBehind(source: Source, at: number): number | null {
  const { tokens } = source
  let value: number | null = null
  for (let next = at + 1; next < tokens.count && next - at <= MAX_AHEAD; next++) {
    const word = wordAt(source, next)
    const kind = tokens.kind(next)
    if (kind === NUMBER) {
      if (value !== null && wordAt(source, next - 1) !== '*') break
      value = (value ?? 1) * Number.parseFloat(word.replaceAll('_', ''))
    } else if (UNITS.has(word)) value = (value ?? 1) * (UNITS.get(word) ?? 1)
    else if (/^(?:None|null|nil|Infinity)$/.test(word) && value === null) return Infinity
    else if (value !== null && !/^[*.,]$/.test(word) && kind !== WORD) break
    else if (value === null && !SEPARATORS.test(word) && !isTypeName(source, next) && next !== at + 2) break
    if (value !== null && tokens.line(next + 1) !== tokens.line(next)) break
  }
  return value
}

/** Names between a limit and its value: `int timeoutMs: number = 5`, `Duration.ofSeconds(5)`. */
function isTypeName(source: Source, at: number): boolean {
  const word = wordAt(source, at)
  return (
    source.tokens.kind(at) === WORD &&
    /^(?:time|Duration|std|TimeSpan|number|int|long|float|Duration|chrono|TimeUnit|tokio)$/.test(word)
  )
}

function limitsIn(source: Source): TimeLimit[] {
  const { tokens } = source
  const limits: TimeLimit[] = []
  for (let at = 0; at < tokens.count; at++) {
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
