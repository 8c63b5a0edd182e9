import { type ExpressionEnds, MAX_HEADER_TOKENS } from '../lexis/blocks.ts'
import { keyword } from './javascript-lexis.ts'
import {
  AMPERSAND,
  ARROW,
  AT,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  EQUALS,
  GREATER,
  kindSet,
  LESS,
  LITERAL,
  NUMBER,
  OPEN_BRACE,
  OPEN_PAREN,
  PIPE,
  QUESTION,
  SEMICOLON,
  STRING,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

/** Words behind which a type goes on. */
export const IN_TYPE = new Set([
  keyword('extends'),
  keyword('keyof'),
  keyword('infer'),
  keyword('is'),
  keyword('typeof'),
  keyword('in'),
  keyword('readonly'),
])

const MAX_TYPE_TOKENS = 300

const endsAnyType = kindSet(SEMICOLON, CLOSE_BRACE, CLOSE_PAREN, CLOSE_BRACKET)
/** End a type outside of its angles. */
const endsBareType = kindSet(COMMA, EQUALS)
/** Punctuation that a type follows. */
const beforeType = kindSet(PIPE, AMPERSAND, LESS, ARROW, COLON, QUESTION, COMMA, EQUALS)
const endsValue = kindSet(NUMBER, STRING, LITERAL, CLOSE_PAREN, CLOSE_BRACKET, CLOSE_BRACE, GREATER)
const beginsMember = kindSet(NUMBER, STRING, OPEN_BRACE, AT)

/** Whether a whole type stands before a token that is outside of its angles and cannot be part of it. */
function endsWholeType(tokens: Tokens, at: number): boolean {
  const kind = tokens.kind(at)
  if (kind === WORD) return tokens.startsLine(at) && !IN_TYPE.has(tokens.keyword(at))
  return kind === OPEN_BRACE
}

/** The token of the given kind that stands behind a type; -1 when the type ends in another way. */
export function afterType(tokens: Tokens, from: number, wanted: number): number {
  let angles = 0
  let expectsType = true
  for (let at = from; at < tokens.count && at - from < MAX_TYPE_TOKENS; at++) {
    const kind = tokens.kind(at)
    if (!expectsType && angles === 0) {
      if (kind === wanted) return at
      if (endsWholeType(tokens, at)) return -1
    }
    if (endsAnyType(kind) || (angles === 0 && endsBareType(kind))) return -1
    if (kind === LESS) angles++
    else if (kind === GREATER && angles > 0) angles--
    expectsType = kind === WORD ? IN_TYPE.has(tokens.keyword(at)) : beforeType(kind)
    at = tokens.over(at)
  }
  return -1
}

/** The `{` of a body behind parameters that begin here, over a return type; -1 when there is none. */
export function bodyAfterParameters(tokens: Tokens, at: number): number {
  if (tokens.kind(at) !== OPEN_PAREN || tokens.pair(at) === -1) return -1
  const next = tokens.pair(at) + 1
  if (tokens.kind(next) === OPEN_BRACE) return next
  return tokens.kind(next) === COLON ? afterType(tokens, next + 1, OPEN_BRACE) : -1
}

/** The `{` of a class or interface behind its name and what it extends. */
export function bodyOf(tokens: Tokens, from: number): number {
  let angles = 0
  for (let at = from; at < tokens.count && at - from < MAX_HEADER_TOKENS; at++) {
    const kind = tokens.kind(at)
    if (kind === OPEN_BRACE && angles === 0) return at
    if (kind === LESS) angles++
    else if (kind === GREATER) angles--
    else if (kind === SEMICOLON || kind === CLOSE_BRACE || kind === CLOSE_PAREN) return -1
    at = tokens.over(at)
  }
  return -1
}

/** The last token of a type that begins here; commas may stand between its angles. */
export function typeEnd(tokens: Tokens, from: number, ends: ExpressionEnds): number {
  let end = Math.max(ends.endOf(from), from)
  for (let at = from, angles = 0; tokens.kind(end + 1) === COMMA && at - from <= MAX_TYPE_TOKENS;) {
    for (; at <= end; at++) {
      if (tokens.kind(at) === LESS) angles++
      else if (tokens.kind(at) === GREATER) angles--
    }
    if (angles <= 0) break
    end = Math.max(ends.endOf(end + 2), end + 2)
  }
  return end
}

/** Whether a statement ends between the token before and this one, which begins a line. */
export function endsStatement(tokens: Tokens, at: number): boolean {
  const kind = tokens.kind(at)
  const before = tokens.kind(at - 1)
  const ends = before === WORD ? !IN_TYPE.has(tokens.keyword(at - 1)) : endsValue(before)
  const begins = kind === WORD ? !IN_TYPE.has(tokens.keyword(at)) : beginsMember(kind)
  return ends && begins
}
