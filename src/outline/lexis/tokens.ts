import { lineStarts } from '../../core/source-text.ts'

/**
 * Kinds of token; any other kind is the code of the punctuation character itself. Zero is what stands before the first
 * and after the last.
 */
export const WORD = 1
/** What begins with a digit: digits, letters of a base or a suffix, and dots that a digit follows. */
export const NUMBER = 2
/** A string, a part of a template string, or a here-document, with its delimiters. */
export const STRING = 3
/** A regular expression or another literal that is no string. */
export const LITERAL = 4
/** `=>` */
export const ARROW = 5
/** `->` */
export const THIN_ARROW = 6
/** `::` */
export const PATH = 7
/** An operator of more than one character that ends in `=`: `==`, `<=`, `+=`. */
export const OPERATOR = 8

/** `(` */
export const OPEN_PAREN = 40
/** `)` */
export const CLOSE_PAREN = 41
/** `,` */
export const COMMA = 44
/** `.` */
export const DOT = 46
/** `:` */
export const COLON = 58
/** `;` */
export const SEMICOLON = 59
/** `<` */
export const LESS = 60
/** `=` */
export const EQUALS = 61
/** `>` */
export const GREATER = 62
/** `?` */
export const QUESTION = 63
/** `@` */
export const AT = 64
/** `[` */
export const OPEN_BRACKET = 91
/** `]` */
export const CLOSE_BRACKET = 93
/** `{` */
export const OPEN_BRACE = 123
/** `}` */
export const CLOSE_BRACE = 125
/** `*` */
export const STAR = 42
/** `&` */
export const AMPERSAND = 38
/** `|` */
export const PIPE = 124
/** `#` */
export const HASH = 35
/** `-` */
export const MINUS = 45
/** `!` */
export const BANG = 33
/** `~` */
export const TILDE = 126
const PLUS = 43
/** `/` */
export const SLASH = 47
/** `%` */
export const PERCENT = 37
/** `^` */
export const CARET = 94
/** `'` */
export const APOSTROPHE = 39
/** `"` */
export const QUOTE = 34
/** The quote that opens a template string in JavaScript and a raw string in Go. */
export const BACKTICK = 96
/** `\` */
export const BACKSLASH = 92
/** `$` */
export const DOLLAR = 36
/** `\n`; white space becomes no token: this and the next two are codes of characters alone. */
export const NEWLINE = 10
/** `\t` */
export const TAB = 9
/** The plain space; others are white space too (`isSpace` of the lexer). */
export const SPACE = 32

const NO_PAIR = -1

/** A set of kinds of token, for questions that are asked of every token. */
export function kindSet(...kinds: number[]): (kind: number) => boolean {
  const members = new Uint8Array(256)
  for (const kind of kinds) members[kind] = 1
  return kind => members[kind] === 1
}

/** `= ! < > + - * / % & | ^ ~ ?` and an operator that already ends in `=`: a `=` behind them joins them. */
const takesEquals = kindSet(
  ...[EQUALS, OPERATOR, BANG, LESS, GREATER, PLUS, MINUS, STAR],
  ...[SLASH, PERCENT, AMPERSAND, PIPE, CARET, TILDE, QUESTION],
)

/** The operator that a character makes with the punctuation right before it; 0 when it makes none. */
function joined(before: number, code: number): number {
  if (code === EQUALS) return takesEquals(before) ? OPERATOR : 0
  if (code === COLON) return before === COLON ? PATH : 0
  if (code !== GREATER) return 0
  if (before === EQUALS) return ARROW
  return before === MINUS ? THIN_ARROW : 0
}

const opens = kindSet(OPEN_PAREN, OPEN_BRACKET, OPEN_BRACE)
const closes = kindSet(CLOSE_PAREN, CLOSE_BRACKET, CLOSE_BRACE)

/**
 * The tokens of one source without its comments, in typed arrays: where each stands, what it is, and the bracket that
 * belongs to a bracket. Reads past either end answer 0 (or no pair), so that parsers may look around freely.
 */
