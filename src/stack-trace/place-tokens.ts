import type { CleanText } from './layout/clean.ts'
import { languageOfFile } from './source-endings.ts'
import type { Failure, RawFrame } from './failures.ts'
import { newFrame } from './frames.ts'
import { lineAt } from './lines.ts'
import { joinMessage } from './messages.ts'

const TOKEN =
  /(?<![\w./\\@+~$-])((?:[A-Za-z]:[\\/])?[\w./\\@+~$-]{1,400}\.[A-Za-z]\w{0,7}(?:\+\+)?)(?::|\((?=\d)|, line | line |#L)(\d{1,7})(?:[:,](\d{1,6}))?/g
const MARK = /\.[A-Za-z][\w+]{0,7}(?:[:(]\d|,? line \d|#L\d)/
const OUTERMOST_FIRST = /most recent call last/i
const FAILING =
  /(?:error|exception|failure|fault|panic)\b|\b(?:fail(?:s|ed|ing)?|panicked|assert\w{0,8}|fatal|crash(?:e[sd])?|abort(?:s|ed)?|traceback|uncaught|unhandled|stack trace|most recent call)\b/i
const NOTHING_FAILED = /\b(?:no|0|without(?: an?y?)?) (?:error|exception|failure|fail)/i
// Levels below an error, as loggers print them in front of a message.
const MILD = /\b(?:TRACE|DEBUG|DBG|INFO|INF|NOTICE|WARN|WARNING|WRN)\b|\blevel"?[=:]"?(?:trace|debug|info|notice|warn)/
const FEW_LINES = 50 // what a person pastes, and not a log
const MAX_LINES_BELOW = 30 // of rows below what failed
const MAX_PLACES = 50

const isFailing = (line: string): boolean => FAILING.test(line) && !NOTHING_FAILED.test(line)

/** Whether a place is the whole of a line, but for a word or two, or stands in brackets at its end. */
function isRow(line: string, start: number, end: number): boolean {
  if (!/^[)\]]?[.,:;]?\s*$/.test(line.slice(end, end + 100))) return false
  return (
    line[start - 1] === '(' ||
    /^\s*(?:(?:at|in|from|by|called)\s+)?(?:\S{1,100}\s+(?:at|in|@|-)\s+)?$/.test(line.slice(0, start))
  )
}

/** @param isAny - Whether a place may stand anywhere in the line. */
function placesIn(line: string, isAny: boolean): RawFrame[] {
  if (!isAny && MILD.test(line)) return []
  return [...line.matchAll(TOKEN)].flatMap(match => {
    const [raw, file = '', number, column] = match
    if (languageOfFile(file) === null || !(isAny || isRow(line, match.index, match.index + raw.length))) return []
    return [
      newFrame(raw, {
        file: file.replace(/^\/{2,}/, '/'),
        line: number,
        column,
      }),
    ]
  })
}

function addPlace(places: Map<string, RawFrame>, frame: RawFrame): void {
  const key = JSON.stringify([frame.file, frame.line, frame.column])
  const same = places.get(key)
  if (same !== undefined) same.repeat++
  else if (places.size < MAX_PLACES) places.set(key, frame)
}

function knownFailure(known: Map<string, Failure>, failure: Failure): Failure {
  const key = JSON.stringify(failure.exceptions[0]?.frames.map(({ file, line, column }) => [file, line, column]))
  const same = known.get(key)
  if (same === undefined) known.set(key, failure)
  return same ?? failure
}

function failureOf({
  lines,
  frames,
  first,
  next,
}: {
  lines: string[]
  frames: RawFrame[]
  first: number
  next: number
}): Failure {
  const above = lineAt(lines, first - 1)
  const isStack = next - first > 1
  const message = joinMessage([isStack && above.trim() !== '' ? above.trim() : lineAt(lines, first).trim()])
  const ordered = OUTERMOST_FIRST.test(above) ? frames : frames.toReversed()
  return {
    exceptions: [{ type: null, message, relation: 'root', frames: ordered }],
    next,
    language: languageOfFile(frames[0]?.file ?? ''),
  }
}

/**
 * The last resort, for a text in which no reader found a frame: words such as `src/cart.ts:12:5` where the name is that
 * of a source file. Lines in a row that hold one are one failure, its innermost frame first as most runtimes print.
 *
 * A long text is a log, where loggers print the places of their calls: there a word counts only in a line that says
 * that something failed, in rows below one, or where it is all of a row. Failures at the same places are the same
 * object.
 */
export function* placeTokens({ lines }: CleanText): Generator<Failure> {
  const isLog = lines.length > FEW_LINES && lines.filter(line => line.trim() !== '').length > FEW_LINES
  const known = new Map<string, Failure>()
  let places = new Map<string, RawFrame>()
  let first = 0
  let failedAt = -MAX_LINES_BELOW
  for (let at = 0; at <= lines.length; at++) {
    const line = lineAt(lines, at)
    if (isLog && isFailing(line)) failedAt = at
    const isBelow = at - failedAt < MAX_LINES_BELOW && (at === failedAt || /^\s/.test(line))
    const found = MARK.test(line) ? placesIn(line, !isLog || isBelow) : []
    if (found.length === 0 || (isLog && at === failedAt)) {
      if (places.size > 0) {
        yield knownFailure(known, failureOf({ lines, frames: [...places.values()], first, next: at }))
      }
      places = new Map()
    }
    if (places.size === 0) first = at
    for (const frame of found) addPlace(places, frame)
  }
}
