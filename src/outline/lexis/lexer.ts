import { NUMBER, Tokens, WORD } from './tokens.ts'

/**
 * Reads what begins with a special character at `at`: answers the offset behind it, or -1 when it is plain punctuation
 * after all.
 */
export type SpecialReader = (code: number, at: number) => number

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

const SLOTS = 1024

function hashOf(word: string): number {
  let hash = 0
  for (let at = 0; at < word.length; at++) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0
  return hash
}

function keywordTable(words: readonly string[], ignoreCase = false): KeywordTable {
  const hashes = new Int32Array(SLOTS)
  const ids = new Uint8Array(SLOTS)
  words.forEach((word, index) => {
    const hash = hashOf(word)
    let slot = hash & (SLOTS - 1)
    while (ids[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
    hashes[slot] = hash
    ids[slot] = index + 1
  })
  return { hashes, ids, ignoreCase }
}

/**
 * @param special - Characters that the reader wants to see. @param letters - Characters beside letters, `_` and `$`
 * that words are made of.
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

/** Cuts a text into tokens in one pass. Never fails: what makes no sense becomes punctuation. */
export function tokenizeSource(text: string, { classes, keywords, reader }: Lexis): Tokens {
  const tokens = new Tokens(text)
  const read = reader(tokens)
  const { hashes, ids, ignoreCase } = keywords
  const length = text.length
  let at = 0
  while (at < length) {
    const code = text.charCodeAt(at)
    const type = code < 128 ? classes[code] : isSpace(code) ? SPACE : LETTER
    if (type === SPACE) {
      at++
    } else if (type === LETTER) {
      const begin = at
      let hash = 0
      for (let next = code; ;) {
        hash = (Math.imul(hash, 31) + (ignoreCase && next >= 65 && next <= 90 ? next + 32 : next)) | 0
        if (++at === length) break
        next = text.charCodeAt(at)
        if (next < 128) {
          const nextType = classes[next]
          if (nextType !== LETTER && nextType !== DIGIT) break
        } else if (isSpace(next)) break
      }
      let slot = hash & (SLOTS - 1)
      while (ids[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & (SLOTS - 1)
      tokens.push(WORD, begin, at, ids[slot] ?? 0)
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
