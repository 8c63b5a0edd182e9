/** The bytes of C escapes, by the character after the backslash. */
const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

/** The byte that an escape at this place stands for, and the length of the escape; null where there is none. */
function escapeAt(quoted: string, at: number): { byte: number; length: number } | null {
  if (quoted[at] !== '\\') return null
  const octal = /^[0-3][0-7]{2}/.exec(quoted.slice(at + 1, at + 4))?.[0]
  if (octal !== undefined) return { byte: Number.parseInt(octal, 8), length: 4 }
  const byte = ESCAPES[quoted[at + 1] ?? '']
  return byte === undefined ? null : { byte, length: 2 }
}

/** A name that git has quoted, with C escapes and bytes in octal, as it is. */
export function unquoted(quoted: string): string {
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

/** The two names of a `diff --git` line; null when they cannot be told apart. */
export function readGitNames(line: string): { old: string; new: string } | null {
  const rest = line.slice('diff --git '.length).trim()
  if (rest.startsWith('"') || rest.endsWith('"')) {
    const names = Array.from(rest.matchAll(QUOTED_OR_WORD), ([, name, word = '']) =>
      name === undefined ? word : unquoted(name),
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
