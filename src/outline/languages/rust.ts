import type { Outline, ScopeKind } from '../../core/outline.ts'
import { afterAngles, closing, MAX_HEADER_TOKENS, numbering, withModifiers } from '../lexis/blocks.ts'
import { pushLiteral, readComment } from './c-family-lexis.ts'
import { lexis, tokenizeSource, type SpecialReader } from '../lexis/lexer.ts'
import { afterBlock, afterLongQuoted, afterNestedBlock, afterQuoted } from '../lexis/literals.ts'
import { MAX_TARGET, OutlineBuilder } from '../outline-builder.ts'
import {
  AMPERSAND,
  APOSTROPHE,
  BACKSLASH,
  BANG,
  CLOSE_BRACE,
  COMMA,
  EQUALS,
  HASH,
  LESS,
  OPEN_BRACE,
  OPEN_PAREN,
  PATH,
  SEMICOLON,
  SLASH,
  STAR,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'fn',
  'struct',
  'enum',
  'union',
  'trait',
  'impl',
  'mod',
  'type',
  'macro_rules',
  'use',
  'pub',
  'async',
  'unsafe',
  'const',
  'extern',
  'default',
  'for',
  'where',
  'as',
  'dyn',
  'mut',
  'crate',
] as const
const id = numbering(KEYWORDS)
const [FN, STRUCT, ENUM, UNION, TRAIT, IMPL, MOD, TYPE, MACRO, USE] = KEYWORDS.map(id)
const MODIFIERS = new Set(['pub', 'async', 'unsafe', 'const', 'extern', 'default'].map(id))
const [FOR, WHERE, AS, EXTERN] = ['for', 'where', 'as', 'extern'].map(id)
const KINDS = new Map<number | undefined, ScopeKind>([
  [STRUCT, 'struct'],
  [ENUM, 'enum'],
  [UNION, 'struct'],
  [TRAIT, 'trait'],
  [MOD, 'module'],
  [TYPE, 'type'],
])

/** `'a'`, but not the lifetime `'a`. */
function afterQuote(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === BACKSLASH) return afterQuoted(text, at)
  const width = (text.codePointAt(at + 1) ?? 0) > 0xffff ? 2 : 1
  return text.charCodeAt(at + 1 + width) === APOSTROPHE ? at + 2 + width : at + 1
}

function reader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  return (code, at) => {
    if (code === SLASH) return readComment(tokens, at, (source, from) => afterNestedBlock(source, from, '/*', '*/'))
    if (code === APOSTROPHE) {
      const end = afterQuote(text, at)
      return end === at + 1 ? end : pushLiteral(tokens, at, end)
    }
    const last = tokens.count - 1
    const isRaw =
      tokens.end(last) === at &&
      tokens.kind(last) === WORD &&
      tokens.end(last) - tokens.begin(last) <= 2 &&
      /^(?:[bc]?r)$/.test(tokens.textOf(last))
    if (code === HASH) {
      // r#"…"#
      if (!isRaw) return -1
      const hashes = /^#+(?=")/.exec(text.slice(at, at + 60))?.[0]
      return hashes === undefined ? -1 : pushLiteral(tokens, at, afterBlock(text, at, `${hashes}"`, `"${hashes}`))
    }
    return pushLiteral(tokens, at, isRaw ? afterBlock(text, at, '"', '"') : afterLongQuoted(text, at, '"'))
  }
}

export const RUST = lexis({ special: '/"\'#', keywords: KEYWORDS, reader })

/** The `}` or the `;` of an item. */
function itemEnd(tokens: Tokens, from: number): number {
  for (let at = from; at < tokens.count && at - from < MAX_HEADER_TOKENS; at++) {
    const kind = tokens.kind(at)
    if (kind === OPEN_BRACE) return closing(tokens, at)
    if (kind === SEMICOLON) return at
    if (kind === CLOSE_BRACE) return -1
    at = tokens.over(at)
  }
  return -1
}

