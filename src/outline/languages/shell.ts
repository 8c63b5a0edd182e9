import type { Outline } from '../../core/outline.ts'
import { closing, numbering } from '../lexis/blocks.ts'
import { lexis, pushLiteral, readLineComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
import { afterBlock, afterHereDocument, afterLongQuoted } from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  AMPERSAND,
  APOSTROPHE,
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_PAREN,
  DOLLAR,
  HASH,
  kindSet,
  NEWLINE,
  OPEN_BRACE,
  OPEN_PAREN,
  PIPE,
  QUOTE,
  SEMICOLON,
  STRING,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = ['function', 'source', 'then', 'do', 'else'] as const
const id = numbering(KEYWORDS)
const [FUNCTION, SOURCE] = KEYWORDS.map(id)
const BEFORE_COMMAND = new Set(['then', 'do', 'else'].map(id))
const MAX_NESTING = 40
/** Here-documents that one line may announce. */
const MAX_WAITING = 10

/** Strings, expansions, comments and here-documents. */
class ShellReader {
  readonly #tokens: Tokens
  readonly #text: string
  /** The marks of the here-documents that were announced on the line in hand. */
  #waiting: string[] = []

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.#text = tokens.text
  }

  read(code: number, at: number): number {
    switch (code) {
      case NEWLINE:
        return this.#waiting.length === 0 ? at + 1 : this.#hereDocuments(at)
      case HASH:
        return this.#comment(at)
      case BACKSLASH:
        return at + 2
      case QUOTE:
        return pushLiteral(this.#tokens, at, this.#afterDouble(at, 0))
      case APOSTROPHE:
        return pushLiteral(this.#tokens, at, this.#afterSingle(at))
      case DOLLAR:
        return this.#dollar(at)
      default:
        return this.#mark(at)
    }
  }

  /** `#` begins a comment only where a word could. */
  #comment(at: number): number {
    if (at > 0 && !/[\s;&|()]/.test(this.#text.charAt(at - 1))) return at + 1
    return readLineComment(this.#tokens, at)
  }

  /** `$'…'` and `${…}` are literals; in front of other quotes and of parentheses a `$` is nothing. */
  #dollar(at: number): number {
    const next = this.#text.charCodeAt(at + 1)
    if (next === OPEN_BRACE) return pushLiteral(this.#tokens, at, this.#afterExpansion(at))
    if (next === APOSTROPHE) return pushLiteral(this.#tokens, at, afterLongQuoted(this.#text, at + 1, "'"))
    return next === OPEN_PAREN || next === QUOTE ? at + 1 : at + 2
  }

  /** `<<MARK` announces a here-document, `<<<` does not. */
  #mark(at: number): number {
    if (this.#text.startsWith('<<<', at)) return at + 3
    const mark = /^<<-?[ \t]*(['"\\]?)([A-Za-z_][\w.-]*)/.exec(this.#text.slice(at, at + 80))
    if (mark?.[2] === undefined) return -1
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(mark[2])
    const isQuoted = mark[1] === "'" || mark[1] === '"'
    return pushLiteral(this.#tokens, at, at + mark[0].length + (isQuoted ? 1 : 0))
  }

  /** Behind a line that announced here-documents their texts follow. */
  #hereDocuments(at: number): number {
    let line = at + 1
    for (const name of this.#waiting) line = afterHereDocument(this.#text, line, name)
    this.#waiting = []
    if (line > at + 1) pushLiteral(this.#tokens, at, line - 1)
    return line
  }

  #afterSingle(at: number): number {
    return afterBlock(this.#text, at, "'", "'")
  }

  /** A double-quoted string; `$(…)` in it holds strings of its own. */
  #afterDouble(at: number, depth: number): number {
    const text = this.#text
    let next = at + 1
    while (next < text.length) {
      const code = text.charCodeAt(next)
      if (code === BACKSLASH) next += 2
      else if (code === QUOTE) return next + 1
      else if (code === DOLLAR && text.charCodeAt(next + 1) === OPEN_PAREN && depth < MAX_NESTING) {
        next = this.#afterSubstitution(next + 2, depth + 1)
      } else next++
    }
    return text.length
  }

  /** Behind the parenthesis that closes the `$(` before an offset. */
  #afterSubstitution(from: number, depth: number): number {
    const text = this.#text
    let open = 1
    let next = from
    while (next < text.length) {
      const code = text.charCodeAt(next)
      if (code === BACKSLASH) next += 2
      else if (code === QUOTE) next = this.#afterDouble(next, depth)
      else if (code === APOSTROPHE) next = this.#afterSingle(next)
      else {
        if (code === OPEN_PAREN) open++
        else if (code === CLOSE_PAREN && --open === 0) return next + 1
        next++
      }
    }
    return text.length
  }

  /** `${…}`, in which others may stand. */
  #afterExpansion(at: number): number {
    const text = this.#text
    let depth = 1
    let next = at + 2
    for (; next < text.length && depth > 0; next++) {
      const code = text.charCodeAt(next)
      if (code === BACKSLASH) next++
      else if (code === OPEN_BRACE && text.charCodeAt(next - 1) === DOLLAR) depth++
      else if (code === CLOSE_BRACE) depth--
    }
    return Math.min(next, text.length)
  }
}

function reader(tokens: Tokens): SpecialReader {
  const state = new ShellReader(tokens)
  return (code, at) => state.read(code, at)
}

/** The tokens of shells. */
export const SHELL = lexis({ special: '\n#\\"\'$<', letters: '-.:/@+', keywords: KEYWORDS, reader })

const beforeCommand = kindSet(SEMICOLON, OPEN_BRACE, OPEN_PAREN, AMPERSAND, PIPE, CLOSE_PAREN)

function beginsCommand(tokens: Tokens, at: number): boolean {
  return tokens.startsLine(at) || beforeCommand(tokens.kind(at - 1)) || BEFORE_COMMAND.has(tokens.keyword(at - 1))
}

/** `source file`, `. file` */
function readSource(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const target = tokens.kind(at + 1)
  if ((target !== WORD && target !== STRING) || tokens.line(at + 1) !== tokens.line(at)) return
  if (tokens.keyword(at) === SOURCE || tokens.textOf(at) === '.') {
    builder.import(tokens.textOf(at + 1).replaceAll(/["']/g, ''), [], at)
  }
}

/** `f () {`, `function f {`, or with a body in parentheses. */
function readFunction(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const isMarked = tokens.keyword(at) === FUNCTION
  const name = isMarked ? at + 1 : at
  if (tokens.kind(name) !== WORD || tokens.line(name) !== tokens.line(at)) return
  const hasParentheses = tokens.kind(name + 1) === OPEN_PAREN && tokens.pair(name + 1) === name + 2
  if (!hasParentheses && !isMarked) return
  const body = hasParentheses ? name + 3 : name + 1
  const kind = tokens.kind(body)
  if (kind === OPEN_BRACE || (kind === OPEN_PAREN && tokens.pair(body) !== -1)) {
    builder.scope('function', tokens.textOf(name), at, closing(tokens, body))
  }
}

/** Functions of shells, and the files that they source. */
export function outlineShell(text: string): Outline {
  const tokens = tokenizeSource(text, SHELL)
  const builder = new OutlineBuilder(tokens)
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.kind(at) !== WORD || !beginsCommand(tokens, at)) continue
    readSource(tokens, builder, at)
    readFunction(tokens, builder, at)
  }
  return builder.build()
}
