import { isObject } from '../../core/is-object.ts'
import { startsRow } from '../trace-rows.ts'
import type { RawException, RawFrame } from '../failures.ts'
import { newFrame } from '../frames.ts'

/** What an event of a structured log says: lines to read, or exceptions with frames that need no reading. */
export interface JsonEvent {
  lines: string[]
  exceptions: RawException[]
  language: string | null
  /** The line is a piece of a text that goes on in the next event (`{"log": "  File …\n"}`). */
  isPiece: boolean
}

type JsonObject = Record<string, unknown>

const MAX_DEPTH = 12
const MAX_NESTING = 1000
const MAX_STRINGS = 500
const QUOTE = 34
const BACKSLASH = 92
const LINE_BREAK = 10
const MAX_COMPARED = 10
const MAX_STRING_DEPTH = 3 // JSON as a string in JSON
const MESSAGE_KEYS = new Set([
  'message',
  'msg',
  '@message',
  'text',
  'textPayload',
  'formatted',
  'error',
  'err',
  'event',
  'reason',
  'title',
])
const PIECE_KEYS = ['log', 'line', 'MESSAGE']
const TEST_ACTIONS = new Set([
  'start',
  'run',
  'pause',
  'cont',
  'pass',
  'bench',
  'fail',
  'output',
  'skip',
  'build-output',
  'build-fail',
  'attr',
])

const LANGUAGES = new Map([
  ['python', 'python'],
  ['javascript', 'javascript'],
  ['node', 'javascript'],
  ['java', 'java'],
  ['android', 'java'],
  ['csharp', 'csharp'],
  ['php', 'php'],
  ['ruby', 'ruby'],
  ['go', 'go'],
  ['rust', 'rust'],
  ['elixir', 'elixir'],
  ['perl', 'perl'],
  ['cocoa', 'swift'],
  ['native', 'cpp'],
  ['c', 'c'],
  ['dart', 'dart'],
  ['kotlin', 'kotlin'],
])

/** Position of the quote that closes the string that opens at `open`; -1 when none does. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
    else if (code === LINE_BREAK) return -1
  }
  return -1
}

/**
 * Whether all brackets and quotes are closed, and not too many of them are open at once: JSON.parse keeps a record for
 * each open bracket, so that a text of nothing else would take many times its size, and to throw takes it longer than
 * to read.
 */
function mayBeJson(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at === -1) return false
    } else if (code === 123 || code === 91) {
      if (++depth > MAX_NESTING) return false
    } else if ((code === 125 || code === 93) && --depth < 0) return false
  }
  return depth === 0
}

function parsed(text: string): unknown {
  if (!mayBeJson(text)) return null
  try {
    return JSON.parse(text)
  } catch {
    return null // not JSON after all: an expected answer
  }
}

function languageOf(value: unknown): string | null {
  const event = Array.isArray(value) ? value[0] : value
  if (!isObject(event) || typeof event.platform !== 'string') return null
  return LANGUAGES.get(event.platform) ?? null
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null)
function numberOf(value: unknown): number | null {
  if (typeof value === 'string') return /^\d{1,9}$/.test(value) ? Number(value) : null
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** The value of the first key that gives one: trackers and loggers name the same thing differently. */
function firstOf<T>(object: JsonObject, keys: readonly string[], read: (value: unknown) => T | null): T | null {
  for (const key of keys) {
    const value = read(object[key])
    if (value !== null) return value
  }
  return null
}

const FILE_KEYS = ['abs_path', 'filename', 'file', 'fileName', 'path']
const LINE_KEYS = ['lineno', 'line', 'lineNumber', 'line_number']
const COLUMN_KEYS = ['colno', 'column', 'columnNumber']
const FUNCTION_KEYS = ['function', 'method', 'methodName', 'functionName']
const OWNER_KEYS = ['module', 'className']
const TYPE_KEYS = ['type', 'errorClass', 'class', 'exceptionClass']
const SAID_KEYS = ['value', 'message', 'description']
const JVM_FILE = /\.(?:java|kt|scala)$/

/** A method of the JVM with its class, which stands in a field of its own. */
function withOwner(name: string | null, owner: string | null, file: string | null): string | null {
  if (name === null || owner === null || name.includes('.')) return name
  const isOfJvm = file !== null && JVM_FILE.test(file)
  return isOfJvm ? `${owner}.${name}` : name
}

function frameOf(value: unknown): RawFrame | null {
  if (!isObject(value)) return null
  const file = firstOf(value, FILE_KEYS, textOf)
  const line = firstOf(value, LINE_KEYS, numberOf)
  const column = firstOf(value, COLUMN_KEYS, numberOf)
  const name = firstOf(value, FUNCTION_KEYS, textOf)
  if (file === null && name === null) return null
  const dotted = withOwner(name, firstOf(value, OWNER_KEYS, textOf), file)
  const sourceText = textOf(value.context_line)?.trim() ?? null
  return newFrame(
    `${dotted ?? '?'} (${[file ?? '?', line, column].filter(part => part !== null).join(':')})`.slice(0, 4096),
    { file: file?.slice(0, 4096), line, column, function: dotted?.slice(0, 4096), sourceText },
  )
}

function framesIn(value: unknown): RawFrame[] {
  if (!Array.isArray(value)) return []
  return value.map(frameOf).filter(frame => frame !== null)
}

/** Frames of an exception object, and whether the failing line comes first. */
function framesOf(object: JsonObject): [frames: RawFrame[], reversed: boolean] {
  const holder = [object.stacktrace, object.raw_stacktrace, object.trace].find(
    value => isObject(value) && Array.isArray(value.frames),
  )
  if (isObject(holder)) return [framesIn(holder.frames), false]
  for (const key of ['stacktrace', 'stackTrace', 'stack_trace', 'stack', 'backtrace', 'parsedStack']) {
    const frames = framesIn(object[key])
    if (frames.length > 0) return [frames, true]
  }
  return [Array.isArray(object.frames) && textOf(object.type) !== null ? framesIn(object.frames) : [], false]
}

/** Calls back for each object, in the order of the text; one that answers true is not entered. */
function walk(value: unknown, visit: (object: JsonObject) => boolean, depth = 0): void {
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) for (const item of value) walk(item, visit, depth + 1)
  else if (isObject(value) && !visit(value)) for (const item of Object.values(value)) walk(item, visit, depth + 1)
}

