/** A name of a diff's header: the path as it is spelled, or null for `/dev/null`. */
export type DiffName = string | null

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }
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

function known(name: string): DiffName | undefined {
  if (/^(?:[ab]\/)?\/?dev\/null$/i.test(name) || name.toUpperCase() === 'NUL') return null
  return name === '' || NO_NAMES.has(name.toLowerCase()) ? undefined : name
}

/** As git quotes names: C escapes, bytes in octal. */
function unquote(quoted: string): string {
  const bytes: number[] = []
  for (let i = 0; i < quoted.length;) {
    const octal = quoted[i] === '\\' ? /^[0-3][0-7]{2}/.exec(quoted.slice(i + 1, i + 4))?.[0] : undefined
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8))
      i += 4
      continue
    }
    const escape = quoted[i] === '\\' ? ESCAPES[quoted[i + 1] ?? ''] : undefined
    if (escape !== undefined) {
      bytes.push(escape)
      i += 2
      continue
    }
    const char = String.fromCodePoint(quoted.codePointAt(i) ?? 0)
    bytes.push(...Buffer.from(char))
    i += char.length
  }
  return Buffer.from(bytes).toString('utf8')
}

/**
 * The name after `--- ` or `+++ `: without date, remark and quotes.
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
    const names = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(match =>
      match[1] === undefined ? (match[2] ?? '') : unquote(match[1]),
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
