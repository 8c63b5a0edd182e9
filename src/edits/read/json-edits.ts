import type { Reply, ToldDeletion } from '../edit.ts'
import { changesWithoutText, editsFile, fieldOf, readToolCall, type CallRead } from './tool-call.ts'

const INPUT_KEYS: ReadonlySet<string> = new Set(['arguments', 'input', 'parameters', 'args', 'params', 'function'])
const NAME_KEYS: ReadonlySet<string> = new Set(['name', 'tool', 'tool_name', 'toolName', 'function_name'])
/** Longer texts are read by nobody as JSON. */
const MAX_CHARS = 4_000_000
const MAX_DEPTH = 6
const ORDER: ReadonlyArray<ReturnType<typeof fieldOf>> = ['path', 'command', 'line', 'old', 'new']

type Entry = readonly [name: string, value: string]

/** A call of a tool: its name, and what it is given. */
interface Call {
  verb: string
  entries: Entry[]
}

/** The value of a text in JSON; undefined for any other text. */
function valueOf(text: string): unknown {
  if (text.length > MAX_CHARS || !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isList = (value: unknown): value is Array<Record<string, unknown>> =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord)

const rank = (name: string): number => (ORDER.indexOf(fieldOf(name)) + ORDER.length + 1) % (ORDER.length + 1)

/** The fields of a call in the order in which they are read: those of a list of edits behind the path. */
function entriesOf(record: Record<string, unknown>): Entry[] {
  const names = Object.keys(record).sort((a, b) => rank(a) - rank(b))
  return names.flatMap((name): Entry[] => {
    const value = record[name]
    if (value === null || value === false) return []
    if (isList(value)) return value.flatMap(entriesOf)
    return [[name, typeof value === 'string' ? value : JSON.stringify(value)]]
  })
}

/** The call that an object wraps: `{"name": …, "input": {…}}`; null for any other. */
function wrappedIn(record: Record<string, unknown>): { verb: string; input: unknown } | null {
  const key = Object.keys(record).find(own => INPUT_KEYS.has(own))
  if (key === undefined) return null
  const name = Object.keys(record).find(own => NAME_KEYS.has(own))
  const given = record[key]
  const input = typeof given === 'string' ? valueOf(given) : given
  return { verb: name === undefined ? '' : String(record[name]), input }
}

/** All calls in a value. */
function callsIn(value: unknown, verb = '', depth = 0): Call[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(value)) return value.flatMap(item => callsIn(item, verb, depth + 1))
  if (!isRecord(value)) return []
  const wrapped = wrappedIn(value)
  if (wrapped !== null) return callsIn(wrapped.input, wrapped.verb === '' ? verb : wrapped.verb, depth + 1)
  const entries = entriesOf(value)
  if (editsFile(entries) && Object.keys(value).some(name => fieldOf(name) === 'path')) return [{ verb, entries }]
  const lists = Object.values(value).filter(isList)
  return lists.length > 0 ? lists.flatMap(list => callsIn(list, verb, depth + 1)) : [{ verb, entries }]
}

/**
 * The edits that a text in JSON gives: `{"files": [{"path": …, "content": …}]}`, such a list, one such object, or calls
 * of tools that search and replace, take files away or run commands that change files. Null for any other text.
 *
 * @param line - Where it begins.
 * @param verb - The name of the tool, where it stands outside of the text.
 */
export function readJsonEdits(text: string, line: number, verb = ''): CallRead | null {
  const calls = callsIn(valueOf(text), verb)
  if (!calls.some(({ verb, entries }) => editsFile(entries) || changesWithoutText(verb, entries))) return null
  const read: Reply = { files: [], diffs: [], problems: [] }
  const deletions: ToldDeletion[] = []
  for (const { verb, entries } of calls) {
    const own = readToolCall(verb, entries, line)
    if ('unplaced' in own) return own
    for (const deletion of own.deletions ?? []) deletions.push(deletion)
    if ('aside' in own) continue
    for (const file of own.files) read.files.push(file)
    for (const diff of own.diffs) read.diffs.push(diff)
    for (const problem of own.problems) read.problems.push(problem)
  }
  const isNothing = read.files.length + read.diffs.length + read.problems.length === 0
  return isNothing ? { aside: 'command', deletions } : { ...read, deletions }
}

/** Whether a text that is no JSON looks like a call that edits a file. */
export const looksLikeCall = (text: string): boolean =>
  /"(?:path|file_?path|file_?name|file)"\s*:/i.test(text) &&
  /"(?:old_?(?:str(?:ing)?|text)|new_?(?:str(?:ing)?|text)|contents?|file_?text|search|replace)"\s*:/i.test(text)

/** The line on which the value in JSON ends that begins at this one; -1 where it does not before `to`. */
export function jsonEnd(lines: readonly string[], from: number, to: number): number {
  let depth = 0
  let isText = false
  for (let at = from; at < Math.min(to, lines.length); at++) {
    const line = lines[at] ?? ''
    for (let i = 0; i < line.length; i++) {
      const char = line[i] ?? ''
      if (isText && char === '\\') i++
      else if (char === '"') isText = !isText
      else if (!isText && '{['.includes(char)) depth++
      else if (!isText && '}]'.includes(char)) depth--
      if (depth === 0) return line.slice(i + 1).trim() === '' ? at : -1
    }
  }
  return -1
}
