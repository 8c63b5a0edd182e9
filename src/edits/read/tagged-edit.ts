import type { ClosingTags } from './closing-tags.ts'
import { readFence } from './fence-lines.ts'
import { looksLikeCall, readJsonEdits } from './json-edits.ts'
import { fieldOf, readCommands, readToolCall, runsCommands, type CallRead } from './tool-call.ts'

/** An edit between tags, from its first line to its last one. */
interface TaggedEdit {
  from: number
  to: number
  read: CallRead
}

/** Tags that have an edit between them, or the call of a tool. */
const EDIT = new RegExp(
  '^(?:' +
    [
      'replace_in_file|edit(?:_file)?|file_edit|str_replace\\w*|search_replace|search_and_replace',
      'apply_(?:diff|edit)|modify_file|update_file|write_to_file|create_file|insert(?:_content)?|modification|change',
      '(?:antml:)?invoke|tool_call|function_call|tool_use|antArtifact|boltAction',
      'delete_file|remove_file|rename_file|move_file',
      '(?:execute|run|shell)_(?:bash|command|terminal_cmd|terminal_command|shell)|bash|shell',
    ].join('|') +
    ')$',
  'i',
)
const OPENING = /^<([A-Za-z][\w:-]{0,40})((?:\s[^<>]{0,600})?)>(.*)$/
const CLOSING = /^<\/[A-Za-z][\w:-]{0,40}>$/
const ATTRIBUTE = /\s([\w:-]{1,40})\s*=\s*(?:"([^"<>]{0,400})"|'([^'<>]{0,400})')/g
/** Tags of one field whose name is an attribute. */
const PARAMETER = /^(?:antml:)?(?:parameter|param|arg|argument|field)$/i

/** A tag of its own around a command, at an end of a line. */
const COMMAND_TAG = /^<(?:command|cmd|script)>|<\/(?:command|cmd|script)>$/gi
/** A field beside the command: `<requires_approval>false</requires_approval>`. */
const OTHER_FIELD = /^<(?!command|cmd|script)(\w{1,40})>[^<>]{0,400}<\/\1>$/i

/** A call in JSON is not looked for over more lines. */
const MAX_JSON_LINES = 400

type Entry = readonly [name: string, value: string]

const trimmedAt = (lines: readonly string[], at: number): string => (lines[at] ?? '').trim()

const attributesOf = (text: string): Entry[] =>
  Array.from(text.matchAll(ATTRIBUTE), ([, name = '', double, single]) => [name, double ?? single ?? ''] as const)

/** The text of a field, from the rest of its first line to its closing tag, and that line; null where it has none. */
function textTo(
  lines: readonly string[],
  { at, to, tag, rest }: { at: number; to: number; tag: string; rest: string },
): { text: string; end: number } | null {
  const close = `</${tag}>`
  if (rest.endsWith(close)) return { text: rest.slice(0, -close.length), end: at }
  const own = rest === '' ? [] : [rest]
  for (let line = at + 1; line < to; line++) {
    const text = lines[line] ?? ''
    if (!text.trimEnd().endsWith(close)) {
      own.push(text)
      continue
    }
    const last = text.trimEnd().slice(0, -close.length)
    if (last.trim() !== '') own.push(last)
    return { text: own.join('\n'), end: line }
  }
  return null
}

/** A text without the fence that all of it stands in. */
function withoutFence(text: string): string {
  const lines = text.split('\n')
  const [first = '', last = ''] = [lines[0], lines.at(-1)]
  const isFenced = lines.length > 1 && readFence(first) !== null && readFence(last)?.info === ''
  return isFenced ? lines.slice(1, -1).join('\n') : text
}

const valueOf = (entries: readonly Entry[], name: string): string | undefined =>
  entries.find(([key]) => key === name)?.[1]

/** The name of a field: its tag, or an attribute of a parameter. */
function nameOfField(tag: string, given: readonly Entry[]): string {
  const name = PARAMETER.test(tag) ? valueOf(given, 'name') : undefined
  return name ?? tag
}

