import type { Outline } from '../../core/outline.ts'
import { closing, numbering } from '../lexis/blocks.ts'
import { pushLiteral } from './c-family-lexis.ts'
import { lexis, tokenizeSource, type SpecialReader } from '../lexis/lexer.ts'
import { lineEnd } from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  AMPERSAND,
  APOSTROPHE,
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_PAREN,
  DOLLAR,
  HASH,
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

function afterSubstitution(text: string, from: number, depth: number): number {
  let open = 1
  let next = from
  while (next < text.length) {
    const code = text.charCodeAt(next)
    if (code === BACKSLASH) next += 2
    else if (code === QUOTE) next = afterDouble(text, next, depth)
    else if (code === APOSTROPHE) {
      const end = text.indexOf("'", next + 1)
      next = end === -1 ? text.length : end + 1
    } else {
      if (code === OPEN_PAREN) open++
      else if (code === CLOSE_PAREN && --open === 0) return next + 1
      next++
    }
  }
  return text.length
}

/** A double-quoted string; `$(…)` in it holds strings of its own. */
function afterDouble(text: string, at: number, depth: number): number {
  let next = at + 1
  while (next < text.length) {
    const code = text.charCodeAt(next)
    if (code === BACKSLASH) next += 2
    else if (code === QUOTE) return next + 1
    else if (code === DOLLAR && text.charCodeAt(next + 1) === OPEN_PAREN && depth < MAX_NESTING) {
      next = afterSubstitution(text, next + 2, depth + 1)
    } else next++
  }
  return text.length
}

/** Strings, expansions, comments and here-documents. */
function reader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  let waiting: string[] = []
  const behindHeredocs = (at: number): number => {
    let line = at + 1
    for (const name of waiting) {
      while (line < text.length) {
        const end = lineEnd(text, line)
        const isMark = text.slice(line, Math.min(end, line + 200)).trim() === name
        line = Math.min(end + 1, text.length)
        if (isMark) break
      }
    }
    waiting = []
    if (line > at + 1) pushLiteral(tokens, at, Math.max(line - 1, at + 1))
    return Math.max(line, at + 1)
  }
  return (code, at) => {
    switch (code) {
      case NEWLINE:
        return waiting.length === 0 ? at + 1 : behindHeredocs(at)
      case HASH: {
        // # begins a comment only where a word could
        if (at > 0 && !/[\s;&|()]/.test(text.charAt(at - 1))) return at + 1
        const end = lineEnd(text, at)
        tokens.comment(at, end)
        return end
      }
      case BACKSLASH:
        return at + 2
      case QUOTE:
        return pushLiteral(tokens, at, afterDouble(text, at, 0))
      case APOSTROPHE: {
        const end = text.indexOf("'", at + 1)
        return pushLiteral(tokens, at, end === -1 ? text.length : end + 1)
      }
      case DOLLAR: {
        const next = text.charCodeAt(at + 1)
        if (next === OPEN_BRACE) {
          let depth = 1
          let end = at + 2
          for (; end < text.length && depth > 0; end++) {
            const inner = text.charCodeAt(end)
            if (inner === BACKSLASH) end++
            else if (inner === OPEN_BRACE && text.charCodeAt(end - 1) === DOLLAR) depth++
            else if (inner === CLOSE_BRACE) depth--
          }
          return pushLiteral(tokens, at, Math.min(end, text.length))
        }
        if (next === APOSTROPHE) {
          // $'…'
          let end = at + 2
          while (end < text.length && text.charCodeAt(end) !== APOSTROPHE) {
            end += text.charCodeAt(end) === BACKSLASH ? 2 : 1
          }
          return pushLiteral(tokens, at, Math.min(end + 1, text.length))
        }
        if (next === OPEN_PAREN || next === QUOTE) return at + 1
        return at + 2
      }
      default: {
        // <
        if (text.startsWith('<<<', at)) return at + 3
        const mark = /^<<-?[ \t]*(['"\\]?)([A-Za-z_][\w.-]*)/.exec(text.slice(at, at + 80))
        if (mark?.[2] === undefined) return -1
        if (waiting.length < 10) waiting.push(mark[2])
        return pushLiteral(tokens, at, at + mark[0].length + (mark[1] === '' || mark[1] === '\\' ? 0 : 1))
      }
    }
  }
}

export const SHELL = lexis({ special: '\n#\\"\'$<', letters: '-.:/@+', keywords: KEYWORDS, reader })

function beginsCommand(tokens: Tokens, at: number): boolean {
  const before = tokens.kind(at - 1)
  return (
    tokens.startsLine(at) ||
    before === SEMICOLON ||
    before === OPEN_BRACE ||
    before === OPEN_PAREN ||
    before === AMPERSAND ||
    before === PIPE ||
    before === CLOSE_PAREN ||
    BEFORE_COMMAND.has(tokens.keyword(at - 1))
  )
}

/** Functions of shells: `f () {`, `function f {`, with a body in braces or parentheses. */
export function outlineShell(text: string): Outline {
  const tokens = tokenizeSource(text, SHELL)
  const builder = new OutlineBuilder(tokens)
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.kind(at) !== WORD || !beginsCommand(tokens, at)) continue
    const word = tokens.keyword(at)
    const isMarked = word === FUNCTION
    const name = isMarked ? at + 1 : at
    if (word === SOURCE && (tokens.kind(at + 1) === WORD || tokens.kind(at + 1) === STRING)) {
      builder.import(tokens.textOf(at + 1).replaceAll(/["']/g, ''), [], at)
    } else if (tokens.textOf(at) === '.' && tokens.kind(at + 1) === WORD) builder.import(tokens.textOf(at + 1), [], at)
    if (tokens.kind(name) !== WORD || (isMarked && tokens.line(name) !== tokens.line(at))) continue
    const hasParentheses = tokens.kind(name + 1) === OPEN_PAREN && tokens.pair(name + 1) === name + 2
    if (!hasParentheses && !isMarked) continue
    const body = hasParentheses ? name + 3 : name + 1
    const kind = tokens.kind(body)
    if (kind === OPEN_BRACE || (kind === OPEN_PAREN && tokens.pair(body) !== -1)) {
      builder.scope('function', tokens.textOf(name), at, closing(tokens, body))
    }
  }
  return builder.build()
}
