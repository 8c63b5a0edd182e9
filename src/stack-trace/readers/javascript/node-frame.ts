import type { RawFrame } from '../../failures.ts'
import { newFrame } from '../../frames.ts'

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|coffee|html?)$/i
const VIRTUAL = /^(?:\[(?:eval|worker eval|stdin)\]|evalmachine\.<anonymous>|REPL\d{1,6}|<anonymous>)/
const SCHEME = /^[a-z][a-z0-9+.-]+:/i
const DIGITS = /^\d{1,9}$/
// Bun gives native code a line and no file.
const UNPLACED = /^(\S{1,200}) \(\d{1,9}:\d{1,9}\)$/
const JOINED = /^\.?([\w$.<>]{1,300})\((native|\(native\):0:0|[^()]{3,2000}:[^()]{1,300})\)$/
const NAMED_COLUMN = /^(\S{1,2000}\.\w{1,8}):(\d{1,9}):[A-Za-z_$<][^:]{0,300}$/
const BARE_NAME = /^[\w$.<>#]+$/

/** A place as V8 prints it; the file is a path or a URL. */
export interface Location {
  file: string
  line: number
  column: number | null
}

function numberAtEnd(text: string): { rest: string; number: number } | null {
  const colon = text.lastIndexOf(':')
  const digits = text.slice(colon + 1)
  return colon === -1 || !DIGITS.test(digits) ? null : { rest: text.slice(0, colon), number: Number(digits) }
}

/** `file:12:5` or `file:12` taken apart from its end, so that colons in the file do not matter; null without a line. */
export function splitLocation(text: string): Location | null {
  const last = numberAtEnd(text)
  if (last === null || last.rest === '') return null
  const first = numberAtEnd(last.rest)
  if (first === null || first.rest === '') return { file: last.rest, line: last.number, column: null }
  return { file: first.rest, line: first.number, column: last.number }
}

/** Whether V8 could have printed this place: other runtimes write `at file:line`, too. */
export function isScriptPlace({ file, column }: Location): boolean {
  const path = file.split(/[?#]/, 1)[0] ?? ''
  if (SCRIPT.test(path) || VIRTUAL.test(path)) return true
  if (column === null) return false
  return SCHEME.test(path) || (/[/\\]/.test(path) && !/\.[^./\\]*$/.test(path))
}

/** `at …` without what `util.inspect` puts behind the last line of a stack. */
function frameText(line: string): string | null {
  const trimmed = line.trim()
  if (!trimmed.startsWith('at ')) return null
  return trimmed.replace(/(?: \{|,|\]? \{|\])$/, '').trimEnd()
}

/** React Native's error reports: no space, and after symbolication a name where the column was. */
function joinedFrame(raw: string, name: string, where: string): RawFrame | null {
  if (where === 'native' || where === '[native code]' || where === '(native):0:0') {
    return newFrame(raw, { function: name })
  }
  const printed = where.replace(/^address at /, '')
  const [, file, line] = NAMED_COLUMN.exec(printed) ?? []
  const place = file === undefined ? splitLocation(printed) : { file, line: Number(line), column: null }
  return place !== null && isScriptPlace(place) ? newFrame(raw, { function: name, ...place }) : null
}

/** Maven and others print frames of Java like V8's, but without a column. */
const isOfJvm = ({ file, column }: Location): boolean =>
  column === null && /\.(?:java|kts?|scala|groovy|cljc?)$/.test(file)

/**
 * The place of evaluated code: its own name where it has one (`//# sourceURL`), else where `eval` was called, since
 * that is a file that exists. V8 nests them: `eval at a (eval at b (file:1:2), <anonymous>:1:1), <anonymous>:9:32`.
 */
function evalPlace(where: string): Location | null {
  const close = where.lastIndexOf('), ')
  const own = close === -1 ? null : splitLocation(where.slice(close + 3))
  if (own !== null && own.file !== '<anonymous>') return own
  const open = where.lastIndexOf(' (')
  if (open === -1) return null
  const [caller = ''] = where.slice(open + 2).split(')', 1)
  return splitLocation(caller)
}

function calledFrame(raw: string, name: string, where: string): RawFrame | null {
  const called = name === '<anonymous>' || name === 'None' ? null : name
  if (where === '<anonymous>' || where === 'native' || where === '[native code]' || /^index \d+$/.test(where)) {
    return newFrame(raw, { function: called })
  }
  const symbolicated = NAMED_COLUMN.exec(where)
  if (symbolicated !== null) {
    return newFrame(raw, { function: called, file: symbolicated[1], line: symbolicated[2] })
  }
  // Hermes, compiled
  if (where.startsWith('address at ')) return calledFrame(raw, name, where.slice('address at '.length))
  if (where.startsWith('wasm://')) return newFrame(raw, { function: called, file: where })
  if (where.startsWith('eval at ')) return newFrame(raw, { function: called, ...evalPlace(where) })
  const place = splitLocation(where)
  return place === null || /^\d*$/.test(place.file) || isOfJvm(place)
    ? null
    : newFrame(raw, { function: called, ...place })
}

/** One `at …` line of V8, or null when it is something else. */
export function nodeFrame(line: string): RawFrame | null {
  const raw = frameText(line)
  if (raw === null) return null
  const body = raw.slice(3).replace(/^async /, '')
  const open = body.endsWith(')') ? body.indexOf(' (') : -1
  if (open > 0) return calledFrame(raw, body.slice(0, open), body.slice(open + 2, -1))
  const joined = JOINED.exec(body)
  if (joined !== null) return joinedFrame(raw, joined[1] ?? '', joined[2] ?? '')
  if (body === '<anonymous>') return newFrame(raw, {})
  const place = splitLocation(body)
  return place !== null && isScriptPlace(place) ? newFrame(raw, place) : null
}

/** A line inside a trace that lost its place (logs are cut): still the name of a function. */
function cutFrame(line: string): RawFrame | null {
  const raw = frameText(line)
  const name = raw?.slice(3).replace(/^(?:async |new )/, '') ?? ''
  const unplaced = raw === null ? null : UNPLACED.exec(name)
  if (raw !== null && unplaced !== null) return newFrame(raw, { function: unplaced[1] })
  return raw !== null && BARE_NAME.test(name) ? newFrame(raw, { function: name }) : null
}

/** The next frame of a stack: below the first row, a row counts without a place, too. */
export function frameInside(line: string, above: readonly RawFrame[]): RawFrame | null {
  const frame = nodeFrame(line)
  return frame === null && above.length > 0 ? cutFrame(line) : frame
}
