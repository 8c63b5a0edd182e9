import type { Outline, ScopeKind } from '../../core/outline.ts'
import { afterAngles, closing, ExpressionEnds } from '../lexis/blocks.ts'
import { JAVASCRIPT, keyword } from './javascript-lexis.ts'
import { assignedName, BLOCK, GROUP, MEMBERS, OBJECT, SIGNATURES, withModifiers } from './javascript-names.ts'
import { readJavaScriptImport, readRequire } from './javascript-imports.ts'
import { afterType, bodyAfterParameters, bodyOf, endsStatement, typeEnd } from './javascript-types.ts'
import { tokenizeSource } from '../lexis/lexer.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  AMPERSAND,
  ARROW,
  CLOSE_BRACE,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  kindSet,
  LESS,
  NUMBER,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  OPERATOR,
  PIPE,
  QUESTION,
  SEMICOLON,
  STAR,
  STRING,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const FUNCTION = keyword('function')
const CLASS = keyword('class')
const ASYNC = keyword('async')
const IMPORT = keyword('import')
const EXPORT = keyword('export')
const REQUIRE = keyword('require')
const NEW = keyword('new')
const EXTENDS = keyword('extends')
const IMPLEMENTS = keyword('implements')
const NO_TYPE_NAME = new Set([IMPLEMENTS, EXTENDS, keyword('from')])
/** Words and punctuation behind which braces are those of an object. */
const BEFORE_OBJECT = new Set([keyword('return'), keyword('default')])
const beforeObject = kindSet(EQUALS, OPERATOR, OPEN_PAREN, OPEN_BRACKET, COMMA, QUESTION, PIPE, AMPERSAND)
/** What stands between members; behind anything else `function` is no name. */
const beforeMember = kindSet(OPEN_BRACE, CLOSE_BRACE, COMMA, SEMICOLON)
const TYPE_KINDS = new Map<number, ScopeKind>([
  [keyword('interface'), 'interface'],
  [keyword('enum'), 'enum'],
  [keyword('namespace'), 'module'],
  [keyword('module'), 'module'],
  [keyword('type'), 'type'],
])

