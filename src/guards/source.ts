import type { Outline } from '../core/outline.ts'
import {
  AMPERSAND,
  ARROW,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  kindSet,
  OPEN_BRACE,
  OPERATOR,
  PATH,
  PIPE,
  QUESTION,
  SEMICOLON,
  THIN_ARROW,
  type Tokens,
} from '../outline/lexis/tokens.ts'
import { outlineOf, tokensOf } from '../outline/outline.ts'

/** How blocks are written: by indentation, by keywords, or by braces. */
export type Family = 'python' | 'ruby' | 'braces'

/** A comment and the line on which it begins. */
export interface Comment {
  text: string
  line: number
}

/** Tokens of a source, from the first up to the one behind the last. */
export interface TokenRange {
  from: number
  to: number
}

/** A source file as its tokens. */
export interface Source {
  language: string
  family: Family
  tokens: Tokens
  /** The text of each token. */
  words: readonly string[]
  comments: readonly Comment[]
  outline: Outline
  /** Number of the innermost definition around each line, its decorators included; -1 at the top. */
  scopeOfLine: Int32Array
}

/** Longer files are made by programs; their tokens take too much room for what they tell. */
const MAX_CHARS = 250_000
const NOT_CODE: ReadonlySet<string> = new Set(['shell', 'sql'])

const familyOf = (language: string): Family => {
  if (language === 'python' || language === 'cython') return 'python'
  return language === 'ruby' ? 'ruby' : 'braces'
}

/** What stands between the tokens and is no space: comments, and text that is no code. */
function commentsIn(tokens: Tokens): Comment[] {
  const comments: Comment[] = []
  for (let at = 0; at <= tokens.count; at++) {
    const begin = at === 0 ? 0 : tokens.end(at - 1)
    const end = at === tokens.count ? tokens.text.length : tokens.begin(at)
    if (end <= begin) continue
    const gap = tokens.text.slice(begin, end)
    if (gap.trim() === '') continue
    const first = tokens.lineAt(begin)
    for (const [index, text] of gap.split('\n').entries()) {
      if (text.trim() !== '') comments.push({ text: text.trim(), line: first + index })
    }
  }
  return comments
}

function scopesByLine({ scopes }: Outline, lineCount: number): Int32Array {
  const byLine = new Int32Array(lineCount + 2).fill(-1)
  for (const [index, { leadLine, endLine }] of scopes.entries()) byLine.fill(index, leadLine, endLine + 1)
  return byLine
}

/** Reads a source; null where its language has no lexer, or it is too long. */
export function readSource(text: string, language: string | null): Source | null {
  if (language === null || text.length > MAX_CHARS || NOT_CODE.has(language)) return null
  const tokens = tokensOf(text, language)
  if (tokens === null) return null
  const words = Array.from({ length: tokens.count }, (_, at) => tokens.textOf(at))
  const outline = outlineOf(text, language) ?? { scopes: [], imports: [] }
  const scopeOfLine = scopesByLine(outline, tokens.lineCount)
  return { language, family: familyOf(language), tokens, words, comments: commentsIn(tokens), outline, scopeOfLine }
}

/** A token's text; empty beyond the ends. */
export const wordAt = ({ words }: Source, at: number): string => words[at] ?? ''

/** The tokens of a range with a space between them. */
export const joined = ({ words }: Source, { from, to }: TokenRange): string => words.slice(from, to).join(' ')

/** The innermost definition around a line as `Type.name`; empty at the top. */
export function scopeAt({ outline: { scopes }, scopeOfLine }: Source, line: number): string {
  const around = scopes[scopeOfLine[line] ?? -1]
  if (around === undefined) return ''
  const container = around.parent === null ? undefined : scopes[around.parent]?.name
  return container === undefined ? around.name : `${container}.${around.name}`
}

/** The lines of the function around a line; of the whole file where there is none. */
export function functionAt({ outline: { scopes }, tokens }: Source, line: number): { from: number; to: number } {
  const around = scopes.findLast(
    ({ kind, startLine, endLine }) => kind === 'function' && startLine <= line && line <= endLine,
  )
  return around === undefined ? { from: 1, to: tokens.lineCount } : { from: around.startLine, to: around.endLine }
}

/** The first token on a line or behind it. */
function firstFrom({ tokens }: Source, line: number): number {
  let first = 0
  let end = tokens.count
  while (first < end) {
    const middle = (first + end) >> 1
    if (tokens.line(middle) < line) first = middle + 1
    else end = middle
  }
  return first
}

