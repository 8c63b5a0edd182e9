import type { Outline, ScopeKind } from '../../core/outline.ts'
import {
  closing,
  type ExpressionEnds,
  indentedEnds,
  MAX_HEADER_TOKENS,
  numbering,
  withModifiers,
} from '../lexis/blocks.ts'
import { pushLiteral, readComment } from './c-family-lexis.ts'
import { lexis, tokenizeSource, type SpecialReader } from '../lexis/lexer.ts'
import {
  afterBlock,
  afterInterpolated,
  afterNestedBlock,
  afterQuoted,
  afterQuotedName,
  DOLLAR_BRACES,
} from '../lexis/literals.ts'
import { MAX_NAMES, OutlineBuilder } from '../outline-builder.ts'
import {
  APOSTROPHE,
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  HASH,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PATH,
  QUOTE,
  SEMICOLON,
  SLASH,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'def',
  'class',
  'object',
  'trait',
  'enum',
  'type',
  'import',
  'extends',
  'with',
  'derives',
  'case',
  'package',
  'private',
  'protected',
  'final',
  'sealed',
  'abstract',
  'override',
  'implicit',
  'lazy',
  'inline',
  'transparent',
  'open',
  'infix',
  'opaque',
  'erased',
  'val',
  'var',
  'given',
  'as',
  'then',
  'end',
  'this',
] as const
const id = numbering(KEYWORDS)
const [DEF, CLASS, OBJECT, TRAIT, ENUM, TYPE, IMPORT] = KEYWORDS.map(id)
const CARRIES = new Set(['extends', 'with', 'derives'].map(id))
const MODIFIERS = new Set(
  [
    'case',
    'package',
    'private',
    'protected',
    'final',
    'sealed',
    'abstract',
    'override',
    'implicit',
    'lazy',
    'inline',
    'transparent',
    'open',
    'infix',
    'opaque',
    'erased',
  ].map(id),
)
const KINDS = new Map<number | undefined, ScopeKind>([
  [DEF, 'function'],
  [CLASS, 'class'],
  [OBJECT, 'object'],
  [TRAIT, 'trait'],
  [ENUM, 'enum'],
  [TYPE, 'type'],
])
/** No part of the name of an operator. */
const AFTER_NAME = new Set([
  OPEN_PAREN,
  CLOSE_PAREN,
  OPEN_BRACKET,
  CLOSE_BRACKET,
  OPEN_BRACE,
  CLOSE_BRACE,
  COMMA,
  COLON,
  SEMICOLON,
])

function reader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  return (code, at) => {
    if (code === SLASH) return readComment(tokens, at, (source, from) => afterNestedBlock(source, from, '/*', '*/'))
    if (code === BACKTICK) {
      const end = afterQuotedName(text, at)
      tokens.push(WORD, at, end, 0)
      return end
    }
    if (code === APOSTROPHE) {
      // 'a', not the symbol 'a nor the quotation '{
      if (text.charCodeAt(at + 1) === BACKSLASH) return pushLiteral(tokens, at, afterQuoted(text, at))
      return text.charCodeAt(at + 2) === APOSTROPHE ? pushLiteral(tokens, at, at + 3) : at + 1
    }
    const last = tokens.count - 1
    const isInterpolating = tokens.end(last) === at && tokens.kind(last) === WORD
    const isLong = text.startsWith('"""', at)
    if (isInterpolating) {
      return pushLiteral(
        tokens,
        at,
        afterInterpolated(text, at, isLong ? '"""' : '"', DOLLAR_BRACES, { long: isLong, escapes: !isLong }),
      )
    }
    if (!isLong) return pushLiteral(tokens, at, afterQuoted(text, at))
    let end = afterBlock(text, at, '"""', '"""')
    while (text.charCodeAt(end) === QUOTE) end++
    return pushLiteral(tokens, at, end)
  }
}

export const SCALA = lexis({ special: '/"\'`', keywords: KEYWORDS, reader })

/** The end of what follows `=`: braces that nothing carries on, or lines that stand deeper. */
function valueEnd(tokens: Tokens, equals: number, base: number, ends: ExpressionEnds): number {
  const open = equals + 1
  const end = tokens.kind(open) === OPEN_BRACE ? tokens.pair(open) : -1
  if (end !== -1 && (end + 1 >= tokens.count || tokens.startsLine(end + 1)) && tokens.kind(end + 1) !== DOT) return end
  if (open < tokens.count && tokens.startsLine(open) && tokens.indent(open) <= base) return equals
  return ends.endOf(open, base)
}

