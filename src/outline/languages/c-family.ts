import type { Outline, ScopeKind } from '../../core/outline.ts'
import { MAX_HEADER_TOKENS } from '../lexis/blocks.ts'
import { CPP, CPP_KEYWORDS } from './c-family-lexis.ts'
import { tokenizeSource } from '../lexis/lexer.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import { BLOCK, INSIDE, MEMBERS, readStatements, VALUES, type StatementReader } from '../lexis/statements.ts'
import {
  CLOSE_PAREN,
  COLON,
  COMMA,
  EQUALS,
  GREATER,
  LESS,
  OPEN_BRACE,
  OPEN_PAREN,
  PATH,
  STRING,
  TILDE,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const id = (word: (typeof CPP_KEYWORDS)[number]): number => CPP_KEYWORDS.indexOf(word) + 1
const ids = (...words: Array<(typeof CPP_KEYWORDS)[number]>): ReadonlySet<number> => new Set(words.map(id))

const TYPES = new Map<number, ScopeKind>([
  [id('class'), 'class'],
  [id('struct'), 'struct'],
  [id('union'), 'struct'],
  [id('enum'), 'enum'],
])
const ACCESS = ids('public', 'private', 'protected', 'signals', 'slots')
/** No name of a function, whatever stands behind it. */
const NO_NAME = ids(
  'if',
  'for',
  'while',
  'switch',
  'return',
  'else',
  'do',
  'case',
  'catch',
  'new',
  'const',
  'noexcept',
  'decltype',
  'alignas',
  'requires',
  '__attribute__',
  '__attribute',
  '__declspec',
  'throw',
  'sizeof',
  'volatile',
  'typename',
  'explicit',
  'asm',
)
/** Words between the parameters and the body. */
const BEHIND = ids(
  'const',
  'noexcept',
  'override',
  'final',
  'volatile',
  'try',
  'throw',
  'requires',
  '__attribute__',
  '__attribute',
)
const [NAMESPACE, TYPEDEF, EXTERN, TEMPLATE, OPERATOR, ENUM, FINAL] = [
  id('namespace'),
  id('typedef'),
  id('extern'),
  id('template'),
  id('operator'),
  id('enum'),
  id('final'),
]

const operatorName = (text: string): string => `operator${/^\s*\w/.test(text) ? ' ' : ''}${text.trim()}`

class DeclarationParser implements StatementReader {
  readonly builder: OutlineBuilder
  readonly #tokens: Tokens
  /** Where the declarations of parameters behind a K&R header began. */
  #oldStyle = -1
  /** A header with initialisers in braces, which is read at the first of them. */
  #initialised: { begin: number; first: number; found: FunctionHeader } | null = null

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.builder = new OutlineBuilder(tokens)
    this.#includes()
  }

  /** Directives are no tokens: their lines are read here. */
  #includes(): void {
    const { text } = this.#tokens
    for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
      const match = /^#[ \t]*(?:include|import)[ \t]*[<"]([^>"\n]{1,300})[>"]/.exec(text.slice(at, at + 330))
      if (match?.[1] !== undefined && this.#tokens.beginsLine(at)) {
        this.builder.importOnLine(match[1], [], this.#tokens.lineAt(at))
      }
    }
  }

  open(start: number, at: number, around: number): number {
    const tokens = this.#tokens
    if (around === VALUES) return BLOCK
    const begin = around === MEMBERS && start === at && this.#oldStyle !== -1 ? this.#oldStyle : start
    this.#oldStyle = -1
    const known = this.#initialised?.begin === begin ? this.#initialised : null
    const first = known?.first ?? this.#afterTemplate(begin, at)
    if (tokens.keyword(first) === EXTERN && tokens.kind(first + 1) === STRING && first + 2 === at) return MEMBERS
    const last = tokens.pair(at) === -1 ? tokens.count - 1 : tokens.pair(at)
    const type = known === null ? this.#type(first, at) : null
    if (type !== null) {
      const name =
        type.name !== ''
          ? type.name
          : tokens.keyword(first) === TYPEDEF && tokens.kind(last + 1) === WORD
            ? tokens.textOf(last + 1)
            : ''
      if (name !== '') this.builder.scope(type.kind, name, type.first, last, begin)
      return type.kind === 'enum' ? VALUES : MEMBERS
    }
    if (around === BLOCK) return BLOCK
    const next = tokens.kind(last + 1)
    const found = known?.found ?? this.#function(first, at)
    if (found === null) return BLOCK
    if (found.hasInitialisers && (next === COMMA || (next === OPEN_BRACE && tokens.kind(at - 1) !== CLOSE_PAREN))) {
      this.#initialised = { begin, first, found }
      return INSIDE
    }
    this.builder.scope('function', found.name, found.first, last, begin)
    return BLOCK
  }

  end(start: number, at: number, around: number): number {
    const tokens = this.#tokens
    if (around !== MEMBERS || at - start < 2) return at + 1
    // `int f (a, b) int a; char *b; {`: keep where the header began
    const before = this.#oldStyle
    this.#oldStyle =
      before === -1 && this.#isOldStyle(start, at)
        ? start
        : before !== -1 && tokens.kind(at - 1) === WORD && at - before < 60
          ? before
          : -1
    return at + 1
  }

  colon(start: number, at: number, around: number): number {
    return around === MEMBERS && at - start <= 2 && ACCESS.has(this.#tokens.keyword(start)) ? at + 1 : start
  }

  /** `… ) int x` before a semicolon. */
  #isOldStyle(start: number, end: number): boolean {
    const tokens = this.#tokens
    for (let at = start; at < end && at - start < 40; at++) {
      if (tokens.kind(at) === EQUALS) return false
      const pair = tokens.pair(at)
      if (tokens.kind(at) === OPEN_PAREN && pair > at) {
        return (
          tokens.kind(at - 1) === WORD &&
          tokens.kind(pair + 1) === WORD &&
          tokens.startsLine(pair + 1) &&
          !BEHIND.has(tokens.keyword(pair + 1)) &&
          pair + 2 < end
        )
      }
    }
    return false
  }

  #afterTemplate(start: number, end: number): number {
    const tokens = this.#tokens
    let at = start
    while (tokens.keyword(at) === TEMPLATE && tokens.kind(at + 1) === LESS) {
      let angles = 0
      for (at++; at < end; at++) {
        if (tokens.kind(at) === LESS) angles++
        else if (tokens.kind(at) === GREATER && --angles === 0) break
        if (tokens.pair(at) > at) at = tokens.pair(at)
      }
      at++
    }
    return at < end ? at : start
  }

  /** `namespace a {`, `class A : B {`, `typedef struct {`; null for anything else in front of a `{`. */
  #type(first: number, open: number): { kind: ScopeKind; name: string; first: number } | null {
    const tokens = this.#tokens
    for (let at = first; at < open && at - first < 40; at++) {
      const word = tokens.keyword(at)
      if (word === NAMESPACE) {
        return { kind: 'module', name: tokens.text.slice(tokens.begin(at + 1), tokens.end(open - 1)), first }
      }
      const kind = TYPES.get(word)
      if (kind !== undefined) return this.#typeHeader(kind, at, open, first)
      if (tokens.kind(at) === EQUALS || (tokens.kind(at) === OPEN_PAREN && !NO_NAME.has(tokens.keyword(at - 1)))) {
        return null
      }
      if (tokens.pair(at) > at) at = tokens.pair(at)
    }
    return null
  }

  #typeHeader(
    kind: ScopeKind,
    keyword: number,
    open: number,
    first: number,
  ): { kind: ScopeKind; name: string; first: number } | null {
    const tokens = this.#tokens
    let at = keyword + 1
    if (kind === 'enum' && (tokens.keyword(at) === id('class') || tokens.keyword(at) === id('struct'))) at++
    let name = ''
    for (; at < open; at++) {
      const token = tokens.kind(at)
      if (token === COLON || tokens.keyword(at) === FINAL) break
      if (token === EQUALS) return null
      if (token === OPEN_PAREN && tokens.kind(tokens.pair(at) + 1) !== WORD && !NO_NAME.has(tokens.keyword(at - 1))) {
        return null
      } // a function that returns one
      if (token === WORD && !NO_NAME.has(tokens.keyword(at)) && tokens.kind(at + 1) !== OPEN_PAREN) {
        if (
          name !== '' &&
          tokens.kind(at - 1) !== PATH &&
          tokens.kind(at - 1) !== WORD &&
          tokens.kind(at - 1) !== CLOSE_PAREN
        ) {
          return null
        }
        name = tokens.textOf(at)
      } else if (token === LESS) {
        let angles = 0
        for (; at < open; at++) {
          if (tokens.kind(at) === LESS) angles++
          else if (tokens.kind(at) === GREATER && --angles === 0) break
        }
      }
      if (tokens.pair(at) > at) at = tokens.pair(at)
    }
    const start =
      kind === 'enum' || tokens.keyword(first) === ENUM || TYPES.has(tokens.keyword(first)) ? first : keyword
    return { kind, name, first: tokens.keyword(first) === TYPEDEF ? first : start }
  }

  /** The function that a header in front of a `{` declares, or null. */
  #function(start: number, open: number): FunctionHeader | null {
    const tokens = this.#tokens
    let first = start
    let name = ''
    let angles = 0
    let hasInitialisers = false
    let close = -1
    for (let at = start; at < open; at++) {
      const kind = tokens.kind(at)
      if (kind === WORD) {
        if (tokens.keyword(at) === OPERATOR) {
          const parameters = this.#operatorParameters(at, open)
          if (parameters !== -1) {
            name = operatorName(tokens.text.slice(tokens.end(at), tokens.end(parameters - 1)))
            at = close = tokens.pair(parameters)
            angles = 0
          }
        }
        continue
      }
      if (kind === LESS && tokens.kind(at - 1) === WORD) angles++
      else if (kind === GREATER && angles > 0) angles--
      else if (kind === EQUALS && angles === 0 && close === -1) return null
      else if (kind === COLON && close !== -1) {
        hasInitialisers = true
        break
      } else if (kind === OPEN_PAREN && angles === 0 && !hasInitialisers) {
        const candidate = this.#nameBefore(at)
        const pair = tokens.pair(at)
        if (pair === -1) return null
        if (candidate !== -1 && (close === -1 || this.#isMacro(start, close, at))) {
          if (close !== -1 && tokens.startsLine(close + 1)) first = close + 1
          const tilde = tokens.kind(candidate - 1) === TILDE ? '~' : ''
          name = tilde + tokens.textOf(candidate)
          close = pair
        }
      }
      if (tokens.pair(at) > at) at = tokens.pair(at)
    }
    return name === '' ? null : { name, first, hasInitialisers }
  }

  /** The word in front of parameters, over template arguments. */
  #nameBefore(open: number): number {
    const tokens = this.#tokens
    let at = open - 1
    if (tokens.kind(at) === GREATER) {
      let angles = 0
      for (; at > 0 && open - at < 60; at--) {
        if (tokens.kind(at) === GREATER) angles++
        else if (tokens.kind(at) === LESS && --angles === 0) break
      }
      at--
    }
    if (tokens.kind(at) === CLOSE_PAREN && tokens.kind(tokens.pair(at) + 1) === WORD && tokens.pair(at) + 2 === at) {
      return at - 1
    } // (name)(…)
    return tokens.kind(at) === WORD && !NO_NAME.has(tokens.keyword(at)) && tokens.keyword(at) !== id('void') ? at : -1
  }

  /** Whether what looked like the parameters was those of a macro: another name with parameters follows it. */
  #isMacro(start: number, close: number, open: number): boolean {
    const tokens = this.#tokens
    const after = close + 1
    if (tokens.kind(after) !== WORD || BEHIND.has(tokens.keyword(after))) return false
    return (
      open - after > 1 ||
      (tokens.kind(tokens.pair(close) - 1) === WORD &&
        tokens.pair(close) - 1 === start &&
        !/^[A-Z_]+$/.test(tokens.textOf(after)))
    )
  }

  #operatorParameters(at: number, end: number): number {
    const tokens = this.#tokens
    let open = at + 1
    if (tokens.kind(open) === OPEN_PAREN && tokens.pair(open) === open + 1) open += 2 // operator()
    while (open < end && open - at < MAX_HEADER_TOKENS && tokens.kind(open) !== OPEN_PAREN) open++
    return tokens.kind(open) === OPEN_PAREN && open < end && tokens.pair(open) !== -1 ? open : -1
  }
}

/** Definitions of C, C++ and their relatives. */
export function outlineC(text: string): Outline {
  const tokens = tokenizeSource(text, CPP)
  const parser = new DeclarationParser(tokens)
  readStatements(tokens, parser)
  return parser.builder.build()
}

interface FunctionHeader {
  name: string
  first: number
  hasInitialisers: boolean
}