/** Named after the type that it is for. */
function readImpl(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  if (
    tokens.kind(at - 1) !== 0 &&
    !tokens.startsLine(withModifiers(tokens, at, MODIFIERS)) &&
    tokens.kind(at - 1) !== CLOSE_BRACE &&
    tokens.kind(at - 1) !== SEMICOLON
  ) {
    return
  } // `impl Trait` as a type
  let name = -1
  let isNamed = false
  for (let next = afterAngles(tokens, at + 1); next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
    const kind = tokens.kind(next)
    const word = tokens.keyword(next)
    if (kind === OPEN_BRACE) {
      return builder.scope(
        'impl',
        name === -1 ? '' : tokens.textOf(name),
        withModifiers(tokens, at, MODIFIERS),
        closing(tokens, next),
      )
    }
    if (kind === SEMICOLON || kind === CLOSE_BRACE || kind === EQUALS || kind === COMMA) return
    if (word === FOR && tokens.kind(next + 1) !== LESS) {
      name = -1
      isNamed = false
    } else if (word === WHERE || kind === LESS) {
      isNamed = true
      const behind = afterAngles(tokens, next)
      if (kind === LESS && behind === next) return // never closed
      if (behind > next) next = behind - 1
    } else if (kind === WORD && !isNamed && word === 0) name = next
    else if (kind === PATH) isNamed = false
    else if (kind !== AMPERSAND && kind !== STAR && kind !== WORD && kind !== BANG) isNamed = true
    next = tokens.over(next)
  }
}

function readItem(tokens: Tokens, builder: OutlineBuilder, at: number, word: number): void {
  if (word === IMPL) return readImpl(tokens, builder, at)
  const kind = word === FN ? 'function' : KINDS.get(word)
  if (kind === undefined || tokens.kind(at + 1) !== WORD || (tokens.keyword(at + 1) !== 0 && word !== FN)) return
  const name = tokens.textOf(at + 1)
  const next = tokens.kind(at + 2)
  if (word === UNION && next !== OPEN_BRACE && next !== LESS) return
  const end = itemEnd(tokens, afterAngles(tokens, at + 2))
  if (end === -1) return
  // its code is in another file
  if (kind === 'module' && tokens.kind(end) === SEMICOLON) return builder.import(`self::${name}`, [], at)
  builder.scope(kind, name.replace(/^r#/, ''), withModifiers(tokens, at, MODIFIERS), end)
}

const MAX_USE_TOKENS = 2_000

/**
 * `use a::b;`, `use a::{b, c::{d}};`: one import for each path that something is taken from. Answers the last token
 * read.
 */
function readUse(tokens: Tokens, builder: OutlineBuilder, at: number): number {
  /** With the paths around them. */
  const prefixes: string[] = []
  const groups: string[][] = []
  let path = ''
  let next = at + 1
  for (; next < tokens.count && next - at < MAX_USE_TOKENS; next++) {
    const kind = tokens.kind(next)
    const group = groups.at(-1)
    const prefix = prefixes.at(-1) ?? ''
    if (kind === WORD && tokens.keyword(next) === AS) next++
    else if (kind === WORD || kind === PATH || kind === STAR) path += tokens.textOf(next)
    else if (kind === OPEN_BRACE) {
      if (prefix.length + path.length > MAX_TARGET) return Math.max(tokens.pair(next), next) // no path in it is kept
      prefixes.push(prefix + path)
      groups.push([])
      path = ''
    } else if (kind === COMMA || kind === CLOSE_BRACE || kind === SEMICOLON) {
      if (path !== '' && group !== undefined && !path.includes('::')) group.push(path)
      else if (path !== '') builder.import(prefix + path, [], at)
      path = ''
      if (kind === CLOSE_BRACE && group !== undefined) {
        if (group.length > 0) builder.import(prefix.replace(/::$/, ''), group, at)
        prefixes.pop()
        groups.pop()
      }
      if (kind === SEMICOLON || (kind === CLOSE_BRACE && group === undefined)) return next
    } else if (kind === OPEN_PAREN || kind === LESS) return next - 1
  }
  return next - 1
}

/** Definitions of Rust. What stands in the definition of a macro is a pattern, not code. */
export function outlineRust(text: string): Outline {
  const tokens = tokenizeSource(text, RUST)
  const builder = new OutlineBuilder(tokens)
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    if (word === 0) continue
    if (word === MACRO && tokens.kind(at + 1) === BANG) {
      const end = closing(tokens, at + 3)
      if (tokens.kind(at + 2) === WORD && end > at + 3) {
        builder.scope('function', tokens.textOf(at + 2), at, tokens.kind(end + 1) === SEMICOLON ? end + 1 : end)
        at = end
      }
    } else if (word === USE) at = readUse(tokens, builder, at)
    else if (word === EXTERN) continue
    else readItem(tokens, builder, at, word)
  }
  return builder.build()
}
