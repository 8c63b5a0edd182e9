/** A name of a diff's header: the path as it is spelled, or null for `/dev/null`. */
export type DiffName = string | null

/** The bytes of C escapes, by the character after the backslash. */
const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }
/** Words that stand in place of a name. */
const NO_NAMES: ReadonlySet<string> = new Set([
  'a',
  'b',
  'old',
  'new',
  'original',
  'modified',
  'updated',
  'before',
  'after',
  'fixed',
  'current',
  'proposed',
  'changed',
  'old_file',
  'new_file',
  'original_file',
  'modified_file',
  'file',
  'path/to/file',
  '...',
])

/** The name, null for `/dev/null`, undefined for a word that names no file. */
function known(name: string): DiffName | undefined {
  if (/^(?:[ab]\/)?\/?dev\/null$/i.test(name) || name.toUpperCase() === 'NUL') return null
  return name === '' || NO_NAMES.has(name.toLowerCase()) ? undefined : name
}

/** The byte that an escape at this place stands for, and the length of the escape; null where there is none. */
function escapeAt(quoted: string, at: number): { byte: number; length: number } | null {
  if (quoted[at] !== '\\') return null
  const octal = /^[0-3][0-7]{2}/.exec(quoted.slice(at + 1, at + 4))?.[0]
  if (octal !== undefined) return { byte: Number.parseInt(octal, 8), length: 4 }
  const byte = ESCAPES[quoted[at + 1] ?? '']
  return byte === undefined ? null : { byte, length: 2 }
}

/** A name that git has quoted, with C escapes and bytes in octal, as it is. */
function unquote(quoted: string): string {
  const bytes: number[] = []
  for (let i = 0; i < quoted.length;) {
    const escape = escapeAt(quoted, i)
    if (escape !== null) {
      bytes.push(escape.byte)
      i += escape.length
      continue
    }
    const char = String.fromCodePoint(quoted.codePointAt(i) ?? 0)
    bytes.push(...Buffer.from(char))
    i += char.length
  }
  return Buffer.from(bytes).toString('utf8')
}

const QUOTED_OR_WORD = /"((?:[^"\\]|\\.)*)"|(\S+)/g

/**
 * The name after `--- ` or `+++ `, without date, remark and quotes.
 *
 * @returns undefined when what stands there names no file (`--- original`).
 */
export function readDiffName(rest: string): DiffName | undefined {
  let name = (rest.split('\t')[0] ?? '').trim()
  if (name.startsWith('"') && name.lastIndexOf('"') > 0) return known(unquote(name.slice(1, name.lastIndexOf('"'))))
  const date = / \d{4}-\d\d-\d\d(?: |$)/.exec(name)
  if (date !== null) name = name.slice(0, date.index)
  const remark = name.lastIndexOf(' (')
  if (remark > 0 && name.endsWith(')')) name = name.slice(0, remark)
  name = name.trim()
  for (const quote of ['`', "'", '**']) {
    if (name.length > 2 * quote.length && name.startsWith(quote) && name.endsWith(quote)) {
      name = name.slice(quote.length, -quote.length)
    }
  }
  return known(name)
}

/** The two names of a `diff --git` line; null when they cannot be told apart. */
export function readGitNames(line: string): { old: string; new: string } | null {
  const rest = line.slice('diff --git '.length).trim()
  if (rest.startsWith('"') || rest.endsWith('"')) {
    const names = Array.from(rest.matchAll(QUOTED_OR_WORD), ([, quoted, word = '']) =>
      quoted === undefined ? word : unquote(quoted),
    )
    const [first, second] = names
    return names.length === 2 && first !== undefined && second !== undefined ? { old: first, new: second } : null
  }
  const words = rest.split(' ')
  if (words.length === 2) return { old: words[0] ?? '', new: words[1] ?? '' }
  // Names with blanks: the same name twice, behind its two prefixes.
  const half = (rest.length - 1) / 2
  const old = rest.slice(0, half)
  const renamed = rest.slice(half + 1)
  return Number.isInteger(half) && rest[half] === ' ' && old.slice(2) === renamed.slice(2)
    ? { old, new: renamed }
    : null
}
