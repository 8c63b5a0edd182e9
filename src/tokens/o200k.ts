import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { wordEnd } from './o200k-words.ts'
import { RankTable } from './rank-table.ts'
import { WordTokens } from './word-tokens.ts'

/** Named in every answer, since budgets are in its tokens. */
export const TOKENIZER = 'o200k_base'

/**
 * Words of any text. What is white space is as Unicode says; JavaScript's `\s` knows U+FEFF as such, too, and not
 * U+0085.
 */
const WORD = new RegExp(
  O200K_TOKEN_SPLIT_REGEX.source.replaceAll('\\s', '\\p{White_Space}').replaceAll('\\S', '\\P{White_Space}'),
  'gu',
)
const MAX_BYTES_PER_UNIT = 3
const ROOM = 4096
const ENCODER = new TextEncoder()

/** Read with the first text: some 60 ms, which a command that counts nothing need not wait for. */
let words: WordTokens | undefined

function readWords(): WordTokens {
  const list = readFileSync(fileURLToPath(import.meta.resolve('gpt-tokenizer/data/o200k_base.tiktoken')))
  return new WordTokens(new RankTable(list))
}

/** For texts of common size, so that none is made for each. */
const commonRoom = new Uint8Array(ROOM)

/** As `countTokens`, of text in ASCII. */
export function countAscii(bytes: Uint8Array, from: number, to: number): number {
  words ??= readWords()
  let count = 0
  for (let at = from; at < to;) {
    const end = wordEnd(bytes, at, to)
    count += words.count(bytes, at, end)
    at = end
  }
  return count
}

function countOfWords(text: string): number {
  words ??= readWords()
  let count = 0
  for (const [word] of text.matchAll(WORD)) {
    const most = word.length * MAX_BYTES_PER_UNIT
    const room = most <= ROOM ? commonRoom : new Uint8Array(most)
    count += words.count(room, 0, ENCODER.encodeInto(word, room).written)
  }
  return count
}

/**
 * Number of tokens of a text, the names of special tokens taken as the characters that they are. 60 MB of code a
 * second; a word of more than 8 KiB is counted in pieces, to within some hundredths.
 */
export function countTokens(text: string): number {
  const room = text.length <= ROOM ? commonRoom : new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 127) return countOfWords(text)
    room[at] = unit
  }
  return countAscii(room, 0, text.length)
}