/** The tokens of some lines. */
export function tokensOfLines(source: Source, { from, to }: { from: number; to: number }): TokenRange {
  const first = firstFrom(source, from)
  return { from: first, to: Math.max(first, firstFrom(source, to + 1)) }
}

/** The tokens up to the next line that is not indented deeper than the given token's. */
function indentedBehind({ tokens }: Source, header: number, from: number): TokenRange {
  const base = tokens.indent(header)
  let at = from
  while (at < tokens.count && !(tokens.startsLine(at) && tokens.indent(at) <= base)) at = tokens.over(at) + 1
  return { from, to: at }
}

/** Up to the end of the logical line on which a token stands, or to the most tokens that are looked at. */
export function restOfLine({ tokens }: Source, at: number, most = Infinity): TokenRange {
  let to = at
  while (to < tokens.count && to - at < most && (to === at || !tokens.startsLine(to))) to = tokens.over(to) + 1
  return { from: at, to }
}

/** The suite behind a header of Python that begins at a keyword; null where no colon ends the header. */
export function suiteBehind(source: Source, header: number): { colon: number; body: TokenRange } | null {
  const { tokens } = source
  const { to } = restOfLine(source, header)
  let colon = header + 1
  while (colon < to && tokens.kind(colon) !== COLON) colon = tokens.over(colon) + 1
  if (colon >= to) return null
  const isOnLine = colon + 1 < to
  return { colon, body: isOnLine ? { from: colon + 1, to } : indentedBehind(source, header, colon + 1) }
}

/** The clause of Ruby behind a keyword that begins a line: what is indented deeper, below its line. */
export function clauseBehind(source: Source, header: number): { head: TokenRange; body: TokenRange } {
  const { to } = restOfLine(source, header)
  return { head: { from: header + 1, to }, body: indentedBehind(source, header, to) }
}

/** What is inside of the braces that open at a token; null where none open there, or nothing closes them. */
export function bracesAt({ tokens }: Source, at: number): TokenRange | null {
  const pair = tokens.kind(at) === OPEN_BRACE ? tokens.pair(at) : -1
  return pair === -1 ? null : { from: at + 1, to: pair }
}

const continues = kindSet(
  ...[DOT, QUESTION, PIPE, AMPERSAND, COMMA, CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PAREN, THIN_ARROW, PATH],
)
const wantsMore = kindSet(COMMA, EQUALS, OPERATOR, PIPE, AMPERSAND, DOT, THIN_ARROW, ARROW, PATH)

/** Whether a statement begins with a token, which begins a line. */
const beginsStatement = ({ tokens }: Source, at: number): boolean =>
  tokens.startsLine(at) && !continues(tokens.kind(at)) && !wantsMore(tokens.kind(at - 1))

/** The statements of a block, without semicolons. */
export function statementsOf(source: Source, { from, to }: TokenRange): TokenRange[] {
  const { tokens } = source
  const statements: TokenRange[] = []
  let start = from
  for (let at = from; at < to; at = tokens.over(at) + 1) {
    const isEnd = tokens.kind(at) === SEMICOLON
    if (isEnd || (at > start && beginsStatement(source, at))) {
      statements.push({ from: start, to: at })
      start = isEnd ? at + 1 : at
    }
  }
  statements.push({ from: start, to })
  return statements.filter(statement => statement.from < statement.to)
}

/** The first token of the statement in which a token stands, as far as lines and separators tell. */
export function statementStart(source: Source, at: number): number {
  const { tokens } = source
  let first = at
  for (let steps = 0; first > 0 && steps < 400; steps++) {
    const before = tokens.kind(first - 1)
    if (before === SEMICOLON || before === OPEN_BRACE) return first
    if (beginsStatement(source, first)) return first
    const pair = tokens.pair(first - 1)
    const isBlock = before === CLOSE_BRACE && tokens.line(first) !== tokens.line(pair)
    if (isBlock) return first
    first = pair !== -1 && pair < first ? pair : first - 1
  }
  return first
}

/** The statement from a token to its end, or to the most tokens of it that are looked at. */
export function statementFrom(source: Source, at: number, most = Infinity): TokenRange {
  const { tokens } = source
  let to = at
  while (to < tokens.count && to - at < most && (to === at || !beginsStatement(source, to))) {
    const kind = tokens.kind(to)
    if (kind === SEMICOLON || kind === CLOSE_BRACE) break
    to = tokens.over(to) + 1
  }
  return { from: at, to }
}
