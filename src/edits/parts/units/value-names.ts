/** What a line of code that stands in no function defines. */

const WORD = /[A-Za-z_$@][\w$-]*/g
const COMMENT_OR_MARK = /^\s*(?:\/\/|#(?!\s*define\b)|\/?\*|--|@|<!--|["'`)\]}])/
/** Words before a name that say what it is. */
const DECLARES = new RegExp(
  '^\\s*(?:export|default|const|let|var|val|static|final|public|private|protected|internal|readonly|pub|type|declare' +
    '|extern|typedef|#define|define|local|my|our|use constant|lateinit|override)\\b',
)
const NOT_NAMES: ReadonlySet<string> = new Set([
  ...['return', 'if', 'else', 'for', 'while', 'switch', 'case', 'break', 'continue', 'import', 'from', 'package'],
  ...['yield', 'await', 'throw', 'raise', 'try', 'except', 'finally', 'with', 'pass', 'do', 'end', 'elif', 'del'],
  ...['assert', 'global', 'nonlocal', 'print', 'using', 'include', 'require', 'constraint', 'primary', 'foreign'],
  ...['unique', 'check', 'key', 'default', 'public', 'private', 'protected', 'export', 'this', 'self', 'super', 'pub'],
])
const MAX_LINE = 300

/** The part of a line before what gives the name its type or value; null where a call or a function is there. */
function headOf(line: string): { head: string; sign: string } | null {
  const at = line.search(/[=:;({]/)
  if (at < 0) return { head: line, sign: '' }
  const sign = line[at] ?? ''
  return sign === '(' || (sign === '=' && line[at + 1] === '=') ? null : { head: line.slice(0, at), sign }
}

const wordsOf = (text: string): string[] => (text.match(WORD) ?? []).filter(word => !NOT_NAMES.has(word.toLowerCase()))

const mayDefine = (line: string): boolean => line.length <= MAX_LINE && !COMMENT_OR_MARK.test(line)

/** The name that a line outside of all definitions gives to a value; null where it gives none. */
export function valueName(line: string): string | null {
  if (!mayDefine(line)) return null
  const macro = /^#\s*define\s+([A-Za-z_]\w*)/.exec(line)?.[1]
  if (macro !== undefined) return macro
  const found = headOf(line)
  if (found === null) return null
  const { head, sign } = found
  const isOneWord = !/\s/.test(head.trim())
  const isDeclared = DECLARES.test(line) && sign !== '' && sign !== '{'
  const isAssigned = isOneWord && (sign === '=' || (sign === ':' && line.includes('=', head.length)))
  if (!isDeclared && !isAssigned) return null
  return wordsOf(head).at(-1) ?? null
}

const ROW_OF_NAMES = /^\s*[A-Z_][\w$]*(?:,\s*[A-Z_][\w$]*)+[,;]?$/
const MAX_WORDS = 6

/** The names of the members that a line of an enumeration, a struct or a table gives. */
function memberNames(line: string): string[] {
  if (ROW_OF_NAMES.test(line.trimEnd())) return wordsOf(line)
  const words = wordsOf(line.split(/[=[({:;]/, 1)[0] ?? '')
  // `int count;` has its name last, `Count int` has it first
  return words.slice(...(line.trimEnd().endsWith(';') ? [-1] : [0, 1]))
}

/** The names of the fields, members or columns that a line of a type gives. */
export function fieldNames(line: string, isList: boolean): string[] {
  if (!mayDefine(line)) return []
  if (isList) return memberNames(line)
  const found = headOf(line)
  if (found === null || found.sign === '' || found.sign === '{') return []
  return found.head.trim().split(/\s+/).length > MAX_WORDS ? [] : wordsOf(found.head).slice(-1)
}

const CALL = /^\s*(?:await\s+)?([A-Za-z_$][\w$.]*)\s*(?:\(\s*)?(["'`])(.{1,200}?)\2\s*(?:,|\)|do\b|:)/

/** A call whose first argument is a text, as tests and routes are registered: `test("adds")`; null for any other. */
export function callName(line: string): string | null {
  if (line.length > MAX_LINE) return null
  const [, callee = '', , text = ''] = CALL.exec(line.trimStart()) ?? []
  if (callee === '' || NOT_NAMES.has(callee) || callee.startsWith('console.')) return null
  return `${callee}("${text}")`
}

const STATEMENT =
  /^(?:create|alter|drop|grant|revoke|insert into|comment on)\s+(?:or replace\s+|unique\s+)?[^(;=]{1,120}/i

/** A statement of SQL that is no definition with lines of its own: an index, rows; null for any other line. */
export function statementName(line: string): string | null {
  const head = STATEMENT.exec(line.slice(0, MAX_LINE))?.[0].trim()
  return head === undefined ? null : head.replace(/\s+/g, ' ').toLowerCase()
}

/** Lines at the beginning of a file that say what it is: its package, its interpreter, how strict it is. */
const HEAD =
  /^(?:#!|package\s+[\w.]+|namespace\s+[\w.\\]+;|<\?php|['"]use \w+['"]|#!\[|set -[a-z]|declare\(|# -\*-|\/\/ @ts-|# frozen)/

/** A line that says what its file is; null for any other. */
export const headName = (line: string): string | null =>
  line.length <= MAX_LINE && HEAD.test(line) ? line.trim().replace(/^'(.*)'(;?)$/, '"$1"$2') : null
