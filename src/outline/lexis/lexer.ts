import { afterBlock, lineEnd } from './literals.ts'
import { NUMBER, SLASH, STAR, STRING, Tokens, WORD } from './tokens.ts'

/**
 * Reads what begins with the special character at `at`. Returns the offset behind it, or -1 when it is plain
 * punctuation after all.
 */
export type SpecialReader = (code: number, at: number) => number

/** Marks a comment that goes on to the end of its line. Returns the offset behind it. */
export function readLineComment(tokens: Tokens, at: number): number {
  const end = lineEnd(tokens.text, at)
  tokens.comment(at, end)
  return end
}

/** Marks the comment that begins at a slash. Returns the offset behind it; -1 when none begins there. */
export function readComment(
  tokens: Tokens,
  at: number,
  afterLong: (text: string, at: number) => number = (text, from) => afterBlock(text, from, '/*', '*/'),
): number {
  const next = tokens.text.charCodeAt(at + 1)
  if (next !== SLASH && next !== STAR) return -1
  if (next === SLASH) return readLineComment(tokens, at)
  const end = afterLong(tokens.text, at)
  tokens.comment(at, end)
  return end
}

/** Pushes a string. Returns the offset behind it. */
export function pushLiteral(tokens: Tokens, begin: number, end: number): number {
  tokens.push(STRING, begin, end, 0)
  return end
}

/** How the text of a language falls into tokens. */
export interface Lexis {
  readonly classes: Uint8Array
  readonly keywords: KeywordTable
  /** Its keywords, and the characters that its reader sees: what a text that is hostile to its scanner is made of. */
  readonly words: readonly string[]
  /** A reader for one file: it may keep state. */
  readonly reader: (tokens: Tokens) => SpecialReader
}

const SPACE = 1
const LETTER = 2
const DIGIT = 3
const SPECIAL = 4

/**
 * Keywords by a hash of their characters; numbered from 1 in the order given. Two words of one hash are taken for the
 * same.
 */
export interface KeywordTable {
  readonly hashes: Int32Array
  readonly ids: Uint8Array
  readonly ignoreCase: boolean
}

const ENTRIES = 1024 // of the table of keywords; a power of two

function hashOf(word: string): number {
  let hash = 0
  for (let at = 0; at < word.length; at++) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0
  return hash
}

function keywordTable(words: readonly string[], ignoreCase = false): KeywordTable {
  const hashes = new Int32Array(ENTRIES)
  const ids = new Uint8Array(ENTRIES)
  words.forEach((word, index) => {
    const hash = hashOf(word)
    let entry = hash & (ENTRIES - 1)
    while (ids[entry] !== 0) entry = (entry + 1) & (ENTRIES - 1)
    hashes[entry] = hash
    ids[entry] = index + 1
  })
  return { hashes, ids, ignoreCase }
}

/**
 * The table of a language that `tokenizeSource` works by.
 *
 * @param options.special - Characters that are given to the reader.
 * @param options.letters - Characters that words are made of, beside letters, `_` and `$`.
 * @param options.keywords - Numbered from 1 in this order.
 */
export function lexis(options: {
  special: string
  letters?: string
  keywords: readonly string[]
  ignoreCase?: boolean
  reader: (tokens: Tokens) => SpecialReader
}): Lexis {
  const classes = new Uint8Array(128)
  for (let code = 0; code <= 32; code++) classes[code] = SPACE
  for (let code = 48; code < 58; code++) classes[code] = DIGIT
  for (let code = 65; code < 91; code++) classes[code] = classes[code + 32] = LETTER
  for (const char of `_$${options.letters ?? ''}`) classes[char.charCodeAt(0)] = LETTER
  for (const char of options.special) classes[char.charCodeAt(0)] = SPECIAL
  return {
    classes,
    keywords: keywordTable(options.keywords, options.ignoreCase),
    words: [...options.keywords, ...options.special],
    reader: options.reader,
  }
}

function isNumeric(code: number, classes: Uint8Array, text: string, at: number): boolean {
  if (code >= 128) return false
  const type = classes[code]
  return type === LETTER || type === DIGIT || (code === 46 && classes[text.charCodeAt(at + 1)] === DIGIT)
}

/** Spaces beyond ASCII and the marks that may stand between words. */
function isSpace(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0xfeff ||
    (code >= 0x2000 && code <= 0x200f) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x3000
  )
}

const classOf = (code: number, classes: Uint8Array): number => {
  if (code < 128) return classes[code] ?? 0
  return isSpace(code) ? SPACE : LETTER
}

/** Pushes the word that begins at an offset, with its number where it is a keyword. Returns the offset behind it. */
function pushWord(tokens: Tokens, begin: number, classes: Uint8Array, table: KeywordTable): number {
  const { text } = tokens
  const { hashes, ids, ignoreCase } = table
  let at = begin
  let hash = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    const type = classOf(code, classes)
    if (type !== LETTER && (type !== DIGIT || at === begin)) break
    hash = (Math.imul(hash, 31) + (ignoreCase && code >= 65 && code <= 90 ? code + 32 : code)) | 0
    at++
  }
  let entry = hash & (ENTRIES - 1)
  while (ids[entry] !== 0 && hashes[entry] !== hash) entry = (entry + 1) & (ENTRIES - 1)
  tokens.push(WORD, begin, at, ids[entry] ?? 0)
  return at
}

/** Cuts a text into tokens in one pass. Never fails: what makes no sense becomes punctuation. */
export function tokenizeSource(text: string, { classes, keywords, reader }: Lexis): Tokens {
  const tokens = new Tokens(text)
  const read = reader(tokens)
  const length = text.length
  let at = 0
  while (at < length) {
    const code = text.charCodeAt(at)
    const type = classOf(code, classes)
    if (type === SPACE) {
      at++
    } else if (type === LETTER) {
      at = pushWord(tokens, at, classes, keywords)
    } else if (type === DIGIT) {
      const begin = at++
      while (at < length && isNumeric(text.charCodeAt(at), classes, text, at)) at++
      tokens.push(NUMBER, begin, at, 0)
    } else {
      const end = type === SPECIAL ? read(code, at) : -1
      if (end > at) {
        at = end
      } else {
        tokens.pushPunctuation(code, at)
        at++
      }
    }
  }
  return tokens
}
