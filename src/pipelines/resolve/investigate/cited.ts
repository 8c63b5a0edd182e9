/** A file, a line or a name in an answer; `from` and `to` are offsets of its text. */
export interface Cited {
  text: string
  kind: 'file' | 'line' | 'name'
  path: string | null
  line: number | null
  /** The last line of a range; else null. */
  lastLine: number | null
  from: number
  to: number
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** What stands between blanks and signs that end a path. */
const WORD = /[^\s`'"()<>,;|*[\]{}]+/g
const MAX_WORD_CHARS = 300
const PATH = /^[\p{L}\p{M}\p{N}_@+./-]+$/u
const ENDING = /\.([A-Za-z]\w{0,9})$/
/** Endings that make a word without a folder a file. */
const ENDINGS = new Set(
  (
    'py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte java kt kts scala groovy clj go rs rb erb php c h cc cpp ' +
    'cxx hpp hh cs fs vb swift dart lua pl pm ex exs erl hs ml jl sh bash ps1 sql json yml yaml toml ini cfg conf ' +
    'xml gradle html htm css scss md rst txt proto tf'
  ).split(' '),
)
const LINE_AFTER = /^[`'")\]]{0,3}[,:]? {0,2}(?:at |in |on |\()?(?:lines? |L)(\d{1,7})(?:(?:[-–]L?| to )(\d{1,7}))?/i
const LINE_BEFORE = /\blines? (\d{1,7})(?:(?:[-–]| to )(\d{1,7}))? (?:of|in) [`'"]?$/i
/** Where a path ends in a word: at its lines, or at a name within the file (`a.py::test_mean`). */
const PATH_END = /:L?\d|#L\d|::/
/** Lines behind a path: `:12`, `:12-15`, `:L12`, `#L12-L15`; a column (`:12:5`) is none. */
const LINES_WRITTEN = /(\d{1,7})(?:[-–]L?(\d{1,7}))?/
const SPAN = /`([^`\n]{1,200})`/g
const IDENTIFIER = /^[@$]?[A-Za-z_][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*$/
const SHORTEST_NAME = 3
/** Words of languages; they are no names of a project. */
const WORDS_OF_LANGUAGES = new Set(
  (
    'true false null None True False undefined nil self this super void int str string bool boolean float double ' +
    'long char byte object list dict set tuple array map number any never unknown return yield await async import ' +
    'export from class def function func let const var static public private protected final try catch except ' +
    'finally raise throw throws with while for else elif switch case break continue new delete typeof instanceof ' +
    'lambda pass del not and global'
  ).split(' '),
)

/** The fence that is open after a line; null when none is. */
function fenceAfter(open: string | null, line: string): string | null {
  const mark = FENCE.exec(line)?.[1]
  if (mark === undefined) return open
  if (open === null) return mark
  return mark.startsWith(open) ? null : open
}

/**
 * Tells the code in fences from the rest, which is the prose.
 *
 * @returns Both as long as the text, with blanks in place of the other.
 */
export function proseAndCode(text: string): { prose: string; code: string } {
  const prose: string[] = []
  const code: string[] = []
  let open: string | null = null
  for (const line of text.split('\n')) {
    const next = fenceAfter(open, line)
    const isProse = open === null && next === null
    const blanks = ' '.repeat(line.length)
    prose.push(isProse ? line : blanks)
    code.push(isProse ? blanks : line)
    open = next
  }
  return { prose: prose.join('\n'), code: code.join('\n') }
}

/** Whether a word is a path: with a folder any ending does, alone only that of code. */
function isPath(word: string): boolean {
  const ending = ENDING.exec(word)?.[1]
  if (ending === undefined || !PATH.test(word) || word.startsWith('.')) return false
  return word.includes('/') || ENDINGS.has(ending.toLowerCase())
}

interface Lines {
  line: number | null
  lastLine: number | null
}

function linesOf(match: RegExpExecArray | null): Lines {
  const [, line, last] = match ?? []
  return { line: line === undefined ? null : Number(line), lastLine: last === undefined ? null : Number(last) }
}

/** The lines that are named beside a path in words. */
const wordedLines = (prose: string, from: number, to: number): Lines =>
  linesOf(LINE_AFTER.exec(prose.slice(to, to + 40)) ?? LINE_BEFORE.exec(prose.slice(Math.max(0, from - 40), from)))

/** Whether a word is what a path in brackets or parentheses ends with (`app/[id]/page.tsx`), which is no path alone. */
const isCutOff = (prose: string, word: string, from: number): boolean =>
  word.startsWith('/') && /[\])}]/.test(prose[from - 1] ?? '')

function pathsIn(prose: string): Cited[] {
  return Array.from(prose.matchAll(WORD)).flatMap(({ 0: whole, index }) => {
    const word = whole.slice(0, MAX_WORD_CHARS).replace(/[.:!?]{1,3}$/, '')
    if (word.includes('://') || isCutOff(prose, word, index)) return []
    const mark = word.search(PATH_END)
    const written = mark === -1 ? word : word.slice(0, mark)
    const path = written.replaceAll('\\', '/').replace(/^\.?\//, '')
    if (!isPath(path)) return []
    const to = index + word.length
    const isNumbered = mark !== -1 && !word.startsWith('::', mark)
    const lines = isNumbered ? linesOf(LINES_WRITTEN.exec(word.slice(mark))) : wordedLines(prose, index, to)
    const kind = lines.line === null ? ('file' as const) : ('line' as const)
    return [{ text: word, kind, path, ...lines, from: index, to }]
  })
}

/** What a span names, without the arguments of a call. */
function nameIn(span: string): string | null {
  const call = span.indexOf('(')
  const name = (call === -1 || !span.endsWith(')') ? span : span.slice(0, call)).replace(/[!?]$/, '')
  return IDENTIFIER.test(name) ? name : null
}

/** The last part of a name: `summary` of `Cart.summary`. */
export const lastPart = (name: string): string => name.split(/\.|::|->|#/).at(-1) ?? name

function namesIn(prose: string, paths: readonly Cited[]): Cited[] {
  return Array.from(prose.matchAll(SPAN)).flatMap(({ 0: whole, 1: span = '', index }) => {
    const to = index + whole.length
    const name = nameIn(span)
    if (name === null || paths.some(path => path.from < to && path.to > index)) return []
    const last = lastPart(name)
    if (last.length < SHORTEST_NAME || WORDS_OF_LANGUAGES.has(last)) return []
    return [{ text: name, kind: 'name' as const, path: null, line: null, lastLine: null, from: index, to }]
  })
}

/** The files and lines that prose names, and the names in its code spans, in order. */
export function citedIn(prose: string): Cited[] {
  const paths = pathsIn(prose)
  return [...paths, ...namesIn(prose, paths)].sort((a, b) => a.from - b.from)
}
