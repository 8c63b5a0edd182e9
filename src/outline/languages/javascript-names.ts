import { MAX_MODIFIERS } from '../lexis/blocks.ts'
import { keyword } from './javascript-lexis.ts'
import { IN_TYPE } from './javascript-types.ts'
import {
  AMPERSAND,
  ARROW,
  COLON,
  DOT,
  EQUALS,
  OPEN_BRACE,
  OPEN_PAREN,
  PIPE,
  SEMICOLON,
  STAR,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

// What an open bracket is, as far as definitions can stand in it.
/** Braces around statements. */
export const BLOCK = 0
/** The body of a class. */
export const MEMBERS = 1
/** The braces of an object literal. */
export const OBJECT = 2
/** Parentheses and brackets. */
export const GROUP = 3
/** The body of an interface, an enum or a type, which holds no definitions. */
export const SIGNATURES = 4

const MODIFIERS = new Set(
  (
    [
      'get',
      'set',
      'static',
      'async',
      'public',
      'private',
      'protected',
      'readonly',
      'override',
      'abstract',
      'declare',
      'accessor',
      'export',
      'default',
    ] as const
  ).map(keyword),
)
const READONLY = keyword('readonly') // in front of a field; a type that it stands in front of ends with brackets
const DECLARING = new Set([keyword('const'), keyword('let'), keyword('var')])
const TYPE_JOINTS = new Set([PIPE, AMPERSAND, ARROW])

/** Goes back over the words that may stand before a definition. */
export function withModifiers(tokens: Tokens, at: number): number {
  let first = at
  while (
    at - first < MAX_MODIFIERS &&
    (tokens.kind(first - 1) === STAR ||
      (tokens.kind(first - 1) === WORD && MODIFIERS.has(tokens.keyword(first - 1)) && tokens.kind(first - 2) !== DOT))
  ) {
    first--
  }
  return tokens.kind(first) === STAR &&
    tokens.keyword(first + 1) === 0 &&
    first < at &&
    tokens.kind(first - 1) === WORD &&
    tokens.line(first - 1) !== tokens.line(first)
    ? at
    : first
}

/** `name: Type =` of a declared variable or a class field: looks back to the name. */
function nameBeforeType(tokens: Tokens, equals: number, around: number | undefined): number {
  for (let at = equals - 1; at > 0 && equals - at < 200; at--) {
    const pair = tokens.pair(at)
    if (pair !== -1 && pair < at) {
      at = pair
      continue
    }
    const kind = tokens.kind(at)
    if (kind === SEMICOLON || kind === OPEN_BRACE || kind === OPEN_PAREN || kind === EQUALS) return -1
    if (
      kind === COLON &&
      tokens.kind(at - 1) === WORD &&
      (DECLARING.has(tokens.keyword(at - 2)) || around === MEMBERS)
    ) {
      return at - 1
    }
  }
  return -1
}

/**
 * What an `=` gives a value to, when that has a name; null for defaults of parameters.
 *
 * @param around - What the `=` stands in: `BLOCK`, `MEMBERS` …; undefined at the top of a file.
 */
export function assignedName(
  tokens: Tokens,
  equals: number,
  around: number | undefined,
): { name: string; first: number } | null {
  let name = equals - 1
  if (
    tokens.kind(name) !== WORD ||
    (tokens.kind(name - 1) === COLON && around !== OBJECT) ||
    (IN_TYPE.has(tokens.keyword(name - 1)) && tokens.keyword(name - 1) !== READONLY) ||
    TYPE_JOINTS.has(tokens.kind(name - 1))
  ) {
    name = nameBeforeType(tokens, equals, around)
  }
  if (name === -1) return null
  let first = name
  while (tokens.kind(first - 1) === DOT && tokens.kind(first - 2) === WORD) first -= 2
  if ((around === GROUP || around === OBJECT) && first === name) return null
  if (DECLARING.has(tokens.keyword(first - 1))) first--
  return { name: tokens.textOf(name), first: withModifiers(tokens, first) }
}
