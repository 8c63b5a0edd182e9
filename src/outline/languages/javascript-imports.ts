import { keyword } from './javascript-lexis.ts'
import type { OutlineBuilder } from '../outline-builder.ts'
import {
  CLOSE_BRACE,
  COLON,
  COMMA,
  EQUALS,
  OPEN_BRACE,
  OPEN_PAREN,
  SEMICOLON,
  STAR,
  STRING,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const AS = keyword('as')
const TYPE = keyword('type')
const FROM = keyword('from')
const IMPORT = keyword('import')
const EXPORT = keyword('export')
const MAX_TOKENS = 4_000

/** The names between braces, as the other file calls them. Returns the last token read. */
function readNames(tokens: Tokens, open: number, names: string[]): number {
  let at = open + 1
  for (
    ;
    at < tokens.count &&
    tokens.kind(at) !== CLOSE_BRACE &&
    tokens.kind(at) !== OPEN_BRACE &&
    tokens.kind(at) !== SEMICOLON;
    at++
  ) {
    const before = tokens.kind(at - 1)
    const isItem =
      before === OPEN_BRACE ||
      before === COMMA ||
      (tokens.keyword(at - 1) === TYPE && (tokens.kind(at - 2) === OPEN_BRACE || tokens.kind(at - 2) === COMMA))
    const isTypeMark = tokens.keyword(at) === TYPE && tokens.kind(at + 1) === WORD && tokens.keyword(at + 1) !== AS
    if (isItem && !isTypeMark && tokens.kind(at) === WORD) names.push(tokens.textOf(at))
  }
  return at
}

function unquoted(tokens: Tokens, at: number): string {
  return tokens.text.slice(tokens.begin(at) + 1, tokens.end(at) - 1)
}

/**
 * The names between `import` or `export` and `from`. Returns where that stands; -1 where none does, as in
 * `import x = require('y')`, which is read at its call.
 */
function readBindings(tokens: Tokens, start: number, names: string[]): number {
  for (let at = start; at < tokens.count && at - start < MAX_TOKENS; at++) {
    const kind = tokens.kind(at)
    const word = tokens.keyword(at)
    if (word === FROM && tokens.kind(at + 1) === STRING) return at
    const beginsOther = at > start && (word === IMPORT || word === EXPORT)
    if (kind === SEMICOLON || kind === EQUALS || beginsOther) return -1
    if (kind === OPEN_BRACE) at = readNames(tokens, at, names)
    else if (kind === STAR && tokens.keyword(at + 1) === AS) at += 2
    else if (kind === WORD) names.push(tokens.textOf(at))
  }
  return -1
}

/** `import … from 'x'`, `import 'x'`, `import('x')`, `export … from 'x'`. */
export function readJavaScriptImport(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const isImport = tokens.keyword(at) === IMPORT
  if (isImport && tokens.kind(at + 1) === STRING) return builder.import(unquoted(tokens, at + 1), [], at)
  if (isImport && tokens.kind(at + 1) === OPEN_PAREN) {
    if (tokens.kind(at + 2) === STRING) builder.import(unquoted(tokens, at + 2), [], at)
    return
  }
  const start = tokens.keyword(at + 1) === TYPE && tokens.keyword(at + 2) !== FROM ? at + 2 : at + 1
  if (!isImport && tokens.kind(start) !== OPEN_BRACE && tokens.kind(start) !== STAR) return
  const names: string[] = []
  const from = readBindings(tokens, start, names)
  if (from !== -1) builder.import(unquoted(tokens, from + 1), names, at)
}

/** `require('x')`, with the names that are taken out of it right away. */
export function readRequire(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  if (tokens.kind(at + 1) !== OPEN_PAREN || tokens.kind(at + 2) !== STRING) return
  const names: string[] = []
  const close = tokens.kind(at - 1) === EQUALS && tokens.kind(at - 2) === CLOSE_BRACE ? at - 2 : -1
  const open = tokens.pair(close)
  if (open !== -1) {
    for (let item = open + 1; item < close; item++) {
      const before = tokens.kind(item - 1)
      if (
        tokens.kind(item) === WORD &&
        (before === OPEN_BRACE || before === COMMA) &&
        tokens.kind(item + 1) !== OPEN_PAREN
      ) {
        names.push(tokens.textOf(item))
      } else if (tokens.kind(item) === COLON && tokens.pair(item + 1) > item) item = tokens.pair(item + 1)
    }
  }
  builder.import(unquoted(tokens, at + 2), names, at)
}
