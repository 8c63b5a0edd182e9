import { baseName } from '../../../core/path-names.ts'
import { isTestFile } from '../../../core/test-files.ts'
import { eachIdentifier, subTokens } from '../../../core/tokenize.ts'

/** Shorter words are in too many names. */
const MIN_LETTERS = 4
/** Words of a description that are looked at; more of them choose nothing. */
const MAX_WORDS = 2_000
/** What a name must have in common with the task, of what its words weigh. */
const LEAST_SCORE = 0.35
/** The score of a name of several words that the task has all of, though not in one. */
export const CERTAIN = 0.95
/** The score of a name that is no more than a part of a longer word, as `parser` of `contentTypeParser`. */
const PART_OF_WORD = 0.8
/** Names that one word brings in; a word in more names tells little of any. */
const MAX_SAME = 20
const MAX_MATCHES = 30

/** Words of most tasks that name no file of theirs. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'about after again also always been before being both code could does done each even every file files from have ' +
    'into just like make more most must need never only other over please should shall some such than that their ' +
    'them then there these they this those under until very want well were what when where which while will with ' +
    'without would your'
  ).split(' '),
)

/** A file whose name has words of the task. */
interface NameMatch {
  path: string
  /** The part of its name that the task has, in (0, 1], by how rare each word is. */
  score: number
  /** Files with the same words in their names. */
  sharedBy: number
}

interface Words {
  /** Whole words in their parts, joined: `userProfile`, `user-profile` and `UserProfile` are one. */
  whole: ReadonlySet<string>
  parts: ReadonlySet<string>
}

/** What stands between words, where hyphens are part of them: `no-unused-vars`. */
const BETWEEN_WORDS = /[^\p{L}\p{N}_$-]+/u

const lengthOf = (word: string): number => Array.from(word).length

/** The words of a text in their parts. */
function tokensIn(text: string): string[] {
  const tokens: string[] = []
  eachIdentifier(text, word => tokens.push(...subTokens(word)))
  return tokens
}

function wordsOf(description: string): Words {
  const text = description.normalize('NFC')
  const whole = new Set<string>()
  const parts = new Set<string>()
  let words = 0
  eachIdentifier(text, word => {
    if (words++ > MAX_WORDS || lengthOf(word) < MIN_LETTERS || COMMON.has(word.toLowerCase())) return
    const tokens = subTokens(word)
    whole.add(tokens.join(' '))
    // The stem of a word of four letters may have three.
    for (const token of tokens) if (tokens.length === 1 || lengthOf(token) >= MIN_LETTERS - 1) parts.add(token)
  })
  for (const word of text.split(BETWEEN_WORDS, MAX_WORDS)) {
    if (lengthOf(word) >= MIN_LETTERS && word.includes('-')) whole.add(tokensIn(word).join(' '))
  }
  return { whole, parts }
}

/** The words of a file's name without its endings: `test_user.spec.ts` → test, user. */
function tokensOfName(path: string): string[] {
  const [name = ''] = baseName(path).replace(/^\.+/, '').split('.')
  return tokensIn(name.normalize('NFC'))
}

/** How much of a name the task has; rare words weigh more. */
function scoreOf(tokens: readonly string[], { whole, parts }: Words, files: ReadonlyMap<string, number>): number {
  if (tokens.length === 0) return 0
  if (whole.has(tokens.join(' '))) return 1
  let [common, all] = [0, 0]
  for (const token of new Set(tokens)) {
    const weight = 1 / Math.log2(2 + (files.get(token) ?? 1))
    all += weight
    if (parts.has(token)) common += weight
  }
  if (common < all) return common / all
  return tokens.length > 1 ? CERTAIN : PART_OF_WORD
}

/**
 * Files whose names are words of the task, or have much of their words from it, best first: words of more than three
 * letters in any script, in any case, with the parts of `camelCase` and `snake_case`. Tests come after all others.
 */
export function filesByWords(description: string, paths: readonly string[]): NameMatch[] {
  const words = wordsOf(description)
  if (words.whole.size === 0) return []
  const named = paths.map(path => ({ path, tokens: tokensOfName(path) }))
  const files = new Map<string, number>()
  for (const { tokens } of named) for (const token of new Set(tokens)) files.set(token, (files.get(token) ?? 0) + 1)
  const matches = named.flatMap(({ path, tokens }) => {
    const score = scoreOf(tokens, words, files)
    const key = tokens.join(' ')
    return score < LEAST_SCORE ? [] : [{ path, score, key, isTest: isTestFile(path) }]
  })
  const same = new Map<string, number>()
  for (const { key } of matches) same.set(key, (same.get(key) ?? 0) + 1)
  return matches
    .map(({ key, ...match }) => ({ ...match, sharedBy: same.get(key) ?? 1 }))
    .filter(({ sharedBy }) => sharedBy <= MAX_SAME)
    .sort(
      (a, b) =>
        Number(a.isTest) - Number(b.isTest) ||
        b.score - a.score ||
        a.sharedBy - b.sharedBy ||
        a.path.split('/').length - b.path.split('/').length ||
        (a.path < b.path ? -1 : 1),
    )
    .slice(0, MAX_MATCHES)
    .map(({ path, score, sharedBy }) => ({ path, score, sharedBy }))
}
