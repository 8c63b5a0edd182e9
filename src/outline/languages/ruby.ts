import type { Outline, ScopeKind } from '../../core/outline.ts'
import { MAX_HEADER_TOKENS, numbering } from '../lexis/blocks.ts'
import { lexis, pushLiteral, readLineComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
import { afterHereDocument, afterInterpolated, type Interpolation, lineEnd } from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  AMPERSAND,
  ARROW,
  BACKSLASH,
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
  LITERAL,
  NEWLINE,
  NUMBER,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  OPERATOR,
  PATH,
  PERCENT,
  PIPE,
  QUESTION,
  QUOTE,
  SEMICOLON,
  SLASH,
  SPACE,
  STRING,
  THIN_ARROW,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'def',
  'class',
  'module',
  'end',
  'do',
  'begin',
  'case',
  'if',
  'unless',
  'while',
  'until',
  'for',
  'then',
  'else',
  'elsif',
  'when',
  'in',
  'and',
  'or',
  'not',
  'return',
  'rescue',
  'ensure',
  'self',
  'require',
  'require_relative',
  'load',
  'yield',
  'puts',
  'raise',
  'private',
  'public',
  'protected',
  'private_class_method',
  'module_function',
  'super',
  'autoload',
  'nil',
  'true',
  'false',
  'next',
  'break',
] as const
const id = numbering(KEYWORDS)
const [DEF, CLASS, MODULE, END, DO] = KEYWORDS.map(id)
const TYPES = new Set([CLASS, MODULE])
/** Open a block only where a statement or a value begins; behind one they are modifiers. */
const CONDITIONS = new Set(['if', 'unless', 'while', 'until'].map(id))
const LOOPS = new Set(['while', 'until', 'for'].map(id))
/** Words behind which a value begins. */
const BEFORE_VALUE = new Set(
  [
    'do',
    'begin',
    'case',
    'if',
    'unless',
    'while',
    'until',
    'then',
    'else',
    'elsif',
    'when',
    'in',
    'and',
    'or',
    'not',
    'return',
    'ensure',
    'puts',
    'raise',
    'yield',
  ].map(id),
)
const BEFORE_DEF = new Set(['private', 'public', 'protected', 'private_class_method', 'module_function'].map(id))
const REQUIRES = new Set(['require', 'require_relative', 'load'].map(id))
const INTERPOLATION: Interpolation = { open: '#{', bracket: OPEN_BRACE, closing: CLOSE_BRACE, quotes: '"' }
/** A string in which nothing is code. */
const PLAIN: Interpolation = { ...INTERPOLATION, open: '\0' }
const CHARACTER = /^\?[^\s\w]|^\?\w\b/
const MAX_OPERATOR_TOKENS = 4
const afterOperator = kindSet(OPEN_PAREN, SEMICOLON, WORD)
const BRACKETS = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
])

/** `%w[…]` and its relatives, from the opening mark; brackets nest. */
function afterPercent(text: string, at: number): number {
  const open = text.charAt(at)
  const close = BRACKETS.get(open) ?? open
  let depth = 1
  for (let next = at + 1; next < text.length; next++) {
    const char = text.charAt(next)
    if (char === '\\') next++
    else if (char === close && --depth === 0) return next + 1
    else if (char === open && close !== open) depth++
  }
  return text.length
}

const endsValue = kindSet(NUMBER, STRING, LITERAL, CLOSE_PAREN, CLOSE_BRACKET, CLOSE_BRACE)