export class Tokens {
  readonly text: string
  /** The offset at which each line begins, and behind them the end of the text. */
  readonly starts: number[]
  readonly lineCount: number
  count = 0
  #kinds: Uint8Array
  #keywords: Uint8Array
  #begins: Int32Array
  #ends: Int32Array
  #lines: Int32Array
  #pairs: Int32Array
  #firsts: Int32Array
  #comments: Uint8Array
  #indents: Int32Array | null = null
  #arounds: Int32Array | null = null
  #line = 0
  #open: number[] = []
  #openBraces = 0

  constructor(text: string) {
    this.text = text
    this.starts = lineStarts(text)
    this.lineCount = this.starts.length
    this.starts.push(text.length + 1)
    const capacity = (text.length >> 2) + 16
    this.#kinds = new Uint8Array(capacity)
    this.#keywords = new Uint8Array(capacity)
    this.#begins = new Int32Array(capacity)
    this.#ends = new Int32Array(capacity)
    this.#lines = new Int32Array(capacity)
    this.#pairs = new Int32Array(capacity)
    this.#firsts = new Int32Array(this.lineCount + 2).fill(-1)
    this.#comments = new Uint8Array(this.lineCount + 2)
  }

  kind(at: number): number {
    return this.#kinds[at] ?? 0
  }
  /** Number of the keyword in the table of the language; 0 for any other word or token. */
  keyword(at: number): number {
    return this.#keywords[at] ?? 0
  }
  begin(at: number): number {
    return this.#begins[at] ?? 0
  }
  end(at: number): number {
    return this.#ends[at] ?? 0
  }
  /** 1-based line of the token's first character. */
  line(at: number): number {
    return this.#lines[at] ?? 0
  }
  /** The bracket that closes or opens this one; -1 for what is no bracket or has none. */
  pair(at: number): number {
    return this.#pairs[at] ?? NO_PAIR
  }
  /** The bracket that closes this one; the token itself when it is no opening bracket, or none closes it. */
  over(at: number): number {
    return Math.max(this.pair(at), at)
  }
  textOf(at: number): string {
    return this.text.slice(this.begin(at), this.end(at))
  }
  /** Index of the first token of a line, or -1. */
  firstOf(line: number): number {
    return this.#firsts[line] ?? -1
  }
  /** A line with a comment and nothing else. */
  isComment(line: number): boolean {
    return this.#comments[line] === 1 && this.firstOf(line) === -1
  }
  startsLine(at: number): boolean {
    return this.firstOf(this.line(at)) === at
  }
  touches(at: number): boolean {
    return this.end(at - 1) === this.begin(at)
  }
  /** Brackets open at the end of what has been pushed. */
  get depth(): number {
    return this.#open.length
  }

  /** Whether nothing but spaces stands before an offset on its line; the offset is behind the last token. */
  beginsLine(offset: number): boolean {
    for (let at = offset - 1; at >= 0; at--) {
      const code = this.text.charCodeAt(at)
      if (code === NEWLINE) return true
      if (code !== SPACE && code !== TAB) return false
    }
    return true
  }

  /** 1-based line of the token's last character. */
  endLine(at: number): number {
    const kind = this.kind(at)
    if (kind !== STRING && kind !== LITERAL) return this.line(at)
    return this.lineAt(Math.max(this.end(at) - 1, this.begin(at)))
  }

  /** 1-based line of an offset, by bisection. */
  lineAt(offset: number): number {
    let low = 0
    let high = this.lineCount - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }

  /**
   * Columns before the first token on the line of a token; a tab goes to the next multiple of eight, as in Python.
   * Counted once for a line.
   */
  indent(at: number): number {
    const line = this.line(at)
    this.#indents ??= new Int32Array(this.lineCount + 2).fill(-1)
    const known = this.#indents[line] ?? 0
    if (known !== -1) return known
    let columns = 0
    for (let offset = this.starts[line - 1] ?? 0; offset < this.begin(this.firstOf(line)); offset++) {
      columns = this.text.charCodeAt(offset) === TAB ? (columns | 7) + 1 : columns + 1
    }
    this.#indents[line] = columns
    return columns
  }

  /**
   * The opening bracket of the closed pair right around a token, which for a closing one is its own; -1 at the top. All
   * are found when the first one is asked for.
   */
  around(at: number): number {
    this.#arounds ??= this.#enclosing()
    return this.#arounds[at] ?? NO_PAIR
  }

