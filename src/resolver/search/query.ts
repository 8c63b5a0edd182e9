import { tokenize } from '../../core/tokenize.ts'
import { countTerms } from '../ranking/rankers/term-query.ts'

/** A person's query, read once for all lists. All of it is bounded. */
export interface SearchQuery {
  /** The query without its double quotes. */
  text: string
  /** The texts in double quotes; a hit contains all of them literally. */
  literals: string[]
  /** Term → how often it occurs: in the first line it counts twice, in a name three times. */
  counts: ReadonlyMap<string, number>
  /** Terms of the first line. */
  subject: ReadonlySet<string>
  /**
   * Identifiers that are written as code: in backticks, with a call's parenthesis, `camelCase`, `snake_case`, `a.b`.
   */
  names: ReadonlySet<string>
  /** Other words that may be names. */
  words: ReadonlySet<string>
  /**
   * Two or three consecutive words and the parts of names, in lower case: `lazy loading` may be `lazy_loading` or
   * `LazyLoading`.
   */
  compounds: ReadonlyArray<readonly string[]>
  /** What looks like the path of a file, and the line after it. */
  mentions: ReadonlyArray<{ path: string; line: number | null }>
  /** Whether the query is nothing but a path: then its file is shown from its beginning. */
  isPath: boolean
  asksForTests: boolean
}

interface Word {
  text: string
  start: number
  end: number
}

const MAX_CHARS = 4_000
const MAX_LITERALS = 8
const MAX_WORDS = 200
const MAX_MENTIONS = 10
const MAX_PARTS = 5
const NAME_WEIGHT = 3
const QUOTED = /"((?:\\"|[^"])+)"/g
const WORD = /[\p{L}\p{N}_$]+/gu
const TICKED = /`([^`\n]{1,80})`/g
const MENTION = /[\p{L}\p{N}_@+./\\-]{1,300}/gu
const LINE = /[:#]L?(\d{1,7})/y
/** What separates a name from the next part of it. */
const QUALIFIES = /^(?:\.|::|#|->)$/
/** What separates words that may be one name. */
const JOINS = /^[\s\-`'".:]{1,3}$/
const TESTS = /\b(?:tests?|testing|specs?)\b/i

const FILLERS = new Set(
  `
  the a an of to in for on and or is are be it this that with by from as at not no was were has have had when
  which what how but if then so its also now only into can will should would could does do did we you they
  there been being use used using via more than all any some other one out up over after before where while
  because due both each same such these those
  `
    .trim()
    .split(/\s+/),
)

/** Whether a word only holds a sentence together and says nothing about code. */
export const isFiller = (word: string): boolean => FILLERS.has(word)

function namesIn(text: string, words: readonly Word[]): Set<string> {
  const ticked = [...text.matchAll(TICKED)].map(({ 0: all, index }) => ({ start: index, end: index + all.length }))
  const names = new Set<string>()
  for (const [i, { text: word, start, end }] of words.entries()) {
    const before = words[i - 1]
    const after = words[i + 1]
    const isPart =
      (before !== undefined && QUALIFIES.test(text.slice(before.end, start))) ||
      (after !== undefined && QUALIFIES.test(text.slice(end, after.start)))
    const isCode =
      /\p{L}/u.test(word) &&
      (isPart ||
        text[end] === '(' ||
        /[\p{Ll}\p{N}]\p{Lu}|[^_]_|_[^_]/u.test(word) ||
        ticked.some(range => range.start < start && end < range.end))
    if (isCode && word.length > 1) names.add(word)
  }
  return names
}

function compoundsOf(text: string, words: readonly Word[]): string[][] {
  const compounds = new Map<string, string[]>()
  let row: string[] = []
  for (const [i, { text: word, start }] of words.entries()) {
    const gap = text.slice(words[i - 1]?.end ?? start, start)
    row = [...(JOINS.test(gap) ? row.slice(-2) : []), word.toLowerCase()]
    for (const parts of [row.slice(-2), row.slice(-3)]) {
      const isWhole =
        parts.length > 1 && !isFiller(parts.at(-1) ?? '') && (parts.length > 2 || !isFiller(parts[0] ?? ''))
      if (isWhole && parts.every(part => part.length <= 30)) compounds.set(parts.join(' '), parts)
    }
  }
  return [...compounds.values()]
}

const partsOf = (name: string): string[] =>
  name
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, '_')
    .toLowerCase()
    .split(/[_$]+/)
    .filter(part => part !== '')

function mentionsIn(text: string): SearchQuery['mentions'] {
  const found = new Map<string, { path: string; line: number | null }>()
  for (const { 0: word, index } of text.matchAll(MENTION)) {
    const path = word
      .replaceAll('\\', '/')
      .split('/')
      .filter(part => !/^\.*$/.test(part))
      .join('/')
    if (!/[^/.]\.[\p{L}\p{N}]{1,10}$/u.test(path) || found.size >= MAX_MENTIONS) continue
    LINE.lastIndex = index + word.length
    const line = LINE.exec(text)?.[1]
    found.set(path, { path, line: line === undefined ? null : Number(line) })
  }
  return [...found.values()]
}

/** Reads any text as a query, up to 4,000 characters of it. Never throws. */
export function readQuery(asked: string): SearchQuery {
  const given = asked.slice(0, MAX_CHARS)
  const literals = [...given.matchAll(QUOTED)]
    .slice(0, MAX_LITERALS)
    .map(match => (match[1] ?? '').replaceAll('\\"', '"'))
    .filter(literal => literal.trim() !== '')
  const text = given.replace(QUOTED, (_, literal: string) => ` ${literal.replaceAll('\\"', '"')} `).trim()
  const subject = text.split('\n', 1)[0] ?? ''
  const words = [...text.matchAll(WORD)]
    .slice(0, MAX_WORDS)
    .map(({ 0: word, index }): Word => ({ text: word, start: index, end: index + word.length }))
  const names = namesIn(text, words)
  const ofNames = new Set(tokenize([...names].join(' ')))
  const counts = countTerms(subject, 1, countTerms(text))
  for (const term of ofNames) counts.set(term, (counts.get(term) ?? 1) * NAME_WEIGHT)
  return {
    text,
    literals,
    counts,
    subject: new Set(tokenize(subject)),
    names,
    words: new Set(
      words
        .map(word => word.text)
        .filter(word => word.length > 2 && /\p{L}/u.test(word) && !names.has(word) && !isFiller(word.toLowerCase())),
    ),
    compounds: [
      ...compoundsOf(text, words),
      ...[...names].map(partsOf).filter(parts => parts.length > 1 && parts.length <= MAX_PARTS),
    ],
    mentions: mentionsIn(text),
    isPath: /^[^\s"'`]+$/.test(text) && mentionsIn(text).length > 0,
    asksForTests: TESTS.test(text),
  }
}
