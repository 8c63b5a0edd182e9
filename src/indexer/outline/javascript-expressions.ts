import { endsStatement, MAX_TYPE_TOKENS } from './javascript-types.ts'
import { CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PAREN, COMMA, GREATER, LESS, SEMICOLON, type Tokens } from './tokens.ts'

/** Finds where expressions and types end that no bracket closes. */
export class ExpressionEnds {
  readonly #tokens: Tokens
  #last = { begin: 0, end: -1, depth: 0 }

  constructor (tokens: Tokens) {
    this.#tokens = tokens
  }

  /** As `expressionEnd`, where commas stand between angles. */
  typeEnd (from: number, depth: number): number {
    const tokens = this.#tokens
    let end = this.expressionEnd(from, depth)
    for (let at = from; tokens.kind(end + 1) === COMMA && at < end;) {
      let angles = 0
      for (; at <= end; at++) angles += tokens.kind(at) === LESS ? 1 : tokens.kind(at) === GREATER ? -1 : 0
      if (angles <= 0 || at - from > MAX_TYPE_TOKENS) break
      at = from
      end = this.#findExpressionEnd(end + 2)
    }
    return end
  }

  /** The last token of an expression or a type: before a `,`, a `;`, a closing bracket, or a line that does not carry it on. @param depth - Of the brackets around it. */
  expressionEnd (from: number, depth: number): number {
    const { begin, end, depth: lastDepth } = this.#last
    if (from >= begin && from <= end && depth === lastDepth) return end // within the one before: a chain is read once
    const found = this.#findExpressionEnd(from)
    this.#last = { begin: from, end: found, depth }
    return found
  }

  #findExpressionEnd (from: number): number {
    const tokens = this.#tokens
    for (let at = from; at < tokens.count; at++) {
      const kind = tokens.kind(at)
      if (kind === COMMA || kind === SEMICOLON || kind === CLOSE_BRACE || kind === CLOSE_PAREN || kind === CLOSE_BRACKET) return Math.max(at - 1, from)
      if (at > from && tokens.startsLine(at) && tokens.line(at) !== tokens.endLine(at - 1) && endsStatement(tokens, at)) return at - 1
      if (tokens.pair(at) > at) at = tokens.pair(at)
    }
    return tokens.count - 1
  }
}
