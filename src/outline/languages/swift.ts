import type { Outline, ScopeKind } from '../../core/outline.ts'
import { afterAngles, closing, MAX_HEADER_TOKENS, numbering, withModifiers } from '../lexis/blocks.ts'
import { pushLiteral, readComment } from './c-family-lexis.ts'
import { lexis, tokenizeSource, type SpecialReader } from '../lexis/lexer.ts'
import {
  afterBlock,
  afterInterpolated,
  afterNestedBlock,
  afterQuotedName,
  type Interpolation,
} from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  AMPERSAND,
  BACKTICK,
  BANG,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  HASH,
  LESS,
  OPEN_BRACE,
  OPEN_PAREN,
  PATH,
  QUESTION,
  SEMICOLON,
  SLASH,
  THIN_ARROW,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'func',
  'class',
  'struct',
  'enum',
  'protocol',
  'extension',
  'actor',
  'typealias',
  'init',
  'deinit',
  'subscript',
  'var',
  'import',
  'public',
  'private',
  'fileprivate',
  'internal',
  'open',
  'package',
  'static',
  'final',
  'override',
  'mutating',
  'nonmutating',
  'convenience',
  'required',
  'indirect',
  'dynamic',
  'lazy',
  'weak',
  'unowned',
  'nonisolated',
  'isolated',
  'async',
  'throws',
  'rethrows',
  'where',
  'some',
  'any',
  'optional',
  'prefix',
  'postfix',
  'infix',
  'distributed',
  'borrowing',
  'consuming',
  'let',
  'case',
] as const
const id = numbering(KEYWORDS)
const [FUNC, CLASS, STRUCT, ENUM, PROTOCOL, EXTENSION, ACTOR, TYPEALIAS, INIT, DEINIT, SUBSCRIPT, VAR, IMPORT] =
  KEYWORDS.map(id)
const MODIFIERS = new Set(
  [
    'class',
    'public',
    'private',
    'fileprivate',
    'internal',
    'open',
    'package',
    'static',
    'final',
    'override',
    'mutating',
    'nonmutating',
    'convenience',
    'required',
    'indirect',
    'dynamic',
    'lazy',
    'weak',
    'unowned',
    'nonisolated',
    'async',
    'optional',
    'prefix',
    'postfix',
    'infix',
    'distributed',
    'borrowing',
    'consuming',
  ].map(id),
)
const CARRIES = new Set(['async', 'throws', 'rethrows', 'where'].map(id))
const KINDS = new Map<number | undefined, ScopeKind>([
  [CLASS, 'class'],
  [STRUCT, 'struct'],
  [ENUM, 'enum'],
  [PROTOCOL, 'interface'],
  [EXTENSION, 'impl'],
  [ACTOR, 'class'],
  [TYPEALIAS, 'type'],
])
const INTERPOLATION: Interpolation = { open: '\\(', bracket: OPEN_PAREN, closing: CLOSE_PAREN, quotes: '"' }

function reader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  return (code, at) => {
    if (code === SLASH) return readComment(tokens, at, (source, from) => afterNestedBlock(source, from, '/*', '*/'))
    if (code === HASH) {
      // #"…"#
      const open = /^#+"(?:"")?/.exec(text.slice(at, at + 40))?.[0]
      return open === undefined ? -1 : pushLiteral(tokens, at, afterBlock(text, at, open, [...open].reverse().join('')))
    }
    if (code === BACKTICK) {
      const end = afterQuotedName(text, at)
      tokens.push(WORD, at, end, 0)
      return end
    }
    const isLong = text.startsWith('"""', at)
    return pushLiteral(
      tokens,
      at,
      afterInterpolated(text, at, isLong ? '"""' : '"', INTERPOLATION, { long: isLong, escapes: true }),
    )
  }
}

export const SWIFT = lexis({ special: '/"#`', keywords: KEYWORDS, reader })

/** The body, or the last token of a declaration without one. */
function declarationEnd(tokens: Tokens, from: number): number {
  let at = from
  for (; at < tokens.count && at - from < MAX_HEADER_TOKENS; at++) {
    const kind = tokens.kind(at)
    if (kind === OPEN_BRACE) return closing(tokens, at)
    if (kind === SEMICOLON || kind === CLOSE_BRACE || kind === CLOSE_PAREN || kind === CLOSE_BRACKET) return at - 1
    const before = tokens.kind(at - 1)
    if (
      tokens.startsLine(at) &&
      kind !== THIN_ARROW &&
      kind !== EQUALS &&
      kind !== COMMA &&
      kind !== DOT &&
      !CARRIES.has(tokens.keyword(at)) &&
      !CARRIES.has(tokens.keyword(at - 1)) &&
      before !== THIN_ARROW &&
      before !== EQUALS &&
      before !== COMMA &&
      before !== COLON &&
      before !== AMPERSAND
    ) {
      return at - 1
    }
    at = tokens.over(at)
  }
  return at - 1
}