/** Exceptions whose frames are objects, wherever in the event they stand. The last one is the one that was reported. */
function exceptionsOf(value: unknown): RawException[] {
  const found: Array<RawException & { parent: number | null; id: number | null; isGroup: boolean }> = []
  walk(value, object => {
    const [frames, reversed] = framesOf(object)
    if (frames.length === 0) return false
    const mechanism = isObject(object.mechanism) ? object.mechanism : {}
    found.push({
      type: firstOf(object, TYPE_KEYS, textOf),
      message: firstOf(object, SAID_KEYS, textOf),
      relation: 'cause',
      frames: reversed ? frames.reverse() : frames,
      parent: numberOf(mechanism.parent_id),
      id: numberOf(mechanism.exception_id),
      isGroup: mechanism.is_exception_group === true,
    })
    return true
  })
  const groups = new Set(found.filter(({ isGroup }) => isGroup).map(({ id }) => id))
  return found.map(({ type, message, frames, parent }, index) => {
    if (index === found.length - 1) return { type, message, frames, relation: 'root' }
    const isGrouped = parent !== null && groups.has(parent)
    return { type, message, frames, relation: isGrouped ? 'grouped' : 'cause' }
  })
}

/** Messages and texts of several lines, as lines, one after another; a text that a longer one repeats stands once. */
function textsOf(value: unknown, depth = MAX_STRING_DEPTH): string[] {
  const texts: string[] = []
  const collect = (text: string, key: string): void => {
    if (
      texts.length < MAX_STRINGS &&
      text.trim() !== '' &&
      (text.includes('\n') || MESSAGE_KEYS.has(key) || startsRow(text))
    ) {
      texts.push(text.trimEnd())
    }
  }
  const collectString = (item: string, key: string, type: string | null): void => {
    const inner = depth > 0 && /^\s*[[{"]/.test(item) ? parsed(item) : null
    if (inner !== null && typeof inner === 'object') {
      texts.push(textsOf(inner, depth - 1).join('\n'))
      return
    }
    const isTyped = type !== null && key === 'message' && !item.includes('\n')
    collect(isTyped ? `${type}: ${item}` : item, key)
  }
  const visit = (object: JsonObject): boolean => {
    const type = firstOf(object, ['type', 'name', 'class'], textOf)
    for (const [key, item] of Object.entries(object)) {
      if (typeof item === 'string') collectString(item, key, type)
      else if (Array.isArray(item) && item.length > 0 && item.every(entry => typeof entry === 'string')) {
        collect(item.join('\n'), key)
      }
    }
    return false
  }
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) collect(value.join('\n'), '')
  else walk(value, visit)
  const longest = texts.filter(text => text.includes('\n')).slice(0, MAX_COMPARED)
  const said = texts.filter(
    text => text.includes('\n') || !longest.some(other => other.slice(0, 2000).includes(text.slice(0, 1000))),
  )
  return [...new Set(said)].flatMap((text, index) => [...(index === 0 ? [] : ['']), ...text.split('\n')])
}

/** Reads a text that is one JSON value with traces in it; null when it is none or says nothing. Linear. */
export function jsonEvent(text: string): JsonEvent | null {
  const value = parsed(text)
  if (typeof value === 'string') {
    return jsonEvent(value) ?? { lines: value.split('\n'), exceptions: [], language: null, isPiece: false }
  }
  if (!isObject(value) && !Array.isArray(value)) return null
  const event: JsonEvent = { lines: [], exceptions: exceptionsOf(value), language: languageOf(value), isPiece: false }
  if (event.exceptions.length > 0) return event
  if (isObject(value)) {
    const isOfGoTest =
      typeof value.Action === 'string' &&
      TEST_ACTIONS.has(value.Action) &&
      (typeof value.Package === 'string' || typeof value.ImportPath === 'string')
    if (isOfGoTest && typeof value.Output !== 'string') return { ...event, isPiece: true }
    const piece = [...PIECE_KEYS, ...(isOfGoTest ? ['Output'] : [])]
      .map(key => value[key])
      .find(text => typeof text === 'string')
    if (typeof piece === 'string') return { ...event, lines: piece.replace(/\r?\n$/, '').split('\n'), isPiece: true }
  }
  event.lines = textsOf(value)
  return event.lines.length === 0 ? null : event
}
