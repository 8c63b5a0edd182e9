/**
 * Longer runs of letters and digits are encoded data, not names; they would only fill indexes with terms nobody types.
 */
export const MAX_IDENTIFIER = 100

/** The class of units that belong to no identifier. */
export const SEPARATOR = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const JOINER = 4
/** Letters and digits of scripts beyond ASCII: no case rules are applied to them. */
const OTHER = 5

function classTable(): Uint8Array {
  const table = new Uint8Array(65_536)
  const set = (from: string, to: string, kind: number) => table.fill(kind, from.charCodeAt(0), to.charCodeAt(0) + 1)
  set('a', 'z', LOWER)
  set('A', 'Z', UPPER)
  set('0', '9', DIGIT)
  set('_', '_', JOINER)
  set('$', '$', JOINER)
  // Halves of surrogate pairs stay separators: what lies beyond the basic plane is mostly symbols.
  for (let code = 0x80; code < table.length; code++) {
    if (/[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(code))) table[code] = OTHER
  }
  return table
}

/**
 * The class of each UTF-16 code unit; an identifier is a maximal run of units that are no `SEPARATOR`. For loops that
 * cannot afford a string per identifier.
 */
export const CLASS_OF: Readonly<Uint8Array> = classTable()

/** Calls back for each maximal run of letters, digits, `_` and `$`, in order. Linear in the length of the text. */
export function eachIdentifier(text: string, visit: (identifier: string) => void): void {
  let start = -1
  for (let i = 0; i < text.length; i++) {
    if (CLASS_OF[text.charCodeAt(i)] !== SEPARATOR) {
      if (start < 0) start = i
    } else if (start >= 0) {
      if (i - start <= MAX_IDENTIFIER) visit(text.slice(start, i))
      start = -1
    }
  }
  if (start >= 0 && text.length - start <= MAX_IDENTIFIER) visit(text.slice(start))
}

/** Whether a new word begins at `i`: aB, ABc (before B), a1, 1a, a_b. */
function isBoundary(text: string, i: number): boolean {
  const before = CLASS_OF[text.charCodeAt(i - 1)]
  const here = CLASS_OF[text.charCodeAt(i)]
  if (before === UPPER && here === LOWER) return false
  if (before === UPPER && here === UPPER) return i + 1 < text.length && CLASS_OF[text.charCodeAt(i + 1)] === LOWER
  return before !== here
}

function hasVowel(word: string, endingLength: number): boolean {
  return /[aeiouy]/.test(word.slice(0, -endingLength))
}

/** `mapp` (of mapping) → `map`; but `add`, `call` and `pass` keep what is theirs. */
function undouble(word: string): string {
  return word.length > 3 && /([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word
}

/** Endings of plurals after which two letters go: `classes`, `boxes`, `matches`, `hashes`. */
const LONG_PLURALS = ['sses', 'xes', 'ches', 'shes']
/** Words that end so are no plurals: `class`, `status`, `this`. */
const SINGULARS = ['ss', 'us', 'is']

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return word.slice(0, -3) + 'y'
  if (LONG_PLURALS.some(ending => word.endsWith(ending))) return word.slice(0, -2)
  if (word.endsWith('s') && !SINGULARS.some(ending => word.endsWith(ending))) return word.slice(0, -1)
  return word
}

function withoutTense(word: string): string {
  if (word.length <= 5) return word
  if (word.endsWith('ing')) return hasVowel(word, 3) ? undouble(word.slice(0, -3)) : word
  const isPast = word.endsWith('ed') && !word.endsWith('eed')
  return isPast && hasVowel(word, 2) ? undouble(word.slice(0, -2)) : word
}

/**
 * Brings the common English endings together (parse, parses, parsed, parsing). Deliberately weak: what it joins wrongly
 * costs precision for good, what it leaves apart is still found by the other words.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const base = withoutTense(withoutPlural(word))
  return base.length > 4 && base.endsWith('e') ? base.slice(0, -1) : base
}

/**
 * The words of one identifier, lower-cased and lightly stemmed: `parseURLParts2` → pars, url, part, 2.
 * Single letters are left out: they tell nothing.
 */
export function subTokens(identifier: string): string[] {
  const words: string[] = []
  let start = 0
  for (let i = 1; i <= identifier.length; i++) {
    if (i < identifier.length && !isBoundary(identifier, i)) continue
    const kind = CLASS_OF[identifier.charCodeAt(start)]
    const telling = kind === DIGIT || kind === OTHER || (kind !== JOINER && i - start > 1)
    if (telling) words.push(stem(identifier.slice(start, i).toLowerCase()))
    start = i
  }
  return words
}

/** What an identifier is found by: its sub-tokens and, where it differs from them, the whole of it in lower case. */
export function termsOf(identifier: string): string[] {
  const terms = subTokens(identifier)
  const whole = identifier.toLowerCase()
  if (whole.length > 1 && !(terms.length === 1 && terms[0] === whole)) terms.push(whole)
  return terms
}

/** All terms of a text in order, with repetitions. The one tokenizer of embeddings, full text and queries. */
export function tokenize(text: string): string[] {
  const terms: string[] = []
  eachIdentifier(text, identifier => {
    for (const term of termsOf(identifier)) terms.push(term)
  })
  return terms
}