function readFunction(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const word = tokens.keyword(at)
  const first = withModifiers(tokens, at, MODIFIERS)
  if (word === FUNC) {
    let open = at + 1
    if (tokens.kind(open) === WORD) open++
    else while (tokens.kind(open) !== OPEN_PAREN && open - at < 6) open++
    const name = tokens.text
      .slice(tokens.begin(at + 1), tokens.end(tokens.kind(at + 1) === WORD ? at + 1 : open - 1))
      .replaceAll('`', '')
    const parameters = tokens.kind(at + 1) === WORD ? afterAngles(tokens, open) : open
    if (tokens.kind(parameters) === OPEN_PAREN) {
      builder.scope('function', name, first, declarationEnd(tokens, closing(tokens, parameters) + 1))
    }
    return
  }
  let open = at + 1
  if (word === INIT && (tokens.kind(open) === QUESTION || tokens.kind(open) === BANG)) open++
  open = afterAngles(tokens, open)
  if (word === DEINIT) {
    if (tokens.kind(open) === OPEN_BRACE) builder.scope('function', 'deinit', first, closing(tokens, open))
  } else if (tokens.kind(open) === OPEN_PAREN) {
    const before = tokens.kind(first - 1)
    if (
      !tokens.startsLine(first) &&
      before !== OPEN_BRACE &&
      before !== SEMICOLON &&
      before !== CLOSE_PAREN &&
      before !== WORD
    ) {
      return
    }
    builder.scope('function', tokens.textOf(at), first, declarationEnd(tokens, closing(tokens, open) + 1))
  }
}

/** `var name: Type {` */
function readProperty(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  if (tokens.kind(at + 1) !== WORD || tokens.kind(at + 2) !== COLON) return
  for (let next = at + 3; next < tokens.count && next - at < 200; next++) {
    const kind = tokens.kind(next)
    if (kind === OPEN_BRACE) {
      return builder.scope(
        'function',
        tokens.textOf(at + 1).replaceAll('`', ''),
        withModifiers(tokens, at, MODIFIERS),
        closing(tokens, next),
      )
    }
    if (
      kind === EQUALS ||
      kind === SEMICOLON ||
      kind === CLOSE_BRACE ||
      kind === CLOSE_PAREN ||
      kind === COMMA ||
      (tokens.startsLine(next) && tokens.kind(next - 1) !== COLON)
    ) {
      return
    }
    const behind = afterAngles(tokens, next)
    if (kind === LESS && behind === next) return // never closed
    next = behind > next ? behind - 1 : tokens.pair(next) > next ? tokens.pair(next) : next
  }
}

function readType(tokens: Tokens, builder: OutlineBuilder, at: number, kind: ScopeKind): void {
  if (
    tokens.kind(at + 1) !== WORD ||
    tokens.line(at + 1) !== tokens.line(at) ||
    (kind === 'class' && tokens.keyword(at + 1) !== 0)
  ) {
    return
  }
  let name = at + 1
  while (tokens.kind(name + 1) === DOT && tokens.kind(name + 2) === WORD) name += 2
  const first = withModifiers(tokens, at, MODIFIERS)
  if (kind !== 'type') {
    for (let next = name + 1; next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
      const token = tokens.kind(next)
      if (token === OPEN_BRACE) {
        return builder.scope(kind, tokens.textOf(name).replaceAll('`', ''), first, closing(tokens, next))
      }
      if (token === SEMICOLON || token === CLOSE_BRACE || token === CLOSE_PAREN || token === EQUALS) return
      next = tokens.over(next)
    }
    return
  }
  builder.scope(kind, tokens.textOf(name), first, declarationEnd(tokens, name + 1))
}

function readImport(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  let name = at + 1
  if (KINDS.has(tokens.keyword(name)) || tokens.keyword(name) === FUNC || /^(?:let|var)$/.test(tokens.textOf(name))) {
    name++
  }
  let end = name
  while (tokens.kind(end + 1) === DOT && tokens.kind(end + 2) === WORD) end += 2
  if (tokens.kind(name) === WORD && tokens.line(name) === tokens.line(at)) {
    builder.import(tokens.text.slice(tokens.begin(name), tokens.end(end)), [], at)
  }
}

/** Definitions of Swift; a computed property counts as a function. */
export function outlineSwift(text: string): Outline {
  const tokens = tokenizeSource(text, SWIFT)
  const builder = new OutlineBuilder(tokens)
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    if (word === 0 || tokens.kind(at - 1) === DOT || tokens.kind(at - 1) === PATH || tokens.kind(at + 1) === COLON) {
      continue
    }
    if (word === FUNC || word === INIT || word === DEINIT || word === SUBSCRIPT) readFunction(tokens, builder, at)
    else if (word === VAR) readProperty(tokens, builder, at)
    else if (word === IMPORT) readImport(tokens, builder, at)
    else if (KINDS.has(word)) readType(tokens, builder, at, KINDS.get(word) ?? 'class')
  }
  return builder.build()
}
