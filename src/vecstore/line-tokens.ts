import { lineStarts } from '../core/source-text.ts'

const MAX_COUNT = 0xffff
/** A word without end takes the tokenizer quadratic time: longer lines are counted in pieces, which adds at most a token for each. */
const MAX_PIECE = 2_000

/** Tokens of each line with its line end; more than 65,535 count as that many. */
export function countLineTokens (text: string, countTokens: (text: string) => number): Uint16Array {
  const starts = lineStarts(text)
  return Uint16Array.from(starts, (start, i) => {
    const end = starts[i + 1] ?? text.length
    let tokens = 0
    for (let from = start; from < end; from += MAX_PIECE) tokens += countTokens(text.slice(from, Math.min(end, from + MAX_PIECE)))
    return Math.min(tokens, MAX_COUNT)
  })
}
