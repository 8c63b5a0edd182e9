import { CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PAREN, COMMA, GREATER, LESS, SEMICOLON, type Tokens } from './tokens.ts'

/** The bracket that closes this one; the last token when none does. */
export function closing (tokens: Tokens, open: number): number {
  const pair = tokens.pair(open)
  return pair === -1 ? tokens.count - 1 : pair
}

const MAX_ANGLES = 400
const MAX_EXPRESSION_TOKENS = 4_000

/** Behind `<…>` that begins here; the same place when none does. */
export function afterAngles (tokens: Tokens, at: number): number {
  if (tokens.kind(at) !== LESS) return at
  let angles = 0
  for (let next = at; next < tokens.count && next - at < MAX_ANGLES; next++) {
    const kind = tokens.kind(next)
    if (kind === LESS) angles++
    else if (kind === GREATER && --angles === 0) return next + 1
    else if (kind === SEMICOLON || kind === CLOSE_BRACE || kind === CLOSE_PAREN) break
    if (tokens.pair(next) > next) next = tokens.pair(next)
  }
  return at
}

/** Goes back from a keyword over the words that may stand before it, `pub(crate)` included. */
export function withModifiers (tokens: Tokens, at: number, modifiers: ReadonlySet<number>): number {
  let first = at
  for (;;) {
    const before = first - 1
    const pair = tokens.kind(before) === CLOSE_PAREN ? tokens.pair(before) : -1
    if (modifiers.has(tokens.keyword(before))) first = before
    else if (pair !== -1 && before - pair < 12 && modifiers.has(tokens.keyword(pair - 1))) first = pair - 1
    else return first
  }
}

/**
 * The last token of an expression that is laid out by indentation: it goes on over lines that stand deeper than the line it belongs to,
 * and ends before a bracket or a separator that closes something around it.
 */
export function indentedEnd (tokens: Tokens, from: number, base: number): number {
  let steps = 0
  for (let at = from; at < tokens.count; at++) {
    const kind = tokens.kind(at)
    if (++steps > MAX_EXPRESSION_TOKENS) return at // one in the next, and so on
    if (kind === CLOSE_BRACE || kind === CLOSE_PAREN || kind === CLOSE_BRACKET || kind === SEMICOLON || kind === COMMA) return Math.max(at - 1, from - 1)
    if (at > from && tokens.startsLine(at) && tokens.indent(at) <= base) return at - 1
    if (tokens.pair(at) > at) at = tokens.pair(at)
  }
  return tokens.count - 1
}

/** Tables of keywords by number. */
export function numbering (keywords: readonly string[]): (word: string) => number {
  const numbers = new Map(keywords.map((word, index) => [word, index + 1]))
  return word => numbers.get(word) ?? -1
}