function definitionEnd(
  tokens: Tokens,
  from: number,
  keyword: number,
  { kind, ends }: { kind: ScopeKind; ends: ExpressionEnds },
): number {
  const base = tokens.indent(keyword)
  let at = from
  for (; at < tokens.count && at - from < MAX_HEADER_TOKENS; at++) {
    const token = tokens.kind(at)
    const startsLine = tokens.startsLine(at)
    if (token === OPEN_BRACE) return closing(tokens, at)
    if (token === EQUALS) return valueEnd(tokens, at, base, ends)
    if (
      token === SEMICOLON ||
      token === CLOSE_BRACE ||
      token === CLOSE_PAREN ||
      token === CLOSE_BRACKET ||
      token === COMMA
    ) {
      return at - 1
    }
    if (startsLine) {
      if (tokens.kind(at - 1) === COLON && kind !== 'function' && kind !== 'type') {
        return tokens.indent(at) > base ? ends.endOf(at, base) : at - 1
      }
      const isCarried =
        CARRIES.has(tokens.keyword(at)) ||
        CARRIES.has(tokens.keyword(at - 1)) ||
        token === OPEN_PAREN ||
        token === COLON ||
        (kind !== 'function' && kind !== 'type' && tokens.indent(at) > base && tokens.kind(at - 1) === COMMA)
      if (!isCarried || tokens.indent(at) < base) return at - 1
    }
    at = tokens.over(at)
  }
  return at - 1
}

function readDefinition(
  tokens: Tokens,
  builder: OutlineBuilder,
  at: number,
  { kind, ends }: { kind: ScopeKind; ends: ExpressionEnds },
): void {
  if (tokens.keyword(at - 1) === id('end') || tokens.line(at + 1) !== tokens.line(at)) return
  let name = at + 1
  if (tokens.kind(name) !== WORD) {
    // an operator: up to what cannot be of one
    if (kind !== 'function' && kind !== 'type' && kind !== 'class') return
    while (tokens.kind(name + 1) > WORD && !AFTER_NAME.has(tokens.kind(name + 1)) && tokens.touches(name + 1)) name++
  }
  const text = tokens.text.slice(tokens.begin(at + 1), tokens.end(name)).replaceAll('`', '')
  const nameWord = tokens.keyword(name)
  if (
    text === '' ||
    (nameWord !== 0 && nameWord !== id('this') && kind !== 'function') ||
    AFTER_NAME.has(tokens.kind(at + 1))
  ) {
    return
  }
  builder.scope(kind, text, withModifiers(tokens, at, MODIFIERS), definitionEnd(tokens, name + 1, at, { kind, ends }))
}

/** `import a.b.{C, D}`, `import a.b.C`. Answers the last token read. */
function readImport(tokens: Tokens, builder: OutlineBuilder, at: number): number {
  let target = ''
  let next = at + 1
  for (; next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
    const kind = tokens.kind(next)
    if (next > at + 1 && tokens.startsLine(next) && tokens.kind(next - 1) !== COMMA && tokens.kind(next - 1) !== DOT) {
      break
    }
    if (kind === OPEN_BRACE) {
      const close = tokens.pair(next)
      if (close === -1) return next
      const names: string[] = []
      for (let item = next + 1; item < close && names.length < MAX_NAMES; item++) {
        if (tokens.kind(item) === WORD && (tokens.kind(item - 1) === OPEN_BRACE || tokens.kind(item - 1) === COMMA)) {
          names.push(tokens.textOf(item))
        }
      }
      builder.import(target.replace(/\.$/, ''), names, at)
      target = ''
      next = close
    } else if (kind === COMMA) {
      builder.import(target, [], at)
      target = ''
    } else if (kind === WORD || kind === DOT) target += tokens.textOf(next)
    else break
  }
  builder.import(target, [], at)
  return next - 1
}

/** Definitions of Scala 2 and 3, by braces or by indentation. */
export function outlineScala(text: string): Outline {
  const tokens = tokenizeSource(text, SCALA)
  const builder = new OutlineBuilder(tokens)
  const ends = indentedEnds(tokens)
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    const before = tokens.kind(at - 1)
    if (word === 0 || before === DOT || before === PATH || before === HASH) continue
    const kind = KINDS.get(word)
    if (kind !== undefined) readDefinition(tokens, builder, at, { kind, ends })
    else if (word === IMPORT) at = readImport(tokens, builder, at)
  }
  return builder.build()
}
