import { safePath } from '../../core/safe-path.ts'
import { stripQuotes } from './plain-name.ts'

/** What commands of a shell do to the files of the project. */
interface ShellRead {
  /** Files that a here-document gives whole. */
  files: Array<{ path: string; content: string; isAppended: boolean }>
  /** The lines of diffs that a here-document gives to `patch` or `git apply`. */
  patches: string[][]
  /** Commands that change files in a way that is not read. */
  left: string[]
  /** Files that are taken away, each with its line. */
  deletions: Array<{ path: string; text: string }>
}

const HERE = /<<(-?)\s*(?:'(\w+)'|"(\w+)"|\\?(\w+))/
const WRITES = /^(?:cat|tee)\b/
const PATCHES = /^(?:patch|git\s+apply)\b/
/** Folders and files that are made anew. */
const MADE =
  /^(?:node_modules|dist|build|target|out|tmp|coverage|\.?venv|\.next|\.?cache|__pycache__|\.\w+_cache)\b|[*?]|\.(?:log|db|sqlite3?|pyc|tmp)$/
const EDITS = [
  /^sed\s+(?:-\w+\s+)*-i/,
  /^sed\s+--in-place/,
  /^perl\s+-\w*i/,
  /^awk\s+-i\s+inplace/,
  /^git\s+mv\b/,
  /^git\s+rm\b(?!.*--cached)/,
  /^(?:Set-Content|Add-Content|Out-File|Rename-Item|Remove-Item|Move-Item)\b/i,
  /\|\s*(?:Set-Content|Add-Content|Out-File)\b/i,
]
/** Programs whose output is text that was written here. */
const ECHOES = /^(?:echo|printf|cat|tee)\b/
const TARGET = />{1,2}\s*("[^"]+"|'[^']+'|[^\s;&|<>]+)/
/** A text in quotes that is no file to write to. */
const QUOTED = /(?<!>\s?)(["'])(?:(?!\1).)*\1/g
/** Lines of programs in here-documents that write files. */
const WRITES_FILES = /\.write(?:_text|_bytes|lines|FileSync)?\(|writeFile|open\([^)]*["'][wa]/

/** Whether a path is one of the project, of which a file may be: not below the root, a home or a variable. */
const isInProject = (path: string): boolean => !/^[/~]|^-|\$|^&|%/.test(path) && safePath(path) !== null

const withoutPrompt = (line: string): string => line.trim().replace(/^(?:\$|%|>|PS [^>]*>)\s+/, '')

/** The files among the words of a command. */
const filesOf = (command: string): string[] =>
  command
    .split(/\s+/)
    .slice(1)
    .filter(word => !word.startsWith('-'))
    .map(word => stripQuotes(word).replace(/\/$/, ''))

/** Whether a command changes files of the project. */
function changesFiles(command: string): boolean {
  if (EDITS.some(pattern => pattern.test(command))) return true
  const files = filesOf(command)
  if (/^mv\b/.test(command)) return files.length > 1 && files.every(isInProject)
  if (/^rm\b/.test(command)) return files.some(path => isInProject(path) && !MADE.test(path))
  const bare = command.replace(QUOTED, '""')
  const target = stripQuotes(TARGET.exec(bare)?.[1] ?? '')
  if (ECHOES.test(command) && target !== '') return isInProject(target)
  return /^tee\s/.test(command) && files.some(isInProject)
}

/** The files that a command takes away one by one; null for any other command. */
function removedBy(command: string): string[] | null {
  const isPlain = /^(?:git\s+)?rm\b(?!.*(?:--cached|\s-\w*[rR]|--recursive|[*?<>|$\\]|["'][^"']*\s))/.test(command)
  if (!isPlain) return null
  const files = filesOf(command.replace(/^git\s+/, ''))
  return files.filter(path => isInProject(path) && !MADE.test(path))
}

const commandsOf = (line: string): string[] =>
  (line.startsWith('#') ? '' : line)
    .split(/&&|\|\||;/)
    .map(command => command.trim().replace(/^(?:(?:then|do|else|sudo)\s+)+/, ''))
    .filter(command => command !== '')

const APPENDS = />>|^tee\s+(?:-a|--append)\b/

/** The file that a command writes a here-document to, or adds it to; null where there is none. */
function targetOf(command: string): string | null {
  const plain = command.replace(HERE, ' ').replace(/>\s*\/dev\/null/, ' ')
  const target = plain.startsWith('tee') ? filesOf(plain)[0] : TARGET.exec(plain)?.[1]
  return target === undefined ? null : stripQuotes(target)
}

/** What may keep a command from running, before it in its line. */
const CONDITION = /\|\||^\s*(?:if|for|while|until|case)\b/

/** Whether a command writes its here-document as it is, whatever holds before it. */
function writesPlainly(command: string, before: string): boolean {
  if (CONDITION.test(before)) return false
  const [first = '', ...pipes] = command.replace(HERE, ' ').split('|')
  if (pipes.some(pipe => !/^\s*(?:sudo\s+)?tee\b/.test(pipe))) return false
  const words = first
    .replace(/\d?>>?\s*(?:"[^"]*"|'[^']*'|\S+)/g, ' ')
    .trim()
    .split(/\s+/)
  return words[0] !== 'cat' || words.slice(1).every(word => word === '-')
}

/** The document that begins behind a line: what it holds, the line that ends it, and whether it is what is written. */
function documentAt(
  lines: readonly string[],
  at: number,
  [mark, dash = '', single, double, bare = '']: RegExpExecArray,
): { body: string[]; end: number; isLiteral: boolean } {
  const word = [single, double, bare].find(own => own !== undefined && own !== '')
  const cut = (text: string): string => (dash === '' ? text : text.replace(/^\t+/, ''))
  let end = at + 1
  while (end < lines.length && cut(lines[end] ?? '').trimEnd() !== word) end++
  const body = lines.slice(at + 1, end).map(cut)
  // Where the word is not quoted, variables and backslashes are replaced.
  const isQuoted = bare === '' || mark.includes('\\')
  return { body, end, isLiteral: isQuoted || !body.some(own => /[$`\\]/.test(own)) }
}

/** Whether a command with its document may change files. */
const mayWrite = (command: string, body: readonly string[]): boolean =>
  WRITES.test(command) || PATCHES.test(command) || body.some(own => WRITES_FILES.test(own))

/** One pass over the lines of a block of commands. */
class ShellReader {
  readonly #lines: readonly string[]
  readonly #read: ShellRead = { files: [], patches: [], left: [], deletions: [] }
  /** A folder was entered: paths are relative to it. */
  #isElsewhere = false

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  read(): ShellRead {
    for (let at = 0; at < this.#lines.length; at++) {
      const line = withoutPrompt(this.#lines[at] ?? '')
      const here = line.startsWith('#') ? null : HERE.exec(line)
      if (here === null) this.#takeCommands(line)
      else at = this.#takeDocument(at, line, here)
    }
    return this.#read
  }

  #takeCommands(line: string): void {
    for (const command of commandsOf(line)) {
      if (/^(?:cd|pushd)\s/.test(command)) this.#isElsewhere = true
      const removed = this.#isElsewhere ? null : removedBy(command)
      if (removed !== null) for (const path of removed) this.#read.deletions.push({ path, text: line })
      else if (changesFiles(command)) this.#read.left.push(line)
    }
  }

  /** Takes a command with the document behind it, and returns the last line of that. */
  #takeDocument(at: number, line: string, here: RegExpExecArray): number {
    const { body, end, isLiteral } = documentAt(this.#lines, at, here)
    const command = commandsOf(line).find(own => HERE.test(own)) ?? ''
    const before = line.slice(0, line.indexOf(command))
    this.#takeCommands(before)
    const isWhole = end < this.#lines.length && isLiteral
    const isSure = isWhole && !this.#isElsewhere && writesPlainly(command, before)
    const path = WRITES.test(command) ? targetOf(command) : null
    if (path !== null && !isInProject(path)) return end
    if (isSure && path !== null) {
      this.#read.files.push({
        path,
        content: body.map(own => `${own}\n`).join(''),
        isAppended: APPENDS.test(command.replace(HERE, ' ')),
      })
    } else if (isSure && PATCHES.test(command)) {
      this.#read.patches.push(body)
    } else if (mayWrite(command, body)) {
      for (const own of this.#lines.slice(at, end + 1)) this.#read.left.push(own)
    }
    return end
  }
}

/** What a block of commands does to the files of the project: here-documents that write them are read. */
export const readShell = (lines: readonly string[]): ShellRead => new ShellReader(lines).read()

/** Whether commands begin with a file in a here-document. */
export const beginsWithDocument = (lines: readonly string[]): boolean => {
  const first = lines
    .map(withoutPrompt)
    .find(line => line !== '' && !line.startsWith('#') && !/^(?:mkdir|set)\b/.test(line))
  return first !== undefined && HERE.test(first) && WRITES.test(first)
}
