import type { Outline, ScopeKind } from '../../core/outline.ts'
import { CSHARP, CSHARP_KEYWORDS, JAVA, JAVA_KEYWORDS } from './c-family-lexis.ts'
import { tokenizeSource, type Lexis } from '../lexis/lexer.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import { BLOCK, CONSTANTS, INSIDE, MEMBERS, readStatements, VALUES, type StatementReader } from '../lexis/statements.ts'
import {
  ARROW,
  AT,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  GREATER,
  kindSet,
  LESS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  OPERATOR,
  QUESTION,
  SEMICOLON,
  STAR,
  TILDE,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

interface Dialect {
  lexis: Lexis
  /** Kinds of the types, by the number of their keyword. */
  types: ReadonlyMap<number, ScopeKind>
  /** Words that are no names of methods and no types in front of one. */
  statements: ReadonlySet<number>
  words: {
    new: number
    import: number
    record: number
    enum: number
    namespace: number
    delegate: number
    operator: number
    event: number
    using: number
  }
  /** Properties, expression bodies, local functions and attributes in brackets. */
  isCSharp: boolean
}

function dialect(
  lexis: Lexis,
  keywords: readonly string[],
  types: Record<string, ScopeKind>,
  options: { statements: string[]; isCSharp: boolean },
): Dialect {
  const id = (word: string): number => keywords.indexOf(word) + 1 || -1
  return {
    lexis,
    types: new Map(Object.entries(types).map(([word, kind]) => [id(word), kind])),
    statements: new Set(options.statements.map(id)),
    words: {
      new: id('new'),
      import: id('import'),
      record: id('record'),
      enum: id('enum'),
      namespace: id('namespace'),
      delegate: id('delegate'),
      operator: id('operator'),
      event: id('event'),
      using: id('using'),
    },
    isCSharp: options.isCSharp,
  }
}

const JAVA_DIALECT = dialect(
  JAVA,
  JAVA_KEYWORDS,
  { class: 'class', interface: 'interface', enum: 'enum', record: 'class' },
  {
    statements: [
      'new',
      'return',
      'else',
      'throw',
      'case',
      'switch',
      'if',
      'for',
      'while',
      'catch',
      'synchronized',
      'try',
      'do',
      'throws',
    ],
    isCSharp: false,
  },
)
const CSHARP_DIALECT = dialect(
  CSHARP,
  CSHARP_KEYWORDS,
  { class: 'class', interface: 'interface', enum: 'enum', record: 'class', struct: 'struct', namespace: 'module' },
  {
    statements: [
      'new',
      'return',
      'else',
      'throw',
      'case',
      'switch',
      'if',
      'for',
      'foreach',
      'while',
      'catch',
      'lock',
      'fixed',
      'await',
      'yield',
      'in',
      'is',
      'as',
      'when',
      'checked',
      'unchecked',
      'try',
      'do',
      'base',
      'this',
      'using',
      'typeof',
      'nameof',
      'default',
      'goto',
      'or',
      'and',
      'not',
      'with',
      'from',
      'select',
      'where',
    ],
    isCSharp: true,
  },
)

/** What a header that is read has shown so far. */
interface Reading {
  readonly first: number
  readonly end: number
  readonly isMember: boolean
  /** The word in front of the parameters; -1 before them. */
  name: number
  /** The last word outside of angles. */
  lastWord: number
  angles: number
}

const noHeader = (first: number): Header => ({ kind: 'none', name: '', first, hasArrow: false, isEnum: false })

const mayEndType = kindSet(GREATER, CLOSE_BRACKET, QUESTION, CLOSE_PAREN, STAR)

class MemberParser implements StatementReader {
  readonly builder: OutlineBuilder
  readonly #tokens: Tokens
  readonly #language: Dialect

  constructor(tokens: Tokens, language: Dialect) {
    this.#tokens = tokens
    this.#language = language
    this.builder = new OutlineBuilder(tokens)
  }

  open(start: number, at: number, around: number): number {
    const tokens = this.#tokens
    if (this.#isAnonymousType(at)) return MEMBERS
    if (around === VALUES || around === INSIDE) return BLOCK
    if (around === CONSTANTS) return MEMBERS
    const header = this.#header(start, at, around === MEMBERS)
    if (header.kind === 'none') return this.#language.isCSharp && tokens.kind(at - 1) === EQUALS ? VALUES : BLOCK
    const last = tokens.pair(at) === -1 ? tokens.count - 1 : tokens.pair(at)
    if (header.kind === 'property') {
      this.builder.scope('function', header.name, header.first, this.#withInitialiser(last))
      return BLOCK
    }
    if (header.hasArrow) return INSIDE // the expression goes on to its semicolon
    this.builder.scope(header.kind, header.name, header.first, last)
    if (header.kind === 'function') return BLOCK
    if (!header.isEnum) return MEMBERS
    return this.#language.isCSharp ? VALUES : CONSTANTS
  }

  end(start: number, at: number, around: number): number {
    const { words, isCSharp } = this.#language
    const first = this.#tokens.keyword(start)
    if (first === words.import || first === words.using) this.#import(start, at)
    else if (around === MEMBERS || (around === BLOCK && isCSharp)) this.#declare(start, at, around === MEMBERS)
    return at + 1
  }

  /** A declaration that ends with a semicolon: without a body, or with an expression for one. */
  #declare(start: number, at: number, isMember: boolean): void {
    const { kind, name, first, hasArrow } = this.#header(start, at, isMember)
    if (kind === 'none' || kind === 'module') return
    const isProperty = kind === 'property'
    if (hasArrow || (isMember && !isProperty)) this.builder.scope(isProperty ? 'function' : kind, name, first, at)
  }

  /** `} = value;` behind a property. */
  #withInitialiser(close: number): number {
    const tokens = this.#tokens
    if (tokens.kind(close + 1) !== EQUALS) return close
    for (let at = close + 1; at < tokens.count && at - close < 400; at++) {
      if (tokens.kind(at) === SEMICOLON) return at
      at = tokens.over(at)
    }
    return close
  }

  /** `new A<B>(…) {`, and no array. */
  #isAnonymousType(open: number): boolean {
    const tokens = this.#tokens
    if (this.#language.isCSharp || tokens.kind(open - 1) !== CLOSE_PAREN) return false
    let at = tokens.pair(open - 1) - 1
    let angles = 0
    for (const limit = at - 60; at > limit; at--) {
      const kind = tokens.kind(at)
      if (kind === GREATER) angles++
      else if (kind === LESS) angles--
      else if (tokens.keyword(at) === this.#language.words.new) return true
      else if (angles === 0 && kind !== WORD && kind !== DOT) return false
    }
    return false
  }

  /** Reads a header up to its `{` or `;`. */
  #header(start: number, end: number, isMember: boolean): Header {
    const { statements, isCSharp } = this.#language
    const tokens = this.#tokens
    const first = this.#afterMarks(start, end)
    if (first >= end || (!isMember && statements.has(tokens.keyword(first)))) return noHeader(first)
    const reading: Reading = { first, end, isMember, name: -1, lastWord: -1, angles: 0 }
    for (let at = first; at < end; at++) {
      const header = this.#read(reading, at)
      if (header !== null) return header
      const isAnnotation = tokens.kind(at) === AT && !isCSharp && at > first
      if (isAnnotation) {
        at = Math.max(at, this.#afterMarks(at, end) - 1)
      } // stays at the one of `@interface`
      else at = tokens.over(at)
    }
    if (reading.name !== -1) return this.#function(reading.name, first, isMember, { hasArrow: false, end })
    return isCSharp && isMember && tokens.kind(end) === OPEN_BRACE ? this.#property(reading) : noHeader(first)
  }

  /** Takes a token of a header in; returns the header when that decides what it declares. */
  #read(reading: Reading, at: number): Header | null {
    switch (this.#tokens.kind(at)) {
      case WORD:
        return this.#readWord(reading, at)
      case LESS:
        reading.angles++
        return null
      case GREATER:
        reading.angles--
        return null
      case OPEN_PAREN:
        return reading.name === -1 && reading.angles <= 0 ? this.#readParameters(reading, at) : null
      case ARROW:
        return this.#arrow(reading, at)
      case EQUALS:
      case OPERATOR:
      case OPEN_BRACE:
        return reading.name === -1 ? noHeader(reading.first) : null
      default:
        return null
    }
  }

  #readWord(reading: Reading, at: number): Header | null {
    const { words, isCSharp } = this.#language
    const { first, end, isMember } = reading
    const id = this.#tokens.keyword(at)
    const type = reading.name === -1 ? this.#typeAt(at) : undefined
    if (type !== undefined) {
      const isTwoWords = id === words.record && this.#language.types.has(this.#tokens.keyword(at + 1))
      const name = this.#typeName(isTwoWords ? at + 2 : at + 1, type, end)
      return { kind: type, name, first, hasArrow: false, isEnum: id === words.enum }
    }
    const isValue = id === words.new && reading.name === -1 && !isMember
    if (id === words.event || isValue) return noHeader(first)
    if (id === words.operator && isCSharp) return this.#operator(at, end, first)
    if (reading.angles === 0) reading.lastWord = at
    return null
  }

  /** The kind of the type that a keyword declares, where it does. */
  #typeAt(at: number): ScopeKind | undefined {
    const tokens = this.#tokens
    if (tokens.kind(at - 1) === DOT || tokens.kind(at + 1) !== WORD) return undefined
    const id = tokens.keyword(at)
    return id === this.#language.words.record && !this.#isRecord(at) ? undefined : this.#language.types.get(id)
  }

  /** Takes the word in front of the first parentheses as the name of a method. */
  #readParameters(reading: Reading, open: number): Header | null {
    const tokens = this.#tokens
    const before = tokens.kind(open - 1) === GREATER ? reading.lastWord : open - 1
    if (tokens.kind(before) !== WORD || before < reading.first) return null
    const word = tokens.keyword(before)
    if (this.#language.isCSharp && word !== 0 && this.#isModifier(before)) return null
    if (this.#language.statements.has(word)) return noHeader(reading.first)
    reading.name = before
    return null
  }

  /** `=>`: the expression of a property or a method in C#; of a lambda in Java. */
  #arrow({ first, isMember, name, lastWord }: Reading, at: number): Header {
    if (!this.#language.isCSharp) return noHeader(first)
    if (name !== -1) return this.#function(name, first, isMember, { hasArrow: true, end: at })
    if (lastWord === -1 || !isMember) return noHeader(first)
    return { kind: 'property', name: this.#tokens.textOf(lastWord), first, hasArrow: true, isEnum: false }
  }

  /** A property or an indexer of C# in front of its braces. */
  #property({ first, end, lastWord }: Reading): Header {
    const tokens = this.#tokens
    const isNamed = lastWord > first
    if (!isNamed && tokens.kind(end - 1) !== CLOSE_BRACKET) return noHeader(first)
    return { kind: 'property', name: isNamed ? tokens.textOf(lastWord) : 'this', first, hasArrow: false, isEnum: false }
  }

  /** A method or constructor; a local function only where a type stands before its name. */
  #function(
    name: number,
    first: number,
    isMember: boolean,
    { hasArrow, end }: { hasArrow: boolean; end: number },
  ): Header {
    const tokens = this.#tokens
    const { words, isCSharp } = this.#language
    const before = tokens.kind(name - 1)
    if (!isMember) {
      const isTyped = isCSharp && name > first && this.#endsType(name - 1)
      if (!isTyped || !(hasArrow || this.#hasBody(name, end))) return noHeader(first)
    }
    if (!hasArrow && tokens.kind(end) === SEMICOLON && this.#isCalled(name, first)) return noHeader(first)
    let isDelegate = false
    for (let at = first; at < name; at++) if (tokens.keyword(at) === words.delegate) isDelegate = true
    return {
      kind: isDelegate ? 'type' : 'function',
      name: `${before === TILDE ? '~' : ''}${tokens.textOf(name)}`,
      first,
      hasArrow,
      isEnum: false,
    }
  }

  /** Whether nothing but a path stands in front of a name: no type that would declare it. */
  #isCalled(name: number, first: number): boolean {
    let at = name
    while (at > first && this.#tokens.kind(at - 1) === DOT) at -= 2
    return at <= first
  }

  /** Whether a type ends with a token. */
  #endsType(at: number): boolean {
    const tokens = this.#tokens
    if (tokens.kind(at) === WORD) return !this.#language.statements.has(tokens.keyword(at))
    return mayEndType(tokens.kind(at))
  }

  /** Whether what follows the parameters of a local function is its body, or constraints in front of one. */
  #hasBody(name: number, end: number): boolean {
    const tokens = this.#tokens
    if (tokens.kind(end) === SEMICOLON) return false
    return tokens.kind(end - 1) === CLOSE_PAREN || this.#hasWhere(name, end)
  }

  #hasWhere(from: number, end: number): boolean {
    const where = CSHARP_KEYWORDS.indexOf('where') + 1
    for (let at = from; at < end && at - from < 200; at++) if (this.#tokens.keyword(at) === where) return true
    return false
  }

  #operator(at: number, end: number, first: number): Header {
    const tokens = this.#tokens
    let open = at + 1
    while (open < end && tokens.kind(open) !== OPEN_PAREN) open++
    const name = tokens.text.slice(tokens.begin(at + 1), tokens.end(open - 1))
    let hasArrow = false
    for (let next = open; next < end; next = tokens.pair(next) > next ? tokens.pair(next) + 1 : next + 1) {
      if (tokens.kind(next) === ARROW) hasArrow = true
    }
    return { kind: 'function', name: `operator${/^\w/.test(name) ? ' ' : ''}${name}`, first, hasArrow, isEnum: false }
  }

  /** `record` is a name elsewhere. */
  #isRecord(at: number): boolean {
    const after = this.#tokens.kind(at + 2)
    return (
      after === OPEN_PAREN ||
      after === LESS ||
      after === OPEN_BRACE ||
      after === WORD ||
      after === SEMICOLON ||
      after === COLON
    )
  }

  #isModifier(at: number): boolean {
    return ![
      'get',
      'set',
      'init',
      'from',
      'select',
      'where',
      'with',
      'when',
      'record',
      'await',
      'or',
      'and',
      'not',
    ].includes(CSHARP_KEYWORDS[this.#tokens.keyword(at) - 1] ?? '')
  }

  #typeName(at: number, kind: ScopeKind, end: number): string {
    const tokens = this.#tokens
    if (kind !== 'module') return tokens.textOf(at)
    let last = at
    while (tokens.kind(last + 1) === DOT && last + 2 < end) last += 2
    return tokens.text.slice(tokens.begin(at), tokens.end(last))
  }

  /** Behind annotations or attributes. */
  #afterMarks(from: number, end: number): number {
    const tokens = this.#tokens
    let at = from
    for (;;) {
      if (this.#language.isCSharp && tokens.kind(at) === OPEN_BRACKET && tokens.pair(at) > at) {
        at = tokens.pair(at) + 1
        continue
      }
      if (
        this.#language.isCSharp ||
        tokens.kind(at) !== AT ||
        at >= end ||
        this.#language.types.has(tokens.keyword(at + 1))
      ) {
        return at
      }
      at += 2
      while (tokens.kind(at) === DOT) at += 2
      if (tokens.kind(at) === OPEN_PAREN && tokens.pair(at) > at) at = tokens.pair(at) + 1
    }
  }

  #import(start: number, end: number): void {
    const tokens = this.#tokens
    let from = start + 1
    if (tokens.kind(from) === OPEN_PAREN) return // a `using` statement
    for (let at = from; at < end; at++) {
      const kind = tokens.kind(at)
      if (kind === EQUALS) {
        from = at + 1
      } // using a = b.c
      else if (kind === WORD && tokens.kind(at + 1) === WORD && at === from && tokens.keyword(at) !== 0) {
        from = at + 1
      } // import static
      else if (kind === OPEN_PAREN || kind === COMMA) return
      else if (kind === WORD && tokens.kind(at + 1) === WORD) return
    }
    this.builder.import(tokens.text.slice(tokens.begin(from), tokens.end(end - 1)).replace(/\s+/g, ''), [], start)
  }
}

function outlineWith(text: string, language: Dialect): Outline {
  const tokens = tokenizeSource(text, language.lexis)
  const parser = new MemberParser(tokens, language)
  readStatements(tokens, parser)
  return parser.builder.build()
}

/** Definitions and imports of Java. */
export const outlineJava = (text: string): Outline => outlineWith(text, JAVA_DIALECT)
/** Definitions and imports of C#. */
export const outlineCSharp = (text: string): Outline => outlineWith(text, CSHARP_DIALECT)

/** What a header in front of a `{` or a `;` declares; `first` is its first token below annotations. */
interface Header {
  kind: ScopeKind | 'property' | 'none'
  name: string
  first: number
  hasArrow: boolean
  isEnum: boolean
}
