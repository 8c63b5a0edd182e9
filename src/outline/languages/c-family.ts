import type { Outline, ScopeKind } from '../../core/outline.ts'
import { closing, MAX_HEADER_TOKENS } from '../lexis/blocks.ts'
import { CPP, CPP_KEYWORDS } from './c-family-lexis.ts'
import { tokenizeSource } from '../lexis/lexer.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import { BLOCK, INSIDE, MEMBERS, readStatements, VALUES, type StatementReader } from '../lexis/statements.ts'
import {
  AMPERSAND,
  CARET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  EQUALS,
  GREATER,
  kindSet,
  LESS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PATH,
  STAR,
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
/** `enum class`, `enum struct` */
const SCOPED = ids('class', 'struct')
/** What may stand before a further word of a type's name. */
const beforeName = kindSet(PATH, WORD, CLOSE_PAREN)
/** What may stand in front of the `*` of a declarator: a calling convention, a class. */
const beforePointer = kindSet(WORD, PATH)
const isPointer = kindSet(STAR, AMPERSAND, CARET)
const isParametersOrSize = kindSet(OPEN_PAREN, OPEN_BRACKET)
const MAX_OLD_STYLE_TOKENS = 60
const [NAMESPACE, TYPEDEF, EXTERN, TEMPLATE, OPERATOR, FINAL] = [
  id('namespace'),
  id('typedef'),
  id('extern'),
  id('template'),
  id('operator'),
  id('final'),
]

const operatorName = (text: string): string => `operator${/^\s*\w/.test(text) ? ' ' : ''}${text.trim()}`

interface TypeHeader {
  kind: ScopeKind
  name: string
  first: number
}

interface FunctionHeader {
  name: string
  first: number
  hasInitialisers: boolean
}

/** A header that is being read; `close` is the end of its parameters, or -1 before them. */
interface ReadHeader extends FunctionHeader {
  close: number
}

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
    if (around === VALUES) return BLOCK
    const begin = this.#headerBegin(start, at, around)
    const known = this.#initialised?.begin === begin ? this.#initialised : null
    if (known !== null) return around === BLOCK ? BLOCK : this.#openFunction(at, known)
    const first = this.#afterTemplate(begin, at)
    if (this.#isLinkage(first, at)) return MEMBERS
    const type = this.#type(first, at)
    if (type !== null) return this.#openType(at, { begin, first, type })
    const found = around === BLOCK ? null : this.#function(first, at)
    return found === null ? BLOCK : this.#openFunction(at, { begin, first, found })
  }

  /** Where the header in front of a `{` begins: a K&R one before the declarations of its parameters. */
  #headerBegin(start: number, at: number, around: number): number {
    const oldStyle = this.#oldStyle
    this.#oldStyle = -1
    return around === MEMBERS && start === at && oldStyle !== -1 ? oldStyle : start
  }

  /** `extern "C" {` */
  #isLinkage(first: number, open: number): boolean {
    const tokens = this.#tokens
    return tokens.keyword(first) === EXTERN && tokens.kind(first + 1) === STRING && first + 2 === open
  }

  /** The braces behind the header of a type or namespace. */
  #openType(at: number, { begin, first, type }: { begin: number; first: number; type: TypeHeader }): number {
    const last = closing(this.#tokens, at)
    const name = type.name === '' ? this.#typedefName(first, last) : type.name
    if (name !== '') this.builder.scope(type.kind, name, type.first, last, begin)
    return type.kind === 'enum' ? VALUES : MEMBERS
  }

  /** The name behind `typedef struct { … }`, or nothing. */
  #typedefName(first: number, last: number): string {
    const tokens = this.#tokens
    const hasName = tokens.keyword(first) === TYPEDEF && tokens.kind(last + 1) === WORD
    return hasName ? tokens.textOf(last + 1) : ''
  }

  /** The braces behind the header of a function: its body, or before that the values of an initialiser. */
  #openFunction(at: number, header: { begin: number; first: number; found: FunctionHeader }): number {
    const tokens = this.#tokens
    const { begin, found } = header
    const last = closing(tokens, at)
    const next = tokens.kind(last + 1)
    const isGoingOn = next === COMMA || (next === OPEN_BRACE && tokens.kind(at - 1) !== CLOSE_PAREN)
    if (found.hasInitialisers && isGoingOn) {
      this.#initialised = header
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
    if (before === -1) this.#oldStyle = this.#isOldStyle(start, at) ? start : -1
    else if (tokens.kind(at - 1) !== WORD || at - before >= MAX_OLD_STYLE_TOKENS) this.#oldStyle = -1
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
        at = tokens.over(at)
      }
      at++
    }
    return at < end ? at : start
  }

  /** `namespace a {`, `class A : B {`, `typedef struct {`; null for anything else in front of a `{`. */
  #type(first: number, open: number): TypeHeader | null {
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
      at = tokens.over(at)
    }
    return null
  }

  #typeHeader(kind: ScopeKind, keyword: number, open: number, first: number): TypeHeader | null {
    const tokens = this.#tokens
    const isScoped = kind === 'enum' && SCOPED.has(tokens.keyword(keyword + 1))
    let name = ''
    for (let at = isScoped ? keyword + 2 : keyword + 1; at < open; at++) {
      const token = tokens.kind(at)
      if (token === COLON || tokens.keyword(at) === FINAL) break
      if (token === EQUALS || this.#isParameters(at)) return null // a function that returns one
      if (this.#isTypeName(at)) {
        if (name !== '' && !beforeName(tokens.kind(at - 1))) return null
        name = tokens.textOf(at)
      }
      at = tokens.over(token === LESS ? this.#closingAngle(at, open) : at)
    }
    const startsHere = kind === 'enum' || tokens.keyword(first) === TYPEDEF || TYPES.has(tokens.keyword(first))
    return { kind, name, first: startsHere ? first : keyword }
  }

  /** Whether parentheses are those of parameters, not of an attribute or a macro in front of a name. */
  #isParameters(at: number): boolean {
    const tokens = this.#tokens
    if (tokens.kind(at) !== OPEN_PAREN) return false
    return tokens.kind(tokens.pair(at) + 1) !== WORD && !NO_NAME.has(tokens.keyword(at - 1))
  }

  #isTypeName(at: number): boolean {
    const tokens = this.#tokens
    return tokens.kind(at) === WORD && !NO_NAME.has(tokens.keyword(at)) && tokens.kind(at + 1) !== OPEN_PAREN
  }

  /** The `>` of template arguments that begin here; the end when none closes them. */
  #closingAngle(from: number, end: number): number {
    let angles = 0
    for (let at = from; at < end; at++) {
      const kind = this.#tokens.kind(at)
      if (kind === LESS) angles++
      else if (kind === GREATER && --angles === 0) return at
    }
    return end
  }

  /** The function that a header in front of a `{` declares, or null. */
  #function(start: number, open: number): FunctionHeader | null {
    const tokens = this.#tokens
    const header = { name: '', first: start, hasInitialisers: false, close: -1 }
    let angles = 0
    for (let at = start; at < open; at++) {
      const kind = tokens.kind(at)
      if (kind === WORD) {
        if (tokens.keyword(at) !== OPERATOR || !this.#takeOperator(header, at, open)) continue
        at = header.close
        angles = 0
        continue
      }
      if (kind === COLON && header.close !== -1) {
        header.hasInitialisers = true
        break
      }
      if (kind === LESS && tokens.kind(at - 1) === WORD) angles++
      else if (kind === GREATER) angles = Math.max(0, angles - 1)
      else if (angles === 0 && !this.#takeOutside(header, start, at)) return null
      at = tokens.over(at)
    }
    return header.name === '' ? null : header
  }

  /** Takes `operator …(` in as the name; false when it has no parameters. */
  #takeOperator(header: ReadHeader, at: number, open: number): boolean {
    const tokens = this.#tokens
    const parameters = this.#operatorParameters(at, open)
    if (parameters === -1) return false
    header.name = operatorName(tokens.text.slice(tokens.end(at), tokens.end(parameters - 1)))
    header.close = tokens.pair(parameters)
    return true
  }

  /** Takes punctuation outside of angles in; false when no function has it there. */
  #takeOutside(header: ReadHeader, start: number, at: number): boolean {
    const tokens = this.#tokens
    const kind = tokens.kind(at)
    if (kind === EQUALS) return header.close !== -1 && !this.#isDeclarator(header.close)
    if (kind !== OPEN_PAREN) return true
    if (tokens.pair(at) === -1) return false
    const candidate = this.#nameBefore(at)
    const isFirst = header.close === -1
    if (candidate === -1 || !(isFirst || this.#isMacro(start, header.close, at))) return true
    if (!isFirst && tokens.startsLine(header.close + 1)) header.first = header.close + 1
    const tilde = tokens.kind(candidate - 1) === TILDE ? '~' : ''
    header.name = tilde + tokens.textOf(candidate)
    header.close = tokens.pair(at)
    return true
  }

  /** Whether what looked like parameters holds the name of a variable: `int (*a)(int)`, `int (&a)[2]`. */
  #isDeclarator(close: number): boolean {
    const tokens = this.#tokens
    if (!isParametersOrSize(tokens.kind(close + 1))) return false
    let at = tokens.pair(close) + 1
    while (beforePointer(tokens.kind(at))) at++
    return isPointer(tokens.kind(at))
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

/** Definitions and imports of C, C++ and their relatives. */
export function outlineC(text: string): Outline {
  const tokens = tokenizeSource(text, CPP)
  const parser = new DeclarationParser(tokens)
  readStatements(tokens, parser)
  return parser.builder.build()
}