  #enclosing(): Int32Array {
    const arounds = new Int32Array(this.count)
    let open = NO_PAIR
    for (let at = 0; at < this.count; at++) {
      const pair = this.pair(at)
      arounds[at] = open
      if (pair > at) open = at
      else if (pair !== NO_PAIR) open = arounds[pair] ?? NO_PAIR
    }
    return arounds
  }

  push(kind: number, begin: number, end: number, keyword: number): void {
    const at = this.count++
    if (at === this.#kinds.length) this.#grow()
    while ((this.starts[this.#line] ?? Infinity) <= begin) this.#line++
    this.#kinds[at] = kind
    this.#keywords[at] = keyword
    this.#begins[at] = begin
    this.#ends[at] = end
    this.#lines[at] = this.#line
    this.#pairs[at] = NO_PAIR
    if (this.#firsts[this.#line] === -1) this.#firsts[this.#line] = at
  }

  /**
   * Pushes a punctuation character; joins `=>`, `->`, `::` and operators that end in `=` with what stands right before.
   */
  pushPunctuation(code: number, at: number): void {
    const last = this.count - 1
    if (this.#ends[last] === at) {
      const operator = joined(this.kind(last), code)
      if (operator !== 0) {
        this.#kinds[last] = operator
        this.#ends[last] = at + 1
        return
      }
    }
    this.push(code, at, at + 1, 0)
    if (opens(code)) this.#openBracket(code)
    else if (closes(code)) this.#closeBracket(code)
  }

  #openBracket(code: number): void {
    this.#open.push(this.count - 1)
    if (code === OPEN_BRACE) this.#openBraces++
  }

  /** A `}` also ends what was left open inside of its `{`; a stray `)` or `]` ends nothing. */
  #closeBracket(code: number): void {
    const wanted = code === CLOSE_PAREN ? OPEN_PAREN : code - 2
    if (code === CLOSE_BRACE && this.#openBraces === 0) return
    let depth = this.#open.length - 1
    if (code === CLOSE_BRACE) while (depth >= 0 && this.kind(this.#open[depth] ?? -1) !== OPEN_BRACE) depth--
    else if (this.kind(this.#open[depth] ?? -1) !== wanted && this.kind(this.#open[--depth] ?? -1) !== wanted) return
    const opener = this.#open[depth]
    if (opener === undefined) return
    this.#open.length = depth
    if (wanted === OPEN_BRACE) this.#openBraces--
    this.#pairs[opener] = this.count - 1
    this.#pairs[this.count - 1] = opener
  }

  /** Marks the lines of a comment. To be called in the order of the text. */
  comment(begin: number, end: number): void {
    while ((this.starts[this.#line] ?? Infinity) <= begin) this.#line++
    for (let line = this.#line; line <= this.lineCount && (this.starts[line - 1] ?? 0) < end; line++) {
      this.#comments[line] = 1
    }
  }

  /** Gives the last token another kind and end. */
  replaceLast(kind: number, end: number): void {
    this.#kinds[this.count - 1] = kind
    this.#keywords[this.count - 1] = 0
    this.#ends[this.count - 1] = end
  }

  /** Drops every token from the given one on. */
  truncate(count: number): void {
    for (let at = count; at < this.count; at++) if (this.#firsts[this.line(at)] === at) this.#firsts[this.line(at)] = -1
    while ((this.#open.at(-1) ?? -1) >= count) if (this.kind(this.#open.pop() ?? -1) === OPEN_BRACE) this.#openBraces--
    this.count = count
  }

  #grow(): void {
    const size = this.#kinds.length * 2
    const grown = (old: Int32Array): Int32Array => {
      const bigger = new Int32Array(size)
      bigger.set(old)
      return bigger
    }
    const [kinds, keywords] = [new Uint8Array(size), new Uint8Array(size)]
    kinds.set(this.#kinds)
    keywords.set(this.#keywords)
    this.#kinds = kinds
    this.#keywords = keywords
    this.#begins = grown(this.#begins)
    this.#ends = grown(this.#ends)
    this.#lines = grown(this.#lines)
    this.#pairs = grown(this.#pairs)
  }
}
