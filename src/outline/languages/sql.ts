import type { Outline, ScopeKind } from '../../core/outline.ts'
import { numbering } from '../lexis/blocks.ts'
import { lexis, pushLiteral, readComment, readLineComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
import { afterBlock, afterDoubled } from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  APOSTROPHE,
  AT,
  CLOSE_BRACKET,
  DOLLAR,
  DOT,
  EQUALS,
  MINUS,
  OPEN_BRACKET,
  SEMICOLON,
  SLASH,
  STAR,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'create',
  'or',
  'replace',
  'table',
  'view',
  'function',
  'procedure',
  'trigger',
  'type',
  'package',
  'body',
  'temporary',
  'temp',
  'unlogged',
  'materialized',
  'if',
  'not',
  'exists',
  'global',
  'local',
  'definer',
  'recursive',
  'begin',
  'end',
  'case',
  'loop',
  'while',
  'repeat',
  'go',
  'external',
  'force',
  'editionable',
  'constraint',
  'alter',
  'transaction',
  'tran',
  'work',
  'atomic',
  'insert',
  'drop',
  'grant',
  'comment',
  'update',
  'delete',
  'set',
] as const
const id = numbering(KEYWORDS)
const [CREATE] = KEYWORDS.map(id)
const KINDS = new Map<number, ScopeKind>([
  [id('table'), 'table'],
  [id('view'), 'table'],
  [id('function'), 'function'],
  [id('procedure'), 'function'],
  [id('trigger'), 'function'],
  [id('type'), 'type'],
  [id('package'), 'module'],
])
const BEFORE_KIND = new Set(
  [
    'or',
    'replace',
    'alter',
    'temporary',
    'temp',
    'unlogged',
    'materialized',
    'global',
    'local',
    'definer',
    'recursive',
    'external',
    'force',
    'editionable',
    'constraint',
  ].map(id),
)
const BEFORE_NAME = new Set(['if', 'not', 'exists', 'body'].map(id))
const OPENS = new Set(['begin', 'case', 'if', 'loop', 'while', 'repeat'].map(id))
const [BEGIN, END, GO] = ['begin', 'end', 'go'].map(id)
/** What an `end` may name: the block that it closes. */
const NAMED_ENDS = new Set([...OPENS].filter(word => word !== BEGIN))
/** Begin the next statement where a table has no semicolon. */
const NEXT = new Set(['create', 'alter', 'insert', 'drop', 'grant', 'comment', 'update', 'delete', 'set'].map(id))
const AFTER_BEGIN = new Set(['transaction', 'tran', 'work'].map(id))

/** Strings, comments, and bodies between dollar marks. */
function reader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  return (code, at) => {
    const next = text.charCodeAt(at + 1)
    if (code === MINUS || code === SLASH) {
      if (code === MINUS ? next !== MINUS : next !== STAR) return -1
      return code === MINUS ? readLineComment(tokens, at) : readComment(tokens, at)
    }
    if (code === DOLLAR) {
      const mark = /^\$\w*\$/.exec(text.slice(at, at + 64))?.[0]
      return mark === undefined ? at + 1 : pushLiteral(tokens, at, afterBlock(text, at, mark, mark))
    }
    const quote = text.charAt(at)
    const end = afterDoubled(text, at, quote)
    if (code === APOSTROPHE) return pushLiteral(tokens, at, end)
    tokens.push(WORD, at, end, 0) // a quoted name
    return end
  }
}

/** The tokens of SQL in its dialects. */
export const SQL = lexis({ special: '-/$\'"`', keywords: KEYWORDS, ignoreCase: true, reader })

function beginsStatement(tokens: Tokens, at: number): boolean {
  return tokens.startsLine(at) || tokens.kind(at - 1) === SEMICOLON
}

function onlyModifiers(tokens: Tokens, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (tokens.keyword(at) === id('definer')) return true // an account follows
    if (!BEFORE_KIND.has(tokens.keyword(at))) return false
  }
  return true
}

/** `a.b`, `"a"."b"`, `[a].[b]`: the last part. */
function nameAt(tokens: Tokens, at: number): { text: string; last: number } {
  let from = at
  for (;;) {
    const isBracketed = tokens.kind(from) === OPEN_BRACKET && tokens.kind(tokens.pair(from)) === CLOSE_BRACKET
    const last = isBracketed ? tokens.pair(from) : from
    if (tokens.kind(last + 1) === DOT) {
      from = last + 2
      continue
    }
    if (isBracketed) return { text: tokens.text.slice(tokens.end(from), tokens.begin(last)), last }
    return { text: tokens.kind(from) === WORD ? tokens.textOf(from).replaceAll(/["`]/g, '') : '', last: from }
  }
}

/** Whether a word opens a block in the body of a function; the outermost one begins with `begin`. */
function opensBlock(tokens: Tokens, at: number, depth: number): boolean {
  const word = tokens.keyword(at)
  if (word === BEGIN) return !AFTER_BEGIN.has(tokens.keyword(at + 1))
  return depth > 0 && OPENS.has(word)
}

/** Whether a keyword begins the next statement although no semicolon has ended this one. */
function beginsNext(tokens: Tokens, at: number, kind: ScopeKind, depth: number): boolean {
  if (!tokens.startsLine(at)) return false
  const word = tokens.keyword(at)
  if (word === GO) return tokens.line(at + 1) !== tokens.line(at)
  if (word === CREATE && depth === 0 && KINDS.has(tokens.keyword(at + 1))) return true
  return kind === 'table' && NEXT.has(word) && tokens.indent(at) === 0
}

/** The last token of a statement: its `;` outside of blocks, or what stands before the next one. */
function statementEnd(tokens: Tokens, from: number, kind: ScopeKind): number {
  const hasBlocks = kind === 'function' || kind === 'module'
  let depth = 0
  for (let at = from; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    if (depth === 0 && tokens.kind(at) === SEMICOLON) return at
    if (word !== 0 && beginsNext(tokens, at, kind, depth)) return at - 1
    if (hasBlocks && word === END) {
      depth = Math.max(0, depth - 1)
      if (NAMED_ENDS.has(tokens.keyword(at + 1))) at++ // end if
    } else if (hasBlocks && opensBlock(tokens, at, depth)) depth++
    at = tokens.over(at)
  }
  return tokens.count - 1
}

/**
 * Tables, views, functions, procedures, triggers and types of SQL in its dialects: from `create` to the `;` behind its
 * outermost block, or to `go`.
 */
export function outlineSql(text: string): Outline {
  const tokens = tokenizeSource(text, SQL)
  const builder = new OutlineBuilder(tokens)
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.keyword(at) !== CREATE || !beginsStatement(tokens, at)) continue
    let keyword = at + 1
    while (
      keyword - at < 12 &&
      !KINDS.has(tokens.keyword(keyword)) &&
      (BEFORE_KIND.has(tokens.keyword(keyword)) ||
        tokens.kind(keyword) === WORD ||
        tokens.kind(keyword) === EQUALS ||
        tokens.kind(keyword) === AT)
    ) {
      keyword++
    }
    const kind = KINDS.get(tokens.keyword(keyword))
    if (kind === undefined || !onlyModifiers(tokens, at + 1, keyword)) continue
    let name = keyword + 1
    while (BEFORE_NAME.has(tokens.keyword(name))) name++
    const { text: found, last } = nameAt(tokens, name)
    const end = statementEnd(tokens, last + 1, kind)
    if (found !== '') builder.scope(kind, found, at, end)
    at = end
  }
  return builder.build()
}