/** Strings, heredocs, regular expressions and symbols of Ruby. */
class RubyReader {
  readonly #tokens: Tokens
  readonly #text: string
  /** The marks of the heredocs that were announced on the line in hand. */
  #heredocs: string[] = []
  #noRegexBefore = 0

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.#text = tokens.text
  }

  read(code: number, at: number): number {
    switch (code) {
      case NEWLINE:
        return this.#newline(at)
      case HASH:
        return readLineComment(this.#tokens, at)
      case EQUALS:
        return this.#blockComment(at)
      case SLASH:
        return this.#expectsValue(at) ? this.#regex(at) : -1
      case PERCENT:
        return this.#percent(at)
      case LESS:
        return this.#heredoc(at)
      case COLON:
        return this.#symbol(at)
      case QUESTION:
        return this.#character(at)
      default:
        return this.#string(at)
    }
  }

  /** `?a` */
  #character(at: number): number {
    const isCharacter = CHARACTER.test(this.#text.slice(at, at + 3)) && this.#expectsValue(at)
    return isCharacter ? pushLiteral(this.#tokens, at, at + 2) : -1
  }

  #string(at: number): number {
    const quote = this.#text.charAt(at)
    const form = quote === "'" ? PLAIN : INTERPOLATION
    return pushLiteral(this.#tokens, at, afterInterpolated(this.#text, at, quote, form, { long: true, escapes: true }))
  }

  /** Behind a line that announced heredocs their texts follow. */
  #newline(at: number): number {
    if (this.#heredocs.length === 0) return at + 1
    let line = at + 1
    for (const mark of this.#heredocs) line = afterHereDocument(this.#text, line, mark)
    this.#heredocs = []
    pushLiteral(this.#tokens, at, Math.max(line - 1, at + 1))
    return line
  }

  /** `=begin` at the beginning of a line, up to `=end`. */
  #blockComment(at: number): number {
    const isBegin = this.#text.startsWith('=begin', at) && (at === 0 || this.#text.charCodeAt(at - 1) === NEWLINE)
    if (!isBegin) return -1
    const end = this.#text.indexOf('\n=end', at)
    const last = end === -1 ? this.#text.length : lineEnd(this.#text, end + 1)
    this.#tokens.comment(at, last)
    return last
  }

  #heredoc(at: number): number {
    const mark = /^<<[~-]?(["'`]?)([A-Za-z_]\w*)\1/.exec(this.#text.slice(at, at + 80))
    if (mark?.[2] === undefined || (!/^<<[~-]/.test(mark[0]) && (!this.#expectsValue(at) || !/^[A-Z]/.test(mark[2])))) {
      return -1
    }
    if (this.#heredocs.length < 10) this.#heredocs.push(mark[2])
    return pushLiteral(this.#tokens, at, at + mark[0].length)
  }

  #percent(at: number): number {
    const mark = /^%[wWiIqQrsx]?[^\w\s=]/.exec(this.#text.slice(at, at + 3))
    if (mark === null || (mark[0].length === 2 && !BRACKETS.has(mark[0].charAt(1))) || !this.#expectsValue(at)) {
      return -1
    }
    return pushLiteral(this.#tokens, at, afterPercent(this.#text, at + mark[0].length - 1))
  }

  #regex(begin: number): number {
    if (begin < this.#noRegexBefore) return -1
    const text = this.#text
    for (let at = begin + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === BACKSLASH) at++
      else if (code === SLASH) {
        this.#tokens.push(LITERAL, begin, at + 1, 0)
        return at + 1
      } else if (code === NEWLINE && text.charCodeAt(begin + 1) === SPACE) {
        this.#noRegexBefore = at
        return -1
      }
    }
    this.#noRegexBefore = text.length
    return -1
  }

  /** `:name`, `:"name"`, `:+`: never a keyword. */
  #symbol(at: number): number {
    const text = this.#text
    const next = text.charCodeAt(at + 1)
    if (next === COLON || text.charCodeAt(at - 1) === COLON) return -1
    if (next === QUOTE) {
      return pushLiteral(
        this.#tokens,
        at,
        afterInterpolated(text, at + 1, '"', INTERPOLATION, { long: true, escapes: true }),
      )
    }
    const symbol = /^:(?:[A-Za-z_]\w*[?!=]?|[+\-*/<>=!~^&|%[\]]+)/.exec(text.slice(at, at + 80))?.[0]
    const isSymbol = symbol !== undefined && (/^:\w/.test(symbol) || this.#expectsValue(at))
    return isSymbol ? pushLiteral(this.#tokens, at, at + symbol.replace(/=$/, '').length) : -1
  }

  #expectsValue(at: number): boolean {
    const tokens = this.#tokens
    const last = tokens.count - 1
    const kind = tokens.kind(last)
    if (tokens.beginsLine(at)) return true
    if (kind !== WORD) return !endsValue(kind)
    if (tokens.kind(last - 1) !== DOT && BEFORE_VALUE.has(tokens.keyword(last))) return true
    // `puts /x/` and `foo %w[a]`: a space before it and none behind it
    const isSpaced = tokens.end(last) !== at
    return isSpaced && !/\s/.test(this.#text.charAt(at + 1))
  }
}

/** The tokens of Ruby. */
export const RUBY = lexis({
  special: '\n#=/%<:?"\'`',
  letters: '@',
  keywords: KEYWORDS,
  reader: (tokens): SpecialReader => {
    const state = new RubyReader(tokens)
    return (code, at) => state.read(code, at)
  },
})

/** Open a block wherever they stand. */
const OPENERS = new Set(['do', 'begin', 'case', 'for'].map(id))

interface Open {
  kind: ScopeKind | null
  name: string
  first: number
}

function isTernary(tokens: Tokens, at: number): boolean {
  return tokens.kind(at - 1) === QUESTION
}

/** `x.class`, `X::class`, `end:`, `:end`, `@end`. */
function isName(tokens: Tokens, at: number): boolean {
  const before = tokens.kind(at - 1)
  if (before === DOT) return tokens.kind(at - 2) !== DOT
  if (before === PATH && tokens.touches(at)) return true
  if (tokens.kind(at + 1) === COLON && tokens.touches(at + 1) && tokens.kind(at + 2) !== COLON) {
    return !isTernary(tokens, at)
  }
  return (
    tokens.keyword(at - 1) === DEF ||
    ((tokens.kind(at + 1) === QUESTION || tokens.kind(at + 1) === BANG) && tokens.touches(at + 1))
  )
}

function lastOfPath(tokens: Tokens, at: number): string {
  let last = tokens.kind(at) === PATH ? at + 1 : at
  while (tokens.kind(last + 1) === PATH && tokens.kind(last + 2) === WORD) last += 2
  return tokens.textOf(last)
}

const endsName = kindSet(QUESTION, BANG, EQUALS)

/** Words that a condition behind them belongs to: `return if x`. */
const BEFORE_CONDITION = new Set(['return', 'raise', 'yield', 'puts'].map(id))
const beforeStatement = kindSet(
  ...[SEMICOLON, EQUALS, OPEN_PAREN, OPEN_BRACE, OPEN_BRACKET, OPERATOR],
  ...[COMMA, ARROW, PIPE, AMPERSAND, THIN_ARROW, LESS],
)

function beginsStatement(tokens: Tokens, at: number): boolean {
  const before = tokens.kind(at - 1)
  if (tokens.startsLine(at)) return before !== DOT
  if (before !== WORD) return beforeStatement(before)
  const word = tokens.keyword(at - 1)
  return BEFORE_VALUE.has(word) && !BEFORE_CONDITION.has(word) && tokens.kind(at - 2) !== DOT
}

/** Whether a `?`, a `!` or a `=` at a token belongs to the name of a method right before it. */
function isNameMark(tokens: Tokens, at: number): boolean {
  return tokens.touches(at) && endsName(tokens.kind(at))
}

/** The last token of a method's name: a word with its mark, or an operator. */
function methodNameEnd(tokens: Tokens, name: number): number {
  if (tokens.kind(name) === WORD) return isNameMark(tokens, name + 1) ? name + 1 : name
  let last = name
  while (last - name < MAX_OPERATOR_TOKENS && !afterOperator(tokens.kind(last + 1)) && tokens.touches(last + 1)) last++
  return last
}

/** The last token of `def name = expression`, whose `=` is given. */
function endlessEnd(tokens: Tokens, equals: number): number {
  let end = equals + 1
  for (let steps = 0; steps < MAX_HEADER_TOKENS && end + 1 < tokens.count; steps++) {
    if (tokens.startsLine(end + 1) && tokens.kind(end + 1) !== DOT) break
    end = tokens.over(end + 1)
  }
  return end
}

/** `def a`, `def self.a=`, `def +(b)`, `def a = 1`. Returns the last token read. */
function readMethod(tokens: Tokens, builder: OutlineBuilder, open: Open[], at: number): number {
  const hasOwner = tokens.kind(at + 1) === WORD && tokens.kind(at + 2) === DOT && tokens.touches(at + 2)
  const begin = hasOwner ? at + 3 : at + 1
  const last = methodNameEnd(tokens, begin)
  const name = tokens.text.slice(tokens.begin(begin), tokens.end(last))
  const isPrefixed = BEFORE_DEF.has(tokens.keyword(at - 1)) && tokens.line(at - 1) === tokens.line(at)
  const first = isPrefixed ? at - 1 : at
  const hasParameters = tokens.kind(last + 1) === OPEN_PAREN && tokens.pair(last + 1) !== -1
  const behind = hasParameters ? tokens.pair(last + 1) + 1 : last + 1
  const isEndless = tokens.kind(behind) === EQUALS && tokens.line(behind) === tokens.line(behind - 1)
  if (isEndless) builder.scope('function', name, first, endlessEnd(tokens, behind))
  else open.push({ kind: 'function', name, first })
  return last
}

/** An `end`: what was opened last is whole. */
function close(builder: OutlineBuilder, open: Open[], at: number): void {
  const ended = open.pop()
  if (ended !== undefined && ended.kind !== null) builder.scope(ended.kind, ended.name, ended.first, at)
}

/** `class A::B`, `module A`, or `class << self`, which has no name. */
function openType(tokens: Tokens, open: Open[], at: number): void {
  const next = tokens.kind(at + 1)
  if (next === LESS) open.push({ kind: null, name: '', first: at })
  if (next !== WORD && next !== PATH) return
  const kind = tokens.keyword(at) === CLASS ? 'class' : 'module'
  open.push({ kind, name: lastOfPath(tokens, at + 1), first: at })
}

function readRequire(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const target = tokens.kind(at + 1) === OPEN_PAREN ? at + 2 : at + 1
  const relative = tokens.textOf(at) === 'require_relative' ? './' : ''
  if (tokens.kind(target) === STRING) builder.import(relative + tokens.textOf(target).slice(1, -1), [], at)
}

/** Whether a keyword opens a block without a name, which an `end` closes. */
function opensBlock(tokens: Tokens, at: number): boolean {
  const word = tokens.keyword(at)
  return OPENERS.has(word) || (CONDITIONS.has(word) && beginsStatement(tokens, at))
}

/** Closes what is open at the end of the text. */
function closeAll(tokens: Tokens, builder: OutlineBuilder, open: readonly Open[]): void {
  for (const { kind, name, first } of open) if (kind !== null) builder.scope(kind, name, first, tokens.count - 1)
}

/** A source in which what stands behind `__END__`, which is data, is blank. */
function withoutData(text: string): string {
  const stop = /^__END__$/m.exec(text)?.index ?? text.length
  return text.slice(0, stop) + text.slice(stop).replace(/[^\n]/g, ' ')
}

/** Definitions and imports of Ruby: each word that opens a block has its `end`. */
export function outlineRuby(text: string): Outline {
  const tokens = tokenizeSource(withoutData(text), RUBY)
  const builder = new OutlineBuilder(tokens)
  const open: Open[] = []
  let loopLine = -1
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    if (word === 0 || isName(tokens, at)) continue
    if (word === END) close(builder, open, at)
    else if (word === DEF) at = readMethod(tokens, builder, open, at)
    else if (TYPES.has(word)) openType(tokens, open, at)
    else if (REQUIRES.has(word)) readRequire(tokens, builder, at)
    else if (word === DO && loopLine === tokens.line(at)) {
      loopLine = -1 // `while x do` has one end
    } else if (opensBlock(tokens, at)) {
      open.push({ kind: null, name: '', first: at })
      if (LOOPS.has(word)) loopLine = tokens.line(at)
    }
  }
  closeAll(tokens, builder, open)
  return builder.build()
}
