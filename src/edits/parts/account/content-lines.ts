import { commentLines } from '../../text/comments.ts'
import { indentOf } from '../../text/indentation.ts'
import type { Side } from '../side.ts'

/** A line of a file that holds more than brackets. */
export interface ContentLine {
  /** Its number, from 0. */
  at: number
  /** Without what a formatter changes. */
  text: string
  /** Its words, numbers and names. */
  words: readonly string[]
  /** The first line of the function whose body it stands in; -1 for none. */
  owner: number
  /** The name of the function, or how it begins where it has none. */
  ownerName: string
}

/** A file as the account sees it. */
export interface Content {
  lines: ContentLine[]
  /** Comments, by the number of the line. */
  comments: Array<{ at: number; text: string }>
}

const WORD = /[\p{L}_$@][\p{L}\p{N}_$]*|\d+/gu
/** Words that only hold a statement together. */
const FRAME: ReadonlySet<string> = new Set([
  ...['try', 'else', 'finally', 'begin', 'end', 'do', 'then', 'fi', 'done', 'esac', 'pass', 'endif', 'catch', 'ensure'],
  ...['const', 'let', 'var', 'local', 'new', 'the'],
])
/** What begins a function that an outline may not know: callbacks, and languages without outline. */
const BEGINS_FUNCTION = new RegExp(
  '=>\\s*(?:[({]\\s*)?$|\\bdo\\b(?:\\s*\\|[^|]*\\|)?\\s*$|\\bfunction\\b|\\blambda\\b' +
    '|^\\s*(?:\\(?(?:pub|export|public|private|local|static|async|inline)\\s+)*\\(?' +
    '(?:fn|func|fun|def[a-z]*-?|sub|proc|method|let(?: rec)? \\w+ [^=]+=)(?=[\\s(]|$)',
  'i',
)

/** How much some lines say: the number of their words. */
export const weightOf = (lines: readonly ContentLine[]): number =>
  lines.reduce((sum, { words }) => sum + words.length, 0)

/** The words of a line that say something. */
export const wordsIn = (line: string): string[] => (line.match(WORD) ?? []).filter(word => !FRAME.has(word))

/** A line without what a formatter changes: blanks, quotes, what ends it. */
const normal = (line: string): string =>
  line.trim().replaceAll(/["'`]/g, '"').replaceAll(/\s+/g, ' ').replace(/[,;]$/, '')

/** For each line, the first line of the function in whose body it stands; -1 for none. */
function bodies(side: Side): { owners: Int32Array; names: Map<number, string> } {
  const { lines, units, account } = side
  const owners = new Int32Array(lines.length).fill(-1)
  const names = new Map<number, string>()
  if (account !== 'bodies') return { owners, names }
  for (const [i, { kind, start, last }] of units.entries()) {
    if (kind !== 'leaf' || last <= start) continue
    owners.fill(start, start, last + 1)
    names.set(start, side.keys[i] ?? '')
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (owners[at] !== -1 || !BEGINS_FUNCTION.test(line)) continue
    const depth = indentOf(line).length
    names.set(at, normal(line))
    for (let own = at + 1; own < lines.length && owners[own] === -1; own++) {
      const text = lines[own] ?? ''
      if (text.trim() !== '' && indentOf(text).length <= depth) break
      owners[own] = at
    }
  }
  return { owners, names }
}

/** Reads the lines of a file that the account is about. */
export function contentOf(side: Side): Content {
  const { owners, names } = bodies(side)
  const isComment = commentLines(side.path, side.lines)
  const content: Content = { lines: [], comments: [] }
  for (const [at, line] of side.lines.entries()) {
    if (isComment[at] === true) {
      content.comments.push({ at, text: line.trim() })
      continue
    }
    const words = wordsIn(line)
    if (words.length === 0) continue
    const owner = owners[at] ?? -1
    content.lines.push({ at, text: normal(line), words, owner, ownerName: names.get(owner) ?? '' })
  }
  return content
}
