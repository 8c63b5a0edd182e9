import type { Outline } from '../../core/outline.ts'
import { lexis, readLineComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
import { afterLongQuoted, afterQuoted } from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  BACKSLASH,
  CLOSE_PAREN,
  COMMA,
  DOT,
  HASH,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  STRING,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = ['def', 'class', 'async', 'import', 'from', 'as', 'cdef', 'cpdef', 'cimport'] as const
const [DEF, CLASS, ASYNC, IMPORT, FROM, AS, CDEF, CPDEF, CIMPORT] = KEYWORDS.map((_, index) => index + 1)

const PREFIX = /^[rbfut]{1,3}$/i

const reader =
  (tokens: Tokens): SpecialReader =>
  (code, at) => {
    const { text } = tokens
    if (code === HASH) return readLineComment(tokens, at)
    const quote = text.charAt(at)
    // A prefix was read as a word: it belongs to the string. Raw strings need no care, as a backslash keeps a quote in
    // them too.
    const last = tokens.count - 1
    const isPrefixed =
      tokens.end(last) === at &&
      tokens.kind(last) === WORD &&
      at - tokens.begin(last) <= 3 &&
      PREFIX.test(tokens.textOf(last))
    const long = text.startsWith(quote.repeat(3), at)
    // a backslash at the end of the line carries it on
    const end = long ? afterLongQuoted(text, at, quote.repeat(3)) : afterQuoted(text, at)
    if (isPrefixed) tokens.replaceLast(STRING, end)
    else tokens.push(STRING, at, end, 0)
    return end
  }

/** The tokens of Python and Cython. */
export const PYTHON = lexis({ special: '#"\'', keywords: KEYWORDS, reader })

interface Open {
  kind: 'function' | 'class'
  name: string
  indent: number
  first: number
}

function isContinued(tokens: Tokens, at: number): boolean {
  const lineStart = tokens.starts[tokens.line(at) - 1] ?? 0
  return lineStart >= 2 && tokens.text.charCodeAt(lineStart - 2) === BACKSLASH
}

/** The first token of the next logical line: not within brackets, nor behind a backslash. */
function nextStatement(tokens: Tokens, at: number): number {
  let next = at
  do {
    const pair = tokens.pair(next)
    next = pair > next ? pair + 1 : next + 1
  } while (
    next < tokens.count &&
    (tokens.line(next) === tokens.endLine(next - 1) || !tokens.startsLine(next) || isContinued(tokens, next))
  )
  return next
}

/** `cdef int f(…):`, `cdef class C:`; null for a declaration of data. */
function cythonName(tokens: Tokens, at: number): { kind: 'function' | 'class'; name: string } | null {
  for (let next = at + 1; tokens.line(next) === tokens.line(at); next++) {
    if (tokens.keyword(next) === CLASS) return { kind: 'class', name: tokens.textOf(next + 1) }
    if (tokens.kind(next) === OPEN_PAREN && tokens.kind(next - 1) === WORD) {
      return tokens.kind(tokens.pair(next) + 1) === COMMA ? null : { kind: 'function', name: tokens.textOf(next - 1) }
    }
    if (tokens.kind(next) === OPEN_BRACKET || tokens.kind(next) === OPEN_BRACE) return null
  }
  return null
}

/** Reads `a.b.c`, dots in front included. Returns the token behind it. */
function dotted(tokens: Tokens, at: number): { name: string; next: number } {
  let next = at
  while (
    tokens.kind(next) === DOT ||
    (tokens.kind(next) === WORD && tokens.keyword(next) === 0 && (next === at || tokens.kind(next - 1) === DOT))
  ) {
    next++
  }
  return {
    name: next === at ? '' : tokens.text.slice(tokens.begin(at), tokens.end(next - 1)).replace(/\s+/g, ''),
    next,
  }
}

function readImport(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  let next = at + 1
  for (;;) {
    const { name, next: behind } = dotted(tokens, next)
    builder.import(name, [], at)
    next = tokens.keyword(behind) === AS ? behind + 2 : behind
    if (tokens.kind(next) !== COMMA) return
    next++
  }
}

function readFromImport(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const { name, next } = dotted(tokens, at + 1)
  if (tokens.keyword(next) !== IMPORT && tokens.keyword(next) !== CIMPORT) return
  const names: string[] = []
  const list = tokens.kind(next + 1) === OPEN_PAREN ? next + 2 : next + 1
  for (let item = list; tokens.kind(item) === WORD && names.length < 500;) {
    names.push(tokens.textOf(item))
    item = tokens.keyword(item + 1) === AS ? item + 3 : item + 1
    if (tokens.kind(item) !== COMMA) break
    item++
    if (tokens.kind(item) === CLOSE_PAREN) break
  }
  builder.import(name, names, at)
}

/** Definitions and imports of Python and Cython: a block is what stands deeper than its header. */
export function outlinePython(text: string): Outline {
  const tokens = tokenizeSource(text, PYTHON)
  const builder = new OutlineBuilder(tokens)
  const open: Open[] = []
  const close = (indent: number, last: number): void => {
    for (let top = open.at(-1); top !== undefined && top.indent >= indent; top = open.at(-1)) {
      builder.scope(top.kind, top.name, top.first, last)
      open.pop()
    }
  }
  for (let at = 0; at < tokens.count; at = nextStatement(tokens, at)) {
    const indent = tokens.indent(at)
    close(indent, at - 1)
    const keyword = tokens.keyword(at)
    if (keyword === 0) continue
    const main = keyword === ASYNC ? at + 1 : at
    switch (tokens.keyword(main)) {
      case DEF:
      case CLASS:
        if (tokens.kind(main + 1) === WORD) {
          open.push({
            kind: tokens.keyword(main) === CLASS ? 'class' : 'function',
            name: tokens.textOf(main + 1),
            indent,
            first: at,
          })
        }
        break
      case CDEF:
      case CPDEF: {
        const name = cythonName(tokens, main)
        if (name !== null) open.push({ ...name, indent, first: at })
        break
      }
      case IMPORT:
      case CIMPORT:
        readImport(tokens, builder, at)
        break
      case FROM:
        readFromImport(tokens, builder, at)
    }
  }
  close(0, tokens.count - 1)
  return builder.build()
}
