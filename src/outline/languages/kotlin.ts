import type { Outline, ScopeKind } from '../../core/outline.ts'
import {
  afterAngles,
  closing,
  type ExpressionEnds,
  indentedEnds,
  MAX_HEADER_TOKENS,
  numbering,
  withModifiers,
} from '../lexis/blocks.ts'
import { lexis, pushLiteral, readComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
import { afterInterpolated, afterNestedBlock, afterQuoted, afterQuotedName, DOLLAR_BRACES } from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  APOSTROPHE,
  AT,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_PAREN,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  kindSet,
  OPEN_BRACE,
  OPEN_PAREN,
  PATH,
  QUESTION,
  SEMICOLON,
  SLASH,
  STAR,
  THIN_ARROW,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'fun',
  'class',
  'interface',
  'object',
  'typealias',
  'companion',
  'constructor',
  'import',
  'enum',
  'where',
  'by',
  'as',
  'public',
  'private',
  'protected',
  'internal',
  'open',
  'abstract',
  'final',
  'sealed',
  'data',
  'inner',
  'inline',
  'value',
  'suspend',
  'override',
  'operator',
  'infix',
  'tailrec',
  'external',
  'expect',
  'actual',
  'annotation',
  'const',
  'lateinit',
  'val',
  'var',
] as const
const id = numbering(KEYWORDS)
const [FUN, CLASS, INTERFACE, OBJECT, TYPEALIAS, COMPANION, CONSTRUCTOR, IMPORT] = KEYWORDS.map(id)
const WHERE = id('where')
const BY = id('by')
const AS = id('as')
const MODIFIERS = new Set(
  KEYWORDS.slice(KEYWORDS.indexOf('public'), KEYWORDS.indexOf('const')).concat('companion', 'enum', 'fun').map(id),
)
const KINDS = new Map<number | undefined, ScopeKind>([
  [CLASS, 'class'],
  [INTERFACE, 'interface'],
  [OBJECT, 'object'],
  [TYPEALIAS, 'type'],
])

function reader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  return (code, at) => {
    if (code === SLASH) return readComment(tokens, at, (source, from) => afterNestedBlock(source, from, '/*', '*/'))
    if (code === APOSTROPHE) return pushLiteral(tokens, at, afterQuoted(text, at))
    if (code === BACKTICK) {
      const end = afterQuotedName(text, at)
      tokens.push(WORD, at, end, 0)
      return end
    }
    const isLong = text.startsWith('"""', at)
    return pushLiteral(
      tokens,
      at,
      afterInterpolated(text, at, isLong ? '"""' : '"', DOLLAR_BRACES, { long: isLong, escapes: !isLong }),
    )
  }
}

/** The tokens of Kotlin. */
export const KOTLIN = lexis({ special: '/"\'`', keywords: KEYWORDS, reader })

const nameOf = (tokens: Tokens, at: number): string => tokens.textOf(at).replaceAll('`', '')

/** Words and punctuation at the end of a line behind which a header goes on. */
const CARRIES_ON = new Set([BY, CONSTRUCTOR])
const carriesOn = kindSet(COLON, COMMA, DOT, THIN_ARROW, EQUALS)
/** Words and punctuation at the beginning of a line that a header goes on with. */
const CARRIED_ON = new Set([WHERE, BY, CONSTRUCTOR])
const isCarried = kindSet(COLON, OPEN_BRACE, EQUALS, OPEN_PAREN, COMMA)

function isCarriedOn(tokens: Tokens, at: number): boolean {
  if (CARRIES_ON.has(tokens.keyword(at - 1)) || carriesOn(tokens.kind(at - 1))) return true
  if (CARRIED_ON.has(tokens.keyword(at)) || isCarried(tokens.kind(at))) return true
  // `@Inject constructor(…)` or `private constructor(…)` on a line of its own
  for (let next = at; tokens.line(next) === tokens.line(at) && next - at < 12; next++) {
    if (tokens.keyword(next) === CONSTRUCTOR) return tokens.indent(at) > 0 && !(tokens.kind(at - 1) === OPEN_BRACE)
  }
  return false
}

