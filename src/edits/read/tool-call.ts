import { safePath } from '../../core/safe-path.ts'
import {
  badPathProblem,
  replyProblem,
  type AsideReason,
  type FileBlock,
  type FileDiff,
  type Reply,
  type ToldDeletion,
} from '../edit.ts'
import { isPathLike } from './path-like.ts'
import { beginsSearchReplace, readSearchReplace, replacingHunk } from './search-replace.ts'
import { readShellEdits } from './shell-edits.ts'

/** What a field of a call says: spelled in any of many ways. */
type Field = 'path' | 'old' | 'new' | 'content' | 'diff' | 'command' | 'line' | 'remark'

const FIELDS: ReadonlyMap<string, Field> = new Map(
  (
    [
      ['path', 'path file filepath filename targetfile targetpath relativepath relpath name'],
      ['old', 'old oldstr oldstring oldtext oldcode oldcontent oldlines search searchtext find original before'],
      ['new', 'new newstr newstring newtext newcode newcontent newlines replace replacement replacewith updated after'],
      ['content', 'content contents code filetext source text body filecontent'],
      ['diff', 'diff patch'],
      ['command', 'command action operation type op'],
      ['line', 'insertline line linenumber'],
      ['remark', 'language lang description explanation summary reason thought instructions note comment id'],
      ['remark', 'expectedreplacements linecount'],
    ] as const
  ).flatMap(([field, names]) => names.split(' ').map(name => [name, field] as const)),
)
/** Verbs of calls that write all of a file. */
const WRITES =
  /^(?:create|add|new|write|update|overwrite|replace|modify|file|(?:create|write|save|new|update)_?(?:to_)?file|write_to_file)$/i
/** Verbs of calls that replace a part of a file. */
const REPLACES =
  /^(?:str_?replace\w*|(?:multi_?)?edit\w*|file_edit|replace\w*|modif\w*|update\w*|change|search_?(?:and_?)?replace|apply_?(?:edit|diff)|text_?editor\w*|patch)$/i
/** Verbs of calls that change nothing. */
const LOOKS = /^(?:view|read|open|list|ls|search|grep|glob|find|cat|bash|run|exec|think|ask|attempt|view_|get)/i
const INSERTS = /^insert/i
/** Verbs of calls that take a file away, or give it another name. */
const DELETES = /^(?:delete|remove|rm|unlink|trash|rename|move|mv)(?:_?(?:file|path)s?)?$/i
/** Names of tools that run commands. */
const RUNS = /(?:^|[_.])(?:bash|sh|shell|terminal|console|powershell|exec|execute|run)(?:[_.]|$)/i
/** What such a tool calls its commands. */
const COMMAND_FIELDS = /^(?:commands?|cmd|script|input|code|text)$/i

/** The value of a field, with its name as the reply spells it. */
type Entry = readonly [name: string, value: string]

/** What a call asks for: edits, nothing that changes a file, or what is not understood. */
export type CallRead = (Reply | { aside: AsideReason } | { unplaced: true }) & { deletions?: ToldDeletion[] }

/** What a field is by its name; null for one that is not known. */
export const fieldOf = (name: string): Field | null => FIELDS.get(name.toLowerCase().replace(/[_-]/g, '')) ?? null

