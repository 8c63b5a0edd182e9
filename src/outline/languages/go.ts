import type { Outline, ScopeKind } from '../../core/outline.ts'
import { closing, MAX_HEADER_TOKENS, numbering } from '../lexis/blocks.ts'
import { lexis, pushLiteral, readComment, tokenizeSource } from '../lexis/lexer.ts'
import { afterBlock, afterQuoted } from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_PAREN,
  EQUALS,
  kindSet,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  SEMICOLON,
  SLASH,
  STRING,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = ['func', 'type', 'struct', 'interface', 'import'] as const
const id = numbering(KEYWORDS)
const [FUNC, TYPE, IMPORT] = [id('func'), id('type'), id('import')]
/** Words that have braces of their own, and the kinds of the types that these are. */
const BODIES = new Map<number, ScopeKind>([
  [id('struct'), 'struct'],
  [id('interface'), 'interface'],
])
const endsType = kindSet(SEMICOLON, CLOSE_PAREN, CLOSE_BRACE)

/** The tokens of Go. */
export const GO = lexis({
  special: '/"\'`',
  keywords: KEYWORDS,
  reader: tokens => (code, at) => {
    if (code === SLASH) return readComment(tokens, at)
    return pushLiteral(
      tokens,
      at,
      code === BACKTICK ? afterBlock(tokens.text, at, '`', '`') : afterQuoted(tokens.text, at),
    )
  },
})

function isStatement(tokens: Tokens, at: number): boolean {
  const before = tokens.kind(at - 1)
  return tokens.startsLine(at) || before === SEMICOLON || before === OPEN_BRACE
}

const isName = (tokens: Tokens, at: number): boolean => tokens.kind(at) === WORD && tokens.keyword(at) === 0

function readFunction(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const hasReceiver = tokens.kind(at + 1) === OPEN_PAREN && tokens.pair(at + 1) !== -1
  const name = hasReceiver ? tokens.pair(at + 1) + 1 : at + 1
  const open = tokens.kind(name + 1) === OPEN_BRACKET ? closing(tokens, name + 1) + 1 : name + 1
  if (!isName(tokens, name) || tokens.kind(open) !== OPEN_PAREN || !isStatement(tokens, at)) return
  for (let next = closing(tokens, open) + 1, last = next + MAX_HEADER_TOKENS; ; next++) {
    const kind = tokens.kind(next)
    const hasEnded = next >= tokens.count || next > last || tokens.startsLine(next) || kind === SEMICOLON
    if (hasEnded) return builder.scope('function', tokens.textOf(name), at, next - 1) // its body is in another language
    const isType = BODIES.has(tokens.keyword(next - 1))
    if (kind === OPEN_BRACE && !isType) return builder.scope('function', tokens.textOf(name), at, closing(tokens, next))
    next = tokens.over(next)
  }
}

/** `A struct {`, `A = B`, behind `type`. Returns the last token of the declaration. */
function readType(tokens: Tokens, builder: OutlineBuilder, name: number, first: number): number {
  if (!isName(tokens, name)) return name
  let at = name + 1
  while (at < tokens.count && at - name < MAX_HEADER_TOKENS && !endsType(tokens.kind(at))) {
    if (at > name + 1 && tokens.startsLine(at)) break
    at = tokens.over(at) + 1
  }
  const isGeneric = tokens.kind(name + 1) === OPEN_BRACKET && tokens.pair(name + 1) > name + 2
  const equals = isGeneric ? tokens.pair(name + 1) + 1 : name + 1
  const value = tokens.keyword(tokens.kind(equals) === EQUALS ? equals + 1 : equals)
  const kind = BODIES.get(value) ?? 'type'
  builder.scope(kind, tokens.textOf(name), first, at - 1)
  return at - 1
}

/**
 * `type A …`, `type (…)`. Returns the last token of a group, but the keyword of a single declaration, as functions may
 * stand in what follows it.
 */
function readTypes(tokens: Tokens, builder: OutlineBuilder, at: number): number {
  if (tokens.kind(at + 1) !== OPEN_PAREN) {
    readType(tokens, builder, at + 1, at)
    return at
  }
  const end = tokens.pair(at + 1)
  for (let next = at + 2; next < end;) {
    next = Math.max(tokens.kind(next) === WORD ? readType(tokens, builder, next, next) : tokens.pair(next), next) + 1
  }
  return Math.max(end, at)
}

/** `import "a"`, `import (…)`. Returns the last token read. */
function readImports(tokens: Tokens, builder: OutlineBuilder, at: number): number {
  const isGroup = tokens.kind(at + 1) === OPEN_PAREN
  const end = isGroup ? tokens.pair(at + 1) : at + 3
  for (let next = at + 1; next < end; next++) {
    if (tokens.kind(next) !== STRING) continue
    builder.import(tokens.textOf(next).slice(1, -1), [], next)
  }
  return isGroup ? Math.max(end, at) : at
}

/** Definitions and imports of Go. */
export function outlineGo(text: string): Outline {
  const tokens = tokenizeSource(text, GO)
  const builder = new OutlineBuilder(tokens)
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    if (word === 0) continue
    if (word === FUNC) readFunction(tokens, builder, at)
    else if (word === TYPE && isStatement(tokens, at)) at = readTypes(tokens, builder, at)
    else if (word === IMPORT && tokens.startsLine(at)) at = readImports(tokens, builder, at)
  }
  return builder.build()
}