/** The last token of a declaration: its body, its expression, or its header where it has neither. */
function declarationEnd(
  tokens: Tokens,
  from: number,
  keyword: number,
  { isType, ends }: { isType: boolean; ends: ExpressionEnds },
): number {
  const base = tokens.indent(keyword)
  let at = from
  for (; at < tokens.count && at - from < MAX_HEADER_TOKENS; at++) {
    const kind = tokens.kind(at)
    if (kind === OPEN_BRACE) return closing(tokens, at)
    if (kind === EQUALS && !isType) return ends.endOf(at + 1, base)
    if (
      kind === SEMICOLON ||
      kind === CLOSE_BRACE ||
      kind === CLOSE_PAREN ||
      (kind === COMMA && !isType && at === from)
    ) {
      return at - 1
    }
    if (tokens.startsLine(at) && !isCarriedOn(tokens, at)) return at - 1
    at = tokens.over(at)
  }
  return at - 1
}

/** Whether the type in parentheses in front of a token is that of a receiver: `.` or `?.` follows. */
const isReceiver = (tokens: Tokens, after: number): boolean =>
  tokens.kind(tokens.kind(after) === QUESTION ? after + 1 : after) === DOT

const isInName = kindSet(WORD, DOT, QUESTION, STAR)

function readFunction(tokens: Tokens, builder: OutlineBuilder, at: number, ends: ExpressionEnds): void {
  const from = afterAngles(tokens, at + 1)
  for (let next = from; next < tokens.count && next - from < 200; next++) {
    const kind = tokens.kind(next)
    if (kind === OPEN_PAREN) {
      const after = tokens.pair(next) + 1
      if (next === from && isReceiver(tokens, after)) {
        next = after
        continue
      }
      if (tokens.kind(next - 1) !== WORD || next === from || after === 0) return
      return builder.scope(
        'function',
        nameOf(tokens, next - 1),
        withModifiers(tokens, at, MODIFIERS),
        declarationEnd(tokens, after, at, { isType: false, ends }),
      )
    }
    if (kind === AT) {
      next++
      continue
    }
    const behind = afterAngles(tokens, next)
    if (behind > next) next = behind - 1
    else if (!isInName(kind)) return
  }
}

function readType(
  tokens: Tokens,
  builder: OutlineBuilder,
  at: number,
  { kind, ends }: { kind: ScopeKind; ends: ExpressionEnds },
): void {
  const isCompanion = kind === 'object' && tokens.keyword(at - 1) === COMPANION
  const isNamed =
    tokens.kind(at + 1) === WORD && tokens.line(at + 1) === tokens.line(at) && tokens.keyword(at + 1) !== WHERE
  if (!isNamed && !isCompanion) return
  const first = withModifiers(tokens, at, MODIFIERS)
  const from = isNamed ? at + 2 : at + 1
  const end =
    kind === 'type'
      ? ends.endOf(from, tokens.indent(at))
      : declarationEnd(tokens, afterAngles(tokens, from), at, { isType: true, ends })
  const isEnum = tokens.keyword(at - 1) === id('enum')
  builder.scope(isEnum ? 'enum' : kind, isNamed ? nameOf(tokens, at + 1) : 'Companion', first, end)
}

function readImport(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  let end = at + 1
  while (
    tokens.line(end) === tokens.line(at) &&
    tokens.keyword(end) !== AS &&
    tokens.kind(end) !== SEMICOLON &&
    end < tokens.count
  ) {
    end++
  }
  if (end > at + 1) builder.import(tokens.text.slice(tokens.begin(at + 1), tokens.end(end - 1)), [], at)
}

/** Definitions and imports of Kotlin. */
export function outlineKotlin(text: string): Outline {
  const tokens = tokenizeSource(text, KOTLIN)
  const builder = new OutlineBuilder(tokens)
  const ends = indentedEnds(tokens)
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    if (word === 0 || tokens.kind(at - 1) === DOT || tokens.kind(at - 1) === PATH) continue
    if (word === FUN) readFunction(tokens, builder, at, ends)
    else if (word === IMPORT && tokens.startsLine(at)) readImport(tokens, builder, at)
    else if (KINDS.has(word)) readType(tokens, builder, at, { kind: KINDS.get(word) ?? 'class', ends })
  }
  return builder.build()
}