const linesOfText = (text: string): string[] => {
  const lines = text.split(/\r?\n/)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

/** The words of a command that a call gives as a list; null for any other text. */
function wordsOf(text: string): string[] | null {
  if (!text.startsWith('["')) return null
  try {
    const words: unknown = JSON.parse(text)
    return Array.isArray(words) && words.every(word => typeof word === 'string') ? words : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** The text of a command: `["bash", "-lc", "rm a"]` and `"rm a"` run the same. */
function commandOf(value: string): string {
  const words = wordsOf(value)
  if (words === null) return value
  const [, option = '', script = ''] = words
  return /^-\w*c$/.test(option) ? script : words.join(' ')
}

/** The lines of the commands that a call runs. */
const commandLines = (entries: readonly Entry[]): string[] =>
  entries.filter(([name]) => COMMAND_FIELDS.test(name)).flatMap(([, value]) => linesOfText(commandOf(value)))

/** Whether a tool of this name runs commands. */
export const runsCommands = (verb: string): boolean => RUNS.test(verb)

/** What commands ask for that stand in a call, or between tags. */
export function readCommands(lines: readonly string[], line: number): CallRead {
  const read = readShellEdits(lines, line)
  if (read === null) return { aside: 'command' }
  const { edits, left, deletions } = read
  if (left.length > 0) return { unplaced: true }
  return { ...(edits ?? { aside: 'command' }), deletions }
}

/** Whether a call without a text for a file may change files all the same. */
export const changesWithoutText = (verb: string, entries: readonly Entry[]): boolean =>
  (DELETES.test(verb) && entries.some(([name]) => fieldOf(name) === 'path')) ||
  (RUNS.test(verb) && readShellEdits(commandLines(entries), 0) !== null)

/** The lines of a text that replaces another, or is replaced; none for an empty text. */
const sideOf = (text: string): string[] => (text === '' ? [] : linesOfText(text))

/** The edits of one call, from its fields in their order. */
class CallReader {
  readonly #edits: Reply = { files: [], diffs: [], problems: [] }
  readonly #line: number
  #path: string | null = null
  #verb: string
  #insertAt: number | null = null
  #old: string | null = null
  #isUnclear = false

  constructor(verb: string, line: number) {
    this.#verb = verb
    this.#line = line
  }

  read(entries: readonly Entry[]): CallRead {
    const known = entries.map(([name, value]) => ({ field: fieldOf(name), value }))
    const has = (...fields: Field[]): boolean => known.some(({ field }) => field !== null && fields.includes(field))
    this.#verb = known.find(({ field }) => field === 'command')?.value ?? this.#verb
    if (!has('new', 'content', 'diff') && (LOOKS.test(this.#verb) || !has('old', 'path'))) return { aside: 'command' }
    this.#path = known.find(({ field }) => field === 'path')?.value ?? null
    this.#insertAt = Number(known.find(({ field }) => field === 'line')?.value ?? Number.NaN)
    for (const { field, value } of known) this.#take(field, value)
    const { files, diffs, problems } = this.#edits
    const isNothing = files.length + diffs.length + problems.length === 0
    return this.#isUnclear || this.#old !== null || isNothing ? { unplaced: true } : this.#edits
  }

  #take(field: Field | null, value: string): void {
    if (field === null) this.#isUnclear = true
    else if (field === 'path') this.#path = value
    else if (field === 'old') this.#setOld(value)
    else if (field === 'new') this.#replace(value)
    else if (field === 'content') this.#write(value)
    else if (field === 'diff') this.#readDiff(value)
  }

  #setOld(value: string): void {
    if (this.#old !== null) this.#isUnclear = true
    this.#old = value
  }

  /** The path of the next edit; null for one that no file may be written under, which is a problem then. */
  #safe(text: string): string | null {
    if (this.#path === null) {
      this.#isUnclear = true
      return null
    }
    const path = safePath(this.#path.trim())
    if (path === null) this.#edits.problems.push(badPathProblem(this.#path, text.slice(0, 2000)))
    return path
  }

  #replace(value: string): void {
    const old = this.#old
    this.#old = null
    if (old === null && INSERTS.test(this.#verb)) return this.#insert(value)
    const isVerb = this.#verb === '' || REPLACES.test(this.#verb)
    // A line that ends in the one text and not in the other would be joined with the next one.
    const joins = old !== null && old.endsWith('\n') && value !== '' && !value.endsWith('\n')
    if (old === null || !isVerb || joins) {
      this.#isUnclear = true
      return
    }
    const path = this.#safe(value)
    if (path === null) return
    const text = `<<<<<<< SEARCH\n${old}\n=======\n${value}\n>>>>>>> REPLACE`
    this.#addHunk(path, { old: sideOf(old), fresh: sideOf(value), oldStart: null, text })
  }

  #insert(value: string): void {
    const path = this.#safe(value)
    if (path === null || this.#insertAt === null || !Number.isSafeInteger(this.#insertAt)) {
      this.#isUnclear = true
      return
    }
    this.#addHunk(path, { old: [], fresh: sideOf(value), oldStart: this.#insertAt, text: value })
  }

  #addHunk(
    path: string,
    { text, ...sides }: { old: string[]; fresh: string[]; oldStart: number | null; text: string },
  ): void {
    const last = this.#edits.diffs.at(-1)
    const diff: FileDiff = last?.newPath === path ? last : this.#newDiff(path)
    const hunk = replacingHunk({ ...sides, number: diff.hunks.length + 1, text })
    diff.hunks.push(sides.oldStart === null ? hunk : { ...hunk, oldCount: 0, newCount: sides.fresh.length })
  }

  #newDiff(path: string): FileDiff {
    const diff: FileDiff = {
      header: '',
      oldPath: path,
      newPath: path,
      stripped: false,
      kind: 'change',
      hunks: [],
      line: this.#line,
    }
    this.#edits.diffs.push(diff)
    return diff
  }

  #write(value: string): void {
    if (INSERTS.test(this.#verb)) return this.#insert(value)
    const path = this.#verb === '' || WRITES.test(this.#verb) ? this.#safe(value) : null
    if (path === null) {
      if (this.#edits.problems.length === 0) this.#isUnclear = true
      return
    }
    const file: FileBlock = { path, content: value, named: 'line', line: this.#line }
    this.#edits.files.push(file)
  }

  #readDiff(value: string): void {
    const lines = linesOfText(value)
    const path = this.#safe(value)
    if (path === null) return
    if (!lines.some(beginsSearchReplace)) {
      const detail = 'The diff of this call is not read. Send it as a unified diff in a fence.'
      this.#edits.problems.push(replyProblem('malformed', detail, { path, text: lines.slice(0, 40).join('\n') }))
      return
    }
    const { diffs, problems } = readSearchReplace({ lines, hasCr: () => false, path })
    for (const diff of diffs) this.#edits.diffs.push({ ...diff, line: this.#line })
    for (const problem of problems) this.#edits.problems.push(problem)
  }
}

/** Whether fields name a file, and say what is to be in it: then a tool edits, whatever it is called. */
export function editsFile(entries: readonly Entry[]): boolean {
  const isNamed = entries.some(([name, value]) => {
    return fieldOf(name) === 'path' && (name.toLowerCase() !== 'name' || isPathLike(value, 'strict'))
  })
  return isNamed && entries.some(([name]) => ['new', 'content', 'diff'].includes(fieldOf(name) ?? ''))
}

/**
 * Reads a call of a tool that edits files, as models write it out in place of calling it: `{"path", "old_str",
 * "new_str"}`, a path with a content, several pairs for one path.
 *
 * @param verb - The name of the tool; '' for none.
 * @param line - Where it begins.
 */
export const readToolCall = (verb: string, entries: readonly Entry[], line: number): CallRead =>
  RUNS.test(verb) && !editsFile(entries)
    ? readCommands(commandLines(entries), line)
    : new CallReader(verb, line).read(entries)
