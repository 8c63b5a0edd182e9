import type { Outline, ScopeKind } from '../../core/outline.ts'
import { afterAngles, closing, MAX_HEADER_TOKENS, numbering, withModifiers } from '../lexis/blocks.ts'
import { lexis, pushLiteral, readComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
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
  kindSet,
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
const endsDeclaration = kindSet(SEMICOLON, CLOSE_BRACE, CLOSE_PAREN, CLOSE_BRACKET)
/** Punctuation at the beginning of a line that carries the declaration above it on. */
const carriesOn = kindSet(THIN_ARROW, EQUALS, COMMA, DOT)
/** Punctuation behind which a declaration goes on in the next line. */
const isCarried = kindSet(THIN_ARROW, EQUALS, COMMA, COLON, AMPERSAND)
const failable = kindSet(QUESTION, BANG)
/** What may stand on the line of an `init` that declares one, in front of it. */
const beforeInitializer = kindSet(OPEN_BRACE, SEMICOLON, CLOSE_PAREN, WORD)
/** End the type of a property that has no body. */
const endsStored = kindSet(EQUALS, SEMICOLON, CLOSE_BRACE, CLOSE_PAREN, COMMA)
const endsTypeHeader = kindSet(SEMICOLON, CLOSE_BRACE, CLOSE_PAREN, EQUALS)
const MAX_OPERATOR_TOKENS = 5
const MAX_TYPE_TOKENS = 200
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

/** The tokens of Swift. */
export const SWIFT = lexis({ special: '/"#`', keywords: KEYWORDS, reader })

/** Whether a declaration goes on in the line that begins with a token. */
function isCarriedOn(tokens: Tokens, at: number): boolean {
  return (
    carriesOn(tokens.kind(at)) ||
    isCarried(tokens.kind(at - 1)) ||
    CARRIES.has(tokens.keyword(at)) ||
    CARRIES.has(tokens.keyword(at - 1))
  )
}

/** The end of the body, or the last token of a declaration without one. */
function declarationEnd(tokens: Tokens, from: number): number {
  let at = from
  for (; at < tokens.count && at - from < MAX_HEADER_TOKENS; at++) {
    const kind = tokens.kind(at)
    if (kind === OPEN_BRACE) return closing(tokens, at)
    if (endsDeclaration(kind)) return at - 1
    if (tokens.startsLine(at) && !isCarriedOn(tokens, at)) return at - 1
    at = tokens.over(at)
  }
  return at - 1
}

/** A name without the backticks that may be around it. */
const plain = (name: string): string => name.replaceAll('`', '')

/** `func name<T> (…) {`, `func + (…) {` */
function readFunction(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const first = at + 1
  const isOperator = tokens.kind(first) !== WORD
  let last = first
  if (isOperator) {
    last = at
    while (tokens.kind(last + 1) !== OPEN_PAREN && last - at < MAX_OPERATOR_TOKENS) last++
  }
  const open = isOperator ? last + 1 : afterAngles(tokens, last + 1)
  if (tokens.kind(open) !== OPEN_PAREN) return
  const name = plain(tokens.text.slice(tokens.begin(first), tokens.end(last)))
  const end = declarationEnd(tokens, closing(tokens, open) + 1)
  builder.scope('function', name, withModifiers(tokens, at, MODIFIERS), end)
}

/** `init? (…) {`, `subscript<T> (…) {`: words that are called elsewhere. */
function readInitializer(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const isFailable = tokens.keyword(at) === INIT && failable(tokens.kind(at + 1))
  const open = afterAngles(tokens, isFailable ? at + 2 : at + 1)
  if (tokens.kind(open) !== OPEN_PAREN) return
  const first = withModifiers(tokens, at, MODIFIERS)
  if (!tokens.startsLine(first) && !beforeInitializer(tokens.kind(first - 1))) return
  builder.scope('function', tokens.textOf(at), first, declarationEnd(tokens, closing(tokens, open) + 1))
}

/** `deinit {` */
function readDeinitializer(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const open = afterAngles(tokens, at + 1)
  if (tokens.kind(open) !== OPEN_BRACE) return
  builder.scope('function', 'deinit', withModifiers(tokens, at, MODIFIERS), closing(tokens, open))
}

/** `var name: Type {` */
function readProperty(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  if (tokens.kind(at + 1) !== WORD || tokens.kind(at + 2) !== COLON) return
  for (let next = at + 3; next < tokens.count && next - at < MAX_TYPE_TOKENS; next++) {
    const kind = tokens.kind(next)
    if (kind === OPEN_BRACE) {
      const first = withModifiers(tokens, at, MODIFIERS)
      return builder.scope('function', plain(tokens.textOf(at + 1)), first, closing(tokens, next))
    }
    if (endsStored(kind) || (tokens.startsLine(next) && tokens.kind(next - 1) !== COLON)) return
    const behind = afterAngles(tokens, next)
    if (kind === LESS && behind === next) return // never closed
    next = kind === LESS ? behind - 1 : tokens.over(next)
  }
}

/** The `{` of a type behind its name; -1 when it has none. */
function bodyOf(tokens: Tokens, at: number, name: number): number {
  for (let next = name + 1; next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
    const kind = tokens.kind(next)
    if (kind === OPEN_BRACE) return next
    if (endsTypeHeader(kind)) return -1
    next = tokens.over(next)
  }
  return -1
}

/** `class A {`, `extension A.B: C {`, `typealias A = B` */
function readType(tokens: Tokens, builder: OutlineBuilder, at: number, kind: ScopeKind): void {
  let name = at + 1
  if (tokens.kind(name) !== WORD || tokens.line(name) !== tokens.line(at)) return
  if (kind === 'class' && tokens.keyword(name) !== 0) return
  while (tokens.kind(name + 1) === DOT && tokens.kind(name + 2) === WORD) name += 2
  const first = withModifiers(tokens, at, MODIFIERS)
  if (kind === 'type') return builder.scope(kind, tokens.textOf(name), first, declarationEnd(tokens, name + 1))
  const body = bodyOf(tokens, at, name)
  if (body !== -1) builder.scope(kind, plain(tokens.textOf(name)), first, closing(tokens, body))
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

/** Definitions and imports of Swift; a computed property counts as a function. */
export function outlineSwift(text: string): Outline {
  const tokens = tokenizeSource(text, SWIFT)
  const builder = new OutlineBuilder(tokens)
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    if (word === 0 || tokens.kind(at - 1) === DOT || tokens.kind(at - 1) === PATH || tokens.kind(at + 1) === COLON) {
      continue
    }
    if (word === FUNC) readFunction(tokens, builder, at)
    else if (word === INIT || word === SUBSCRIPT) readInitializer(tokens, builder, at)
    else if (word === DEINIT) readDeinitializer(tokens, builder, at)
    else if (word === VAR) readProperty(tokens, builder, at)
    else if (word === IMPORT) readImport(tokens, builder, at)
    else if (KINDS.has(word)) readType(tokens, builder, at, KINDS.get(word) ?? 'class')
  }
  return builder.build()
}
