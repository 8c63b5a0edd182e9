import type { Outline, ScopeKind } from '../../core/outline.ts'
import {
  closing,
  type ExpressionEnds,
  indentedEnds,
  MAX_HEADER_TOKENS,
  numbering,
  withModifiers,
} from '../lexis/blocks.ts'
import { lexis, pushLiteral, readComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
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
  kindSet,
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
/** Punctuation in front of a name between the braces of an import. */
const beforeImported = kindSet(OPEN_BRACE, COMMA)
/** Punctuation behind which an import goes on in the next line. */
const carriesImport = kindSet(COMMA, DOT)
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

/** The tokens of Scala. */
export const SCALA = lexis({ special: '/"\'`', keywords: KEYWORDS, reader })

/** The end of what follows `=`: braces that nothing carries on, or lines that stand deeper. */
function valueEnd(tokens: Tokens, equals: number, base: number, ends: ExpressionEnds): number {
  const open = equals + 1
  const end = tokens.kind(open) === OPEN_BRACE ? tokens.pair(open) : -1
  if (end !== -1 && (end + 1 >= tokens.count || tokens.startsLine(end + 1)) && tokens.kind(end + 1) !== DOT) return end
  if (open < tokens.count && tokens.startsLine(open) && tokens.indent(open) <= base) return equals
  return ends.endOf(open, base)
}

const endsHeader = kindSet(SEMICOLON, CLOSE_BRACE, CLOSE_PAREN, CLOSE_BRACKET, COMMA)

const mayHaveMembers = (kind: ScopeKind): boolean => kind !== 'function' && kind !== 'type'

/** Whether a header goes on in the line that begins with a token; `base` is the indentation of its keyword. */
function isCarriedOn(tokens: Tokens, at: number, base: number, kind: ScopeKind): boolean {
  const indent = tokens.indent(at)
  if (indent < base) return false
  const token = tokens.kind(at)
  if (token === OPEN_PAREN || token === COLON) return true
  if (CARRIES.has(tokens.keyword(at)) || CARRIES.has(tokens.keyword(at - 1))) return true
  return mayHaveMembers(kind) && indent > base && tokens.kind(at - 1) === COMMA
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
    if (token === OPEN_BRACE) return closing(tokens, at)
    if (token === EQUALS) return valueEnd(tokens, at, base, ends)
    if (endsHeader(token)) return at - 1
    if (tokens.startsLine(at)) {
      const isTemplate = tokens.kind(at - 1) === COLON && mayHaveMembers(kind)
      if (isTemplate && tokens.indent(at) > base) return ends.endOf(at, base)
      if (isTemplate || !isCarriedOn(tokens, at, base, kind)) return at - 1
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

/** The names between the braces of an import. */
function importedNames(tokens: Tokens, open: number, close: number): string[] {
  const names: string[] = []
  for (let at = open + 1; at < close && names.length < MAX_NAMES; at++) {
    if (tokens.kind(at) === WORD && beforeImported(tokens.kind(at - 1))) names.push(tokens.textOf(at))
  }
  return names
}

/** `import a.b.{C, D}`, `import a.b.C`. Returns the last token read. */
function readImport(tokens: Tokens, builder: OutlineBuilder, at: number): number {
  let target = ''
  let next = at + 1
  for (; next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
    const kind = tokens.kind(next)
    if (next > at + 1 && tokens.startsLine(next) && !carriesImport(tokens.kind(next - 1))) break
    if (kind === OPEN_BRACE) {
      const close = tokens.pair(next)
      if (close === -1) return next
      builder.import(target.replace(/\.$/, ''), importedNames(tokens, next, close), at)
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

/** Definitions and imports of Scala 2 and 3, by braces or by indentation. */
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
