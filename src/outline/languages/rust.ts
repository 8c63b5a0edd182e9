import type { Outline, ScopeKind } from '../../core/outline.ts'
import { afterAngles, closing, MAX_HEADER_TOKENS, numbering, withModifiers } from '../lexis/blocks.ts'
import { lexis, pushLiteral, readComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
import { afterBlock, afterLongQuoted, afterNestedBlock, afterQuoted } from '../lexis/literals.ts'
import { MAX_TARGET, OutlineBuilder } from '../outline-builder.ts'
import {
  AMPERSAND,
  APOSTROPHE,
  BACKSLASH,
  BANG,
  CLOSE_BRACE,
  COMMA,
  EQUALS,
  HASH,
  kindSet,
  LESS,
  OPEN_BRACE,
  OPEN_PAREN,
  PATH,
  SEMICOLON,
  SLASH,
  STAR,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'fn',
  'struct',
  'enum',
  'union',
  'trait',
  'impl',
  'mod',
  'type',
  'macro_rules',
  'use',
  'pub',
  'async',
  'unsafe',
  'const',
  'extern',
  'default',
  'for',
  'where',
  'as',
  'dyn',
  'mut',
  'crate',
] as const
const id = numbering(KEYWORDS)
const [FN, STRUCT, ENUM, UNION, TRAIT, IMPL, MOD, TYPE, MACRO, USE] = KEYWORDS.map(id)
const MODIFIERS = new Set(['pub', 'async', 'unsafe', 'const', 'extern', 'default'].map(id))
const [FOR, WHERE, AS, EXTERN] = ['for', 'where', 'as', 'extern'].map(id)
const KINDS = new Map<number | undefined, ScopeKind>([
  [STRUCT, 'struct'],
  [ENUM, 'enum'],
  [UNION, 'struct'],
  [TRAIT, 'trait'],
  [MOD, 'module'],
  [TYPE, 'type'],
])

const RAW_NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy

/** `'a'`, but not the lifetime `'a`. */
function afterQuote(text: string, at: number): number {
  if (text.charCodeAt(at + 1) === BACKSLASH) return afterQuoted(text, at)
  const character = text.codePointAt(at + 1) ?? 0
  const width = character > 0xffff ? 2 : 1
  return text.charCodeAt(at + 1 + width) === APOSTROPHE ? at + 2 + width : at + 1
}

/** `r#async`, from the hash behind the `r`: the name `async`, which is no keyword. -1 when no name follows. */
function readRawName(tokens: Tokens, at: number): number {
  const last = tokens.count - 1
  RAW_NAME.lastIndex = at + 1
  if (tokens.textOf(last) !== 'r' || !RAW_NAME.test(tokens.text)) return -1
  tokens.truncate(last)
  tokens.push(WORD, at + 1, RAW_NAME.lastIndex, 0)
  return RAW_NAME.lastIndex
}

function reader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  return (code, at) => {
    if (code === SLASH) return readComment(tokens, at, (source, from) => afterNestedBlock(source, from, '/*', '*/'))
    if (code === APOSTROPHE) {
      const end = afterQuote(text, at)
      return end === at + 1 ? end : pushLiteral(tokens, at, end)
    }
    const last = tokens.count - 1
    const isRaw =
      tokens.end(last) === at &&
      tokens.kind(last) === WORD &&
      tokens.end(last) - tokens.begin(last) <= 2 &&
      /^(?:[bc]?r)$/.test(tokens.textOf(last))
    if (code === HASH) {
      // r#"…"#
      if (!isRaw) return -1
      const hashes = /^#+(?=")/.exec(text.slice(at, at + 60))?.[0]
      return hashes === undefined
        ? readRawName(tokens, at)
        : pushLiteral(tokens, at, afterBlock(text, at, `${hashes}"`, `"${hashes}`))
    }
    return pushLiteral(tokens, at, isRaw ? afterBlock(text, at, '"', '"') : afterLongQuoted(text, at, '"'))
  }
}

/** The tokens of Rust. */
export const RUST = lexis({ special: '/"\'#', keywords: KEYWORDS, reader })

/** The `}` or the `;` of an item. */
function itemEnd(tokens: Tokens, from: number): number {
  for (let at = from; at < tokens.count && at - from < MAX_HEADER_TOKENS; at++) {
    const kind = tokens.kind(at)
    if (kind === OPEN_BRACE) return closing(tokens, at)
    if (kind === SEMICOLON) return at
    if (kind === CLOSE_BRACE) return -1
    at = tokens.over(at)
  }
  return -1
}

const endsImpl = kindSet(SEMICOLON, CLOSE_BRACE, EQUALS, COMMA)
/** Punctuation and words in front of the name of a type: `&mut`, `*const`, `!`. */
const beforeName = kindSet(AMPERSAND, STAR, WORD, BANG)

/** The type that an `impl` is for, while its header is read. */
interface ImplTarget {
  /** Token of the last part of its name so far; -1 before there is one. */
  name: number
  /** Whether words that follow are no part of the name. */
  isWhole: boolean
  /** Whether `where` has come; commas stand between the bounds behind it. */
  isBounded: boolean
}

/** Whether `impl` begins an item; `impl Trait` as a type stands behind something. */
function beginsImpl(tokens: Tokens, at: number): boolean {
  const before = tokens.kind(at - 1)
  if (before === 0 || before === CLOSE_BRACE || before === SEMICOLON) return true
  return tokens.startsLine(withModifiers(tokens, at, MODIFIERS))
}