class JavaScriptParser {
  readonly #tokens: Tokens
  readonly #builder: OutlineBuilder
  readonly #ends: ExpressionEnds
  /** What each open bracket around the token in hand is. */
  readonly #around: number[] = []
  /** What the braces are that a header announced. */
  readonly #announced = new Map<number, number>()
  /** Keywords of functions that are values of something: the name of that is theirs. */
  readonly #values = new Set<number>()
  /** End of the type parameters in hand: an `=` in them is a default. */
  #typesEnd = 0

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.#builder = new OutlineBuilder(tokens)
    this.#ends = new ExpressionEnds(
      tokens,
      at => tokens.line(at) !== tokens.endLine(at - 1) && endsStatement(tokens, at),
    )
  }

  parse(): Outline {
    const tokens = this.#tokens
    for (let at = 0; at < tokens.count; at++) {
      if (tokens.pair(at) !== -1) this.#bracket(at)
      else this.#read(at)
    }
    return this.#builder.build()
  }

  #read(at: number): void {
    const kind = this.#tokens.kind(at)
    if (kind === WORD) this.#word(at)
    else if (kind === EQUALS) this.#assigned(at)
    else if (kind === STRING && this.#holdsMethods()) this.#method(at)
    else if (kind === COLON && this.#around.at(-1) === OBJECT) this.#property(at)
  }

  /** Goes into or out of a pair of brackets. */
  #bracket(at: number): void {
    if (this.#tokens.pair(at) < at) this.#around.pop()
    else if (this.#tokens.kind(at) !== OPEN_BRACE) this.#around.push(GROUP)
    else this.#around.push(this.#announced.get(at) ?? this.#braceKind(at))
  }

  /** Whether what is right around a token is a class or an object. */
  #holdsMethods(): boolean {
    const around = this.#around.at(-1)
    return around === MEMBERS || around === OBJECT
  }

  #word(at: number): void {
    const tokens = this.#tokens
    const id = tokens.keyword(at)
    if (this.#holdsMethods() && this.#method(at)) return
    if (id === 0 || tokens.kind(at - 1) === DOT) return
    if (id === FUNCTION) this.#functionDeclaration(at)
    else if (id === CLASS) this.#class(at)
    else if (TYPE_KINDS.has(id)) this.#type(at, TYPE_KINDS.get(id) ?? 'type')
    else if (id === IMPORT || id === EXPORT) readJavaScriptImport(tokens, this.#builder, at)
    else if (id === REQUIRE) readRequire(tokens, this.#builder, at)
  }

  /** `{` by what stands before it. */
  #braceKind(at: number): number {
    const tokens = this.#tokens
    const before = tokens.kind(at - 1)
    if (before === WORD) return BEFORE_OBJECT.has(tokens.keyword(at - 1)) ? OBJECT : BLOCK
    if (before !== COLON) return beforeObject(before) ? OBJECT : BLOCK
    const mayBeLabel = this.#around.at(-1) === BLOCK || this.#around.length === 0
    return mayBeLabel && !this.#isTernary(at - 1) ? BLOCK : OBJECT
  }

  /** A colon on a line with a `?` before it, or that begins its line. */
  #isTernary(colon: number): boolean {
    const tokens = this.#tokens
    if (tokens.startsLine(colon)) return true
    for (let at = colon - 1; at > 0 && tokens.line(at) === tokens.line(colon) && colon - at < 100; at--) {
      if (tokens.kind(at) === QUESTION) return true
    }
    return false
  }

  #functionDeclaration(at: number): void {
    const tokens = this.#tokens
    const name = tokens.kind(at + 1) === STAR ? at + 2 : at + 1
    if (tokens.kind(name) !== WORD || this.#values.has(at)) return
    const end = this.#functionEnd(at)
    if (end !== -1) this.#builder.scope('function', tokens.textOf(name), withModifiers(tokens, at), end)
  }

  /** Token that closes the function whose keyword stands here; -1 for a signature without a body. */
  #functionEnd(at: number): number {
    const tokens = this.#tokens
    let next = at + 1
    if (tokens.kind(next) === STAR) next++
    if (tokens.kind(next) === WORD) next++
    this.#typesEnd = afterAngles(tokens, next)
    const body = bodyAfterParameters(tokens, this.#typesEnd)
    return body === -1 ? -1 : closing(tokens, body)
  }

  /** `name (…) {` right in a class or an object. */
  #method(at: number): boolean {
    const tokens = this.#tokens
    const open = afterAngles(tokens, tokens.kind(at + 1) === QUESTION ? at + 2 : at + 1)
    if (tokens.kind(open) !== OPEN_PAREN) return false
    const before = tokens.kind(at - 1)
    if (before === DOT || tokens.keyword(at - 1) === NEW || this.#isDeclared(at)) return false
    if (tokens.keyword(at) === FUNCTION && !beforeMember(before)) return false
    const body = bodyAfterParameters(tokens, open)
    if (body === -1) return false
    this.#typesEnd = open
    this.#announced.set(body, BLOCK)
    const name = tokens.textOf(at)
    this.#builder.scope(
      'function',
      tokens.kind(at) === STRING ? name.slice(1, -1) : name,
      withModifiers(tokens, at),
      closing(tokens, body),
    )
    return true
  }

  /** Whether a name is that of a function whose keyword was read before it, and which is no value of anything. */
  #isDeclared(name: number): boolean {
    const tokens = this.#tokens
    const keyword = tokens.kind(name - 1) === STAR ? name - 2 : name - 1
    return tokens.keyword(keyword) === FUNCTION && !this.#values.has(keyword)
  }

  #class(at: number): void {
    const tokens = this.#tokens
    const after = tokens.kind(at + 1)
    if (after !== OPEN_BRACE && after !== WORD && after !== LESS) return
    const id = tokens.keyword(at + 1)
    const isNamed = after === WORD && id !== EXTENDS && id !== IMPLEMENTS
    const body = bodyOf(tokens, isNamed ? at + 2 : at + 1)
    if (body === -1) return
    this.#typesEnd = afterAngles(tokens, isNamed ? at + 2 : at + 1)
    this.#announced.set(body, MEMBERS)
    const first = withModifiers(tokens, at)
    if (isNamed) return this.#builder.scope('class', tokens.textOf(at + 1), first, closing(tokens, body))
    const target = tokens.kind(first - 1) === EQUALS ? assignedName(tokens, first - 1, this.#around.at(-1)) : null
    if (target !== null) this.#builder.scope('class', target.name, target.first, closing(tokens, body))
  }

  /** `interface A {`, `enum A {`, `namespace a.b {`, `type A = …`: words that are names elsewhere. */
  #type(at: number, kind: ScopeKind): void {
    const tokens = this.#tokens
    const name = at + 1
    if (tokens.line(name) !== tokens.line(at) || NO_TYPE_NAME.has(tokens.keyword(name))) return
    if (kind === 'module') return this.#module(at)
    if (tokens.kind(name) !== WORD) return
    if (kind === 'type') return this.#alias(at)
    const after = tokens.kind(name + 1)
    const goesOn = kind === 'interface' && (after === LESS || tokens.keyword(name + 1) === EXTENDS)
    const body = after === OPEN_BRACE || goesOn ? bodyOf(tokens, name + 1) : -1
    if (body === -1) return
    this.#announced.set(body, SIGNATURES)
    this.#builder.scope(kind, tokens.textOf(name), at, closing(tokens, body))
  }

  /** `namespace a.b {`, `module 'name' {` */
  #module(at: number): void {
    const tokens = this.#tokens
    const name = at + 1
    const isQuoted = tokens.kind(name) === STRING
    if (!isQuoted && tokens.kind(name) !== WORD) return
    let body = name + 1
    while (tokens.kind(body) === DOT) body += 2
    if (tokens.kind(body) !== OPEN_BRACE) return
    this.#announced.set(body, BLOCK)
    const text = tokens.text.slice(tokens.begin(name), tokens.end(body - 1))
    this.#builder.scope('module', isQuoted ? tokens.textOf(name).slice(1, -1) : text, at, closing(tokens, body))
  }

  #alias(at: number): void {
    const tokens = this.#tokens
    const equals = afterAngles(tokens, at + 2)
    if (tokens.kind(equals) !== EQUALS) return
    this.#typesEnd = equals + 1 // `= (…) =>` is a type here
    if (tokens.kind(equals + 1) === OPEN_BRACE) this.#announced.set(equals + 1, SIGNATURES)
    this.#builder.scope('type', tokens.textOf(at + 1), at, typeEnd(tokens, equals + 1, this.#ends))
  }

  /** `name = function`, `name = (…) => …`. */
  #assigned(equals: number): void {
    const end = equals < this.#typesEnd ? -1 : this.#functionValue(equals + 1)
    const target = end === -1 ? null : assignedName(this.#tokens, equals, this.#around.at(-1))
    if (target !== null) this.#builder.scope('function', target.name, target.first, end)
  }

  /** `name: function`, `name: (…) => …` in an object. */
  #property(colon: number): void {
    const tokens = this.#tokens
    const key = tokens.kind(colon - 1)
    if (key !== WORD && key !== STRING && key !== NUMBER) return
    const before = tokens.kind(colon - 2)
    if (before !== COMMA && before !== OPEN_BRACE) return
    const end = this.#functionValue(colon + 1)
    if (end === -1) return
    const text = tokens.textOf(colon - 1)
    this.#builder.scope('function', key === STRING ? text.slice(1, -1) : text, colon - 1, end)
  }

  /** The last token of a function that begins here as a value; -1 when something else does. */
  #functionValue(from: number): number {
    const tokens = this.#tokens
    const at = tokens.keyword(from) === ASYNC && tokens.kind(from + 1) !== ARROW ? from + 1 : from
    const kind = tokens.kind(at)
    if (kind === WORD) {
      if (tokens.keyword(at) === FUNCTION) {
        this.#values.add(at)
        return this.#functionEnd(at)
      }
      return tokens.kind(at + 1) === ARROW ? this.#arrowEnd(at + 1) : -1
    }
    const open = afterAngles(tokens, at)
    if (tokens.kind(open) !== OPEN_PAREN || tokens.pair(open) === -1) return -1
    const next = tokens.pair(open) + 1
    if (tokens.kind(next) === ARROW) return this.#arrowEnd(next)
    const arrow = tokens.kind(next) === COLON ? afterType(tokens, next + 1, ARROW) : -1
    return arrow === -1 ? -1 : this.#arrowEnd(arrow)
  }

  #arrowEnd(arrow: number): number {
    if (this.#tokens.kind(arrow + 1) !== OPEN_BRACE) return Math.max(this.#ends.endOf(arrow + 1), arrow + 1)
    this.#announced.set(arrow + 1, BLOCK)
    return closing(this.#tokens, arrow + 1)
  }
}

/** Definitions and imports of JavaScript and TypeScript, JSX or not. */
export function outlineJavaScript(text: string): Outline {
  const tokens = tokenizeSource(text, JAVASCRIPT)
  return new JavaScriptParser(tokens).parse()
}
