import { CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PAREN, COMMA, GREATER, LESS, SEMICOLON, type Tokens } from './tokens.ts'

/** The bracket that closes this one; the last token when none does. */
export function closing(tokens: Tokens, open: number): number {
  const pair = tokens.pair(open)
  return pair === -1 ? tokens.count - 1 : pair
}

/**
 * What a look-ahead over the header of a definition reads at most, closed brackets not counted: it is done again at
 * each keyword.
 */
export const MAX_HEADER_TOKENS = 400
const MAX_ANGLES = 400
/** Words in front of a keyword that are looked at for modifiers. */
export const MAX_MODIFIERS = 24

/** Behind `<…>` that begins here; the same place when none does. */
export function afterAngles(tokens: Tokens, at: number): number {
  if (tokens.kind(at) !== LESS) return at
  let angles = 0
  for (let next = at; next < tokens.count && next - at < MAX_ANGLES; next++) {
    const kind = tokens.kind(next)
    if (kind === LESS) angles++
    else if (kind === GREATER && --angles === 0) return next + 1
    else if (kind === SEMICOLON || kind === CLOSE_BRACE || kind === CLOSE_PAREN) break
    next = tokens.over(next)
  }
  return at
}

/** Goes back from a keyword over the words that may stand before it, `pub(crate)` included. */
export function withModifiers(tokens: Tokens, at: number, modifiers: ReadonlySet<number>): number {
  let first = at
  for (let words = 0; words < MAX_MODIFIERS; words++) {
    const before = first - 1
    const pair = tokens.kind(before) === CLOSE_PAREN ? tokens.pair(before) : -1
    if (modifiers.has(tokens.keyword(before))) first = before
    else if (pair !== -1 && before - pair < 12 && modifiers.has(tokens.keyword(pair - 1))) first = pair - 1
    else return first
  }
  return first
}

/**
 * Ends of expressions and types. Where one begins within another, as in a chain of `a => b => c`, the tokens are not
 * read again.
 */
export class ExpressionEnds {
  readonly #tokens: Tokens
  readonly #endsBefore: (at: number, base: number) => boolean
  /** The expression read last, by the brackets right around it. */
  readonly #known = new Map<number, { from: number; stop: number; base: number }>()

  /**
   * @param endsBefore - Whether an expression ends before a token that begins a line; `base` is as given to `endOf`.
   */
  constructor(tokens: Tokens, endsBefore: (at: number, base: number) => boolean) {
    this.#tokens = tokens
    this.#endsBefore = endsBefore
  }

  /** The last token of an expression: it also ends before a bracket or a separator that closes something around it. */
  endOf(from: number, base = 0): number {
    const around = this.#tokens.around(from)
    const known = this.#known.get(around)
    if (known !== undefined && known.base === base && from >= known.from && from < known.stop) return known.stop - 1
    const stop = this.#stop(from, base)
    this.#known.set(around, { from, stop, base })
    return stop - 1
  }

  /** The first token behind the expression. */
  #stop(from: number, base: number): number {
    const tokens = this.#tokens
    for (let at = from; at < tokens.count; at++) {
      const kind = tokens.kind(at)
      if (
        kind === CLOSE_BRACE ||
        kind === CLOSE_PAREN ||
        kind === CLOSE_BRACKET ||
        kind === SEMICOLON ||
        kind === COMMA
      ) {
        return at
      }
      if (at > from && tokens.startsLine(at) && this.#endsBefore(at, base)) return at
      at = tokens.over(at)
    }
    return tokens.count
  }
}

/**
 * Expressions that are laid out by indentation go on over lines that stand deeper than the one they belong to, whose
 * indentation is the base.
 */
export function indentedEnds(tokens: Tokens): ExpressionEnds {
  return new ExpressionEnds(tokens, (at, base) => tokens.indent(at) <= base)
}

/** Tables of keywords by number. */
export function numbering(keywords: readonly string[]): (word: string) => number {
  const numbers = new Map(keywords.map((word, index) => [word, index + 1]))
  return word => numbers.get(word) ?? -1
}
