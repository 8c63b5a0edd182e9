import { threadCaches } from '../../core/cache-budget.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import { rowBody, rowNumber } from './line-text.ts'
import { indexedCounts } from './row-counts.ts'

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number

/** The lines of a text. Of a text with more than `MAX_KEPT_LINES` lines only a part is kept, to bound the memory. */
export interface TextRows {
  /** Length of the text. */
  chars: number
  lineCount: number
  /** Where every `stride`-th line begins, starting with the first. */
  starts: Uint32Array
  stride: number
  /**
   * For the first lines, the tokens of their rows without the number, from the index or as far as anyone asked; 0 where
   * unknown.
   */
  tokens: Uint16Array
}

/** Counts the parts of a context, each row with its line end. The sum over the parts is the count of the whole text. */
export interface RowTokens {
  /** Tokens left of the bar. */
  number: (number: number, isMarked: boolean) => number
  /** Tokens of the bar and the line, with the line end. */
  body: (line: string) => number
  /** Tokens of a text that recurs; its count is remembered. */
  text: (text: string) => number
  /** Tokens of a line of English and numbers, with its line end. */
  header: (header: string) => number
  /**
   * The lines of a text. Returns the same object for the same text as long as it is used now and then.
   *
   * @param counted - Called once for the counts in the index.
   */
  rowsOf: (text: string, counted?: () => Uint8Array | null) => TextRows
}

/** Without the text, which is mostly kept elsewhere, too. */
const ENTRY_BYTES = 500
const MAX_KEPT_LINES = 16_384
const LINE_FEED = 10
const MAX_WORDS = 20_000
const MAX_WORD_CHARS = 300
const MAX_DIGITS = 20
/** Texts that the tokenizer itself divides at digits. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/

/**
 * Where the line behind that at `at` begins. A search takes a quarter of the time of looking at each character, but for
 * empty lines.
 */
function nextLine(text: string, at: number): number {
  const end = text.charCodeAt(at) === LINE_FEED ? at : text.indexOf('\n', at)
  return end === -1 ? text.length : end + 1
}

/** The same as `lineCount`, in a sixth of its time where lines are empty. */
function countLines(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at = nextLine(text, at)) count++
  return count
}

function readRows(text: string, counted: Uint8Array | null): TextRows {
  const count = countLines(text)
  const stride = Math.max(1, Math.ceil(count / MAX_KEPT_LINES))
  const starts = new Uint32Array(Math.ceil(count / stride))
  for (let at = 0, line = 0; line < count; at = nextLine(text, at), line++) {
    if (line % stride === 0) starts[line / stride] = at
  }
  const tokens = new Uint16Array(Math.min(count, MAX_KEPT_LINES))
  tokens.set(indexedCounts(counted, count)?.subarray(0, tokens.length) ?? [])
  return { chars: text.length, lineCount: count, starts, stride, tokens }
}

/** The number of groups of three digits. */
const threes = (digits: number): number => Math.ceil(digits / 3)

const isDigit = (text: string): boolean => text.charCodeAt(0) >= 48 && text.charCodeAt(0) <= 57

/**
 * Counts rows so that their tokens add up. o200k_base, like every encoding of its family, first divides a text into
 * words, and no word spans a line end that a row follows, because rows begin with blanks or a mark. Nor does a word
 * span from letters or signs into digits or back, and up to three digits are one token: so a header is counted by its
 * parts, most of which recur.
 */
export function createRowTokens(countTokens: CountTokens): RowTokens {
  const texts = new RecentlyUsed<string, TextRows>(
    threadCaches,
    ({ starts, tokens }) => starts.byteLength + tokens.byteLength + ENTRY_BYTES,
  )
  const words = new Map<string, number>()
  const numbers = new Uint8Array(2 * MAX_DIGITS)
  const word = (text: string): number => {
    const known = words.get(text)
    if (known !== undefined) return known
    const tokens = countTokens(text)
    if (words.size >= MAX_WORDS) words.clear()
    if (text.length <= MAX_WORD_CHARS) words.set(text, tokens)
    return tokens
  }
  return {
    number(number, isMarked) {
      const key = 2 * threes(number < 1000 ? 1 : String(number).length) + (isMarked ? 1 : 0)
      const known = numbers[key] ?? 0
      if (known !== 0) return known
      const tokens = countTokens(rowNumber(number, isMarked, 0))
      numbers[key] = tokens
      return tokens
    },
    body: line => countTokens(`${rowBody(line)}\n`),
    text: word,
    header(header) {
      if (!PLAIN.test(header)) return countTokens(`${header}\n`)
      let sum = 0
      for (const [part] of `${header}\n`.matchAll(/\d+|\D+/g)) sum += isDigit(part) ? threes(part.length) : word(part)
      return sum
    },
    rowsOf: (text, counted = () => null) => texts.get(text, () => readRows(text, counted())),
  }
}