/** Takes one token of a header in. Returns the last token read, or -1 where angles are never closed. */
function takeTarget(tokens: Tokens, target: ImplTarget, at: number): number {
  const kind = tokens.kind(at)
  const word = tokens.keyword(at)
  if (word === FOR && !target.isBounded && tokens.kind(at + 1) !== LESS) {
    target.name = -1
    target.isWhole = false
  } else if (kind === LESS) {
    target.isWhole = true
    const behind = afterAngles(tokens, at)
    return behind === at ? -1 : behind - 1
  } else if (word === WHERE) target.isWhole = target.isBounded = true
  else if (kind === WORD && word === 0 && !target.isWhole) target.name = at
  else if (kind === PATH) target.isWhole = false
  else if (!beforeName(kind)) target.isWhole = true
  return tokens.over(at)
}

/** `impl A for B {`: named after the type that it is for. */
function readImpl(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  if (!beginsImpl(tokens, at)) return
  const target: ImplTarget = { name: -1, isWhole: false, isBounded: false }
  for (let next = afterAngles(tokens, at + 1); next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
    const kind = tokens.kind(next)
    if (kind === OPEN_BRACE) {
      const name = target.name === -1 ? '' : tokens.textOf(target.name)
      return builder.scope('impl', name, withModifiers(tokens, at, MODIFIERS), closing(tokens, next))
    }
    if (endsImpl(kind) && !(kind === COMMA && target.isBounded)) return
    next = takeTarget(tokens, target, next)
    if (next === -1) return
  }
}

function readItem(tokens: Tokens, builder: OutlineBuilder, at: number, word: number): void {
  if (word === IMPL) return readImpl(tokens, builder, at)
  const kind = word === FN ? 'function' : KINDS.get(word)
  if (kind === undefined || tokens.kind(at + 1) !== WORD || (tokens.keyword(at + 1) !== 0 && word !== FN)) return
  const name = tokens.textOf(at + 1)
  const next = tokens.kind(at + 2)
  if (word === UNION && next !== OPEN_BRACE && next !== LESS) return
  const end = itemEnd(tokens, afterAngles(tokens, at + 2))
  if (end === -1) return
  // its code is in another file
  if (kind === 'module' && tokens.kind(end) === SEMICOLON) return builder.import(`self::${name}`, [], at)
  builder.scope(kind, name, withModifiers(tokens, at, MODIFIERS), end)
}

const MAX_USE_TOKENS = 2_000
const inPath = kindSet(WORD, PATH, STAR)
const endsPath = kindSet(COMMA, CLOSE_BRACE, SEMICOLON)
const endsUse = kindSet(OPEN_PAREN, LESS)

/** The tree of paths in one `use`: an import for each path that something is taken from. */
class UseTree {
  readonly #builder: OutlineBuilder
  readonly #at: number
  /** The braces that are open, each with the whole path in front of it and the names in it. */
  readonly #groups: Array<{ prefix: string; names: string[] }> = []
  #path = ''

  constructor(builder: OutlineBuilder, at: number) {
    this.#builder = builder
    this.#at = at
  }

  extendPath(text: string): void {
    this.#path += text
  }

  /** A `{`; false when the path in front of it is too long for any path in it to be kept. */
  openGroup(): boolean {
    const outer = this.#groups.at(-1)?.prefix ?? ''
    if (outer.length + this.#path.length > MAX_TARGET) return false
    this.#groups.push({ prefix: outer + this.#path, names: [] })
    this.#path = ''
    return true
  }

  endPath(): void {
    const group = this.#groups.at(-1)
    const prefix = group?.prefix ?? ''
    if (this.#path !== '') {
      if (group !== undefined && !this.#path.includes('::')) group.names.push(this.#path)
      else this.#builder.import(prefix + this.#path, [], this.#at)
    }
    this.#path = ''
  }

  /** A `}`; false when no group is open. */
  closeGroup(): boolean {
    const group = this.#groups.pop()
    if (group === undefined) return false
    if (group.names.length > 0) this.#builder.import(group.prefix.replace(/::$/, ''), group.names, this.#at)
    return true
  }
}

/** `use a::b;`, `use a::{b, c::{d}};`. Returns the last token read. */
function readUse(tokens: Tokens, builder: OutlineBuilder, at: number): number {
  const tree = new UseTree(builder, at)
  let next = at + 1
  for (; next < tokens.count && next - at < MAX_USE_TOKENS; next++) {
    const kind = tokens.kind(next)
    if (kind === WORD && tokens.keyword(next) === AS) next++
    else if (inPath(kind)) tree.extendPath(tokens.textOf(next))
    else if (kind === OPEN_BRACE) {
      if (!tree.openGroup()) return tokens.over(next)
    } else if (endsPath(kind)) {
      tree.endPath()
      if (kind === SEMICOLON || (kind === CLOSE_BRACE && !tree.closeGroup())) return next
    } else if (endsUse(kind)) return next - 1
  }
  return next - 1
}

/** Definitions and imports of Rust. What stands in the definition of a macro is a pattern, not code. */
export function outlineRust(text: string): Outline {
  const tokens = tokenizeSource(text, RUST)
  const builder = new OutlineBuilder(tokens)
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    if (word === 0) continue
    if (word === MACRO && tokens.kind(at + 1) === BANG) {
      const end = closing(tokens, at + 3)
      if (tokens.kind(at + 2) === WORD && end > at + 3) {
        builder.scope('function', tokens.textOf(at + 2), at, tokens.kind(end + 1) === SEMICOLON ? end + 1 : end)
        at = end
      }
    } else if (word === USE) at = readUse(tokens, builder, at)
    else if (word === EXTERN) continue
    else readItem(tokens, builder, at, word)
  }
  return builder.build()
}
