import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  kindSet,
  SEMICOLON,
  type Tokens,
} from './tokens.ts'

/** Members or declarations may stand right in it: a file, a namespace, the body of a type. */
export const MEMBERS = 0
/** Statements: the body of a function. */
export const BLOCK = 1
/** Parentheses, brackets, and braces of values. */
export const VALUES = 2
/** Braces in the middle of a header, which goes on behind them. */
export const INSIDE = 3
/** The constants of an enum, up to the first semicolon. */
export const CONSTANTS = 4

/** What reads the headers that the walk over statements comes to. */
export interface StatementReader {
  /** A `{` at a token, behind a header that begins at `start`: what its braces are. */
  open(start: number, at: number, around: number): number
  /** A `;` that ends the statement which begins at `start`. Returns where the next one begins. */
  end(start: number, at: number, around: number): number
  /** A `:` in a statement that begins at `start`. Returns where that begins now: behind `public:` it begins anew. */
  colon?(start: number, at: number, around: number): number
}

/** The kinds below it are words, literals and what is joined of several characters. */
const FIRST_PUNCTUATION = 33

const opens = kindSet(OPEN_BRACE, OPEN_PAREN, OPEN_BRACKET)
const closes = kindSet(CLOSE_BRACE, CLOSE_PAREN, CLOSE_BRACKET)

/** The statement and the braces around the token in hand. */
class StatementWalk {
  readonly #tokens: Tokens
  readonly #reader: StatementReader
  /** What was around each bracket that is open, and where the statement began that it stands in. */
  readonly #kinds: number[] = []
  readonly #starts: number[] = []
  #kind = MEMBERS
  #start = 0

  constructor(tokens: Tokens, reader: StatementReader) {
    this.#tokens = tokens
    this.#reader = reader
  }

  open(token: number, at: number): void {
    const inner = token === OPEN_BRACE ? this.#reader.open(this.#start, at, this.#kind) : VALUES
    if (this.#tokens.pair(at) === -1) {
      if (token === OPEN_BRACE) this.#start = at + 1
      return
    }
    this.#kinds.push(this.#kind)
    this.#starts.push(this.#start)
    this.#kind = inner
    this.#start = at + 1
  }

  close(token: number, at: number): void {
    if (this.#tokens.pair(at) === -1) return
    const ended = this.#kind
    this.#kind = this.#kinds.pop() ?? MEMBERS
    this.#start = this.#starts.pop() ?? 0
    const endsStatement = token === CLOSE_BRACE && ended !== INSIDE && this.#kind !== VALUES
    if (endsStatement) this.#start = at + 1
  }

  semicolon(at: number): void {
    this.#start = this.#reader.end(this.#start, at, this.#kind)
    if (this.#kind === CONSTANTS) this.#kind = MEMBERS
  }

  colon(at: number): void {
    if (this.#reader.colon !== undefined) this.#start = this.#reader.colon(this.#start, at, this.#kind)
  }
}

/** Goes once over the tokens of a language with braces and semicolons, and says where statements and braces begin. */
export function readStatements(tokens: Tokens, reader: StatementReader): void {
  const walk = new StatementWalk(tokens, reader)
  for (let at = 0; at < tokens.count; at++) {
    const token = tokens.kind(at)
    if (token < FIRST_PUNCTUATION) continue
    if (opens(token)) walk.open(token, at)
    else if (closes(token)) walk.close(token, at)
    else if (token === SEMICOLON) walk.semicolon(at)
    else if (token === COLON) walk.colon(at)
  }
}
