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

export interface StatementReader {
  /** A `{` at a token, behind a header that begins at `start`: what its braces are. */
  open(start: number, at: number, around: number): number
  /** A `;` that ends the statement which begins at `start`. Answers where the next one begins. */
  end(start: number, at: number, around: number): number
  /** A `:` in a statement that begins at `start`. Answers where it begins now: behind `public:`. */
  colon?(start: number, at: number, around: number): number
}

const opens = kindSet(OPEN_BRACE, OPEN_PAREN, OPEN_BRACKET)
const closes = kindSet(CLOSE_BRACE, CLOSE_PAREN, CLOSE_BRACKET)

/** Goes once over the tokens of a language with braces and semicolons, and says where statements and braces begin. */
export function readStatements(tokens: Tokens, reader: StatementReader): void {
  const kinds: number[] = []
  const starts: number[] = []
  let kind = MEMBERS
  let start = 0
  for (let at = 0; at < tokens.count; at++) {
    const token = tokens.kind(at)
    if (token < 33) continue
    if (opens(token)) {
      const inner = token === OPEN_BRACE ? reader.open(start, at, kind) : VALUES
      if (tokens.pair(at) === -1) {
        if (token === OPEN_BRACE) start = at + 1
        continue
      }
      kinds.push(kind)
      starts.push(start)
      kind = inner
      start = at + 1
    } else if (closes(token)) {
      if (tokens.pair(at) === -1) continue
      const ended = kind
      kind = kinds.pop() ?? MEMBERS
      start = starts.pop() ?? 0
      const endsStatement = token === CLOSE_BRACE && ended !== INSIDE && kind !== VALUES
      if (endsStatement) start = at + 1
    } else if (token === SEMICOLON) {
      start = reader.end(start, at, kind)
      if (kind === CONSTANTS) kind = MEMBERS
    } else if (token === COLON && reader.colon !== undefined) {
      start = reader.colon(start, at, kind)
    }
  }
}
