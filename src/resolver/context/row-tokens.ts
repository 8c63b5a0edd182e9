import { MAX_LINE_CHARS, rowBody, rowNumber } from './line-text.ts'

export type CountTokens = (text: string) => number

/** Counts rows of a context as they stand in it, each with its line end. The sum over its rows is the count of the whole text. */
export interface RowTokens {
  number: (number: number, isMarked: boolean) => number
  /** @param indexed - Tokens of the bare line with its line end, when they are known. */
  body: (line: string, indexed: number | null) => number
}

const MAX_KNOWN_HEADS = 20_000
/** Up to the end of the first word: only so far does a line's division into words depend on what stands before it. */
const HEAD = /^[\t ]*[!-/:-@[-`{-~]*[A-Za-z]*/
// eslint-disable-next-line no-control-regex
const SHOWN_OTHERWISE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069\uD800-\uDFFF]|[^\S\n]$/
const APOSTROPHE = 39
const DIGIT_0 = 48
const DIGIT_9 = 57
const LAST_ASCII = 127

/**
 * o200k_base, as every encoding of its family, divides a text into words before it looks for tokens, and no word goes on behind a line end
 * that a row follows, as rows begin with blanks or a mark: so tokens of rows add up. Within a row nothing behind the first word changes when
 * a number and a bar are put before it: the tokens of a row are those of the bare line, which the index knows, and a difference that
 * only its first word decides. Those are few and are counted once. Where a line is shown otherwise than it stands in its file, its row is counted.
 */
export function createRowTokens (countTokens: CountTokens): RowTokens {
  const differences = new Map<string, number>()
  const numbers = new Map<number, number>()
  const difference = (head: string, rest: string): number => {
    const key = head + rest
    const known = differences.get(key)
    if (known !== undefined) return known
    const value = countTokens((rest === '\n' ? ` | ${head}`.trimEnd() : ` | ${head}`) + rest) - countTokens(key)
    if (differences.size >= MAX_KNOWN_HEADS) differences.clear()
    differences.set(key, value)
    return value
  }
  return {
    number (number, isMarked) {
      const key = (number < 1000 ? 1 : Math.ceil(String(number).length / 3)) * 2 + (isMarked ? 1 : 0) // three digits are one token
      const tokens = numbers.get(key) ?? countTokens(rowNumber(number, isMarked, 0))
      numbers.set(key, tokens)
      return tokens
    },
    body (line, indexed) {
      if (indexed === null || line.length > MAX_LINE_CHARS || SHOWN_OTHERWISE.test(line)) return countTokens(`${rowBody(line)}\n`)
      const head = HEAD.exec(line)?.[0] ?? ''
      if (head.length === line.length) return indexed + difference(head, '\n')
      const next = line.charCodeAt(head.length)
      if (next === APOSTROPHE || next > LAST_ASCII) return countTokens(`${rowBody(line)}\n`)
      return indexed + difference(head, next >= DIGIT_0 && next <= DIGIT_9 ? '0' : '')
    },
  }
}