/** The fields between two tags, whatever stands around them; null where other text does, or one does not end. */
function fieldsIn(lines: readonly string[], from: number, to: number): Entry[] | null {
  const entries: Entry[] = []
  for (let at = from; at < to; at++) {
    const line = trimmedAt(lines, at)
    if (line === '' || CLOSING.test(line)) continue
    const [, tag = '', attributes = '', rest = ''] = OPENING.exec(line) ?? []
    if (tag === '') return null
    const given = attributesOf(attributes)
    const name = nameOfField(tag, given)
    if (rest === '' && fieldOf(name) === null && /^<[A-Za-z]/.test(trimmedAt(lines, at + 1))) {
      entries.push(...given.filter(([key]) => fieldOf(key) === 'path' && key !== 'name'))
      continue
    }
    const field = textTo(lines, { at, to, tag, rest })
    if (field === null) return null
    const text = withoutFence(field.text)
    entries.push([name, fieldOf(name) === 'content' && text !== '' ? `${text}\n` : text])
    at = field.end
  }
  return entries
}

/** What the fields between two tags ask for. */
function readFields(tag: string, given: readonly Entry[], { fields, at }: { fields: Entry[]; at: number }): CallRead {
  const isCall = /invoke|tool|function/i.test(tag)
  const verb = isCall ? valueOf(given, 'name') : tag
  const own = given.filter(([key]) => fieldOf(key) === 'path' && !(isCall && key === 'name'))
  const read = readToolCall(verb ?? '', [...own, ...fields], at)
  return 'aside' in read && !isCall && !runsCommands(tag) ? { unplaced: true } : read
}

/** Reads the call of a tool between tags that is given in JSON; null for any other. */
function readJsonBetween(
  lines: readonly string[],
  at: number,
  { tag, given, rest }: { tag: string; given: readonly Entry[]; rest: string },
): TaggedEdit | null {
  const first = rest === '' ? trimmedAt(lines, at + 1) : rest.trim()
  if (!/^[[{]/.test(first) || !/invoke|tool|function/i.test(tag)) return null
  const found = textTo(lines, { at, to: Math.min(lines.length, at + MAX_JSON_LINES), tag, rest })
  if (found === null) return null
  const verb = valueOf(given, 'name') ?? ''
  const read = readJsonEdits(found.text.trim(), at, verb)
  const other: CallRead = looksLikeCall(found.text) ? { unplaced: true } : { aside: 'command' }
  return { from: at, to: found.end, read: read ?? other }
}

/** Reads commands between tags, as they are or within `<command>`; null for anything else. */
function readCommandsBetween(
  lines: readonly string[],
  at: number,
  {
    tag,
    given,
    rest,
    closingTags,
  }: { tag: string; given: readonly Entry[]; rest: string; closingTags: Pick<ClosingTags, 'after'> },
): TaggedEdit | null {
  if (!runsCommands(tag) && valueOf(given, 'type') !== 'shell') return null
  const last = rest.endsWith(`</${tag}>`) ? at : closingTags.after(at, tag)
  const found = last < 0 ? null : textTo(lines, { at, to: last + 1, tag, rest })
  if (found === null) return null
  const commands = withoutFence(found.text.trim())
    .split('\n')
    .filter(line => !OTHER_FIELD.test(line.trim()))
    .map(line => line.replace(COMMAND_TAG, ''))
  return { from: at, to: found.end, read: readCommands(commands, at) }
}

/**
 * Reads an edit between tags: Cline's `<replace_in_file>`, `<edit>` with `<path>`, `<old>` and `<new>`, `<invoke>` with
 * parameters. Null where none begins.
 */
export function readTaggedEdit(
  lines: readonly string[],
  at: number,
  closingTags: Pick<ClosingTags, 'after'>,
): TaggedEdit | null {
  if (!(lines[at] ?? '').trimStart().startsWith('<')) return null // nearly every line of prose
  const [, tag = '', attributes = '', rest = ''] = OPENING.exec(trimmedAt(lines, at)) ?? []
  if (!EDIT.test(tag)) return null
  const json = readJsonBetween(lines, at, { tag, given: attributesOf(attributes), rest })
  if (json !== null) return json
  const given = attributesOf(attributes)
  const commands = readCommandsBetween(lines, at, { tag, given, rest, closingTags })
  if (commands !== null) return commands
  const to = rest === '' ? closingTags.after(at, tag) : -1
  if (to < 0) return null
  const fields = fieldsIn(lines, at + 1, to)
  return { from: at, to, read: fields === null ? { unplaced: true } : readFields(tag, given, { fields, at }) }
}
