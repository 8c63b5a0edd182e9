import type { Outline, ScopeKind } from '../../core/outline.ts'
import { closing, MAX_HEADER_TOKENS, numbering, withModifiers } from '../lexis/blocks.ts'
import { lexis, pushLiteral, readComment, type SpecialReader, tokenizeSource } from '../lexis/lexer.ts'
import { afterLongQuoted, lineEnd } from '../lexis/literals.ts'
import { OutlineBuilder } from '../outline-builder.ts'
import {
  AMPERSAND,
  CLOSE_PAREN,
  COLON,
  COMMA,
  GREATER,
  HASH,
  LESS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PATH,
  QUESTION,
  SEMICOLON,
  SLASH,
  SPACE,
  STRING,
  TAB,
  THIN_ARROW,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'function',
  'class',
  'interface',
  'trait',
  'enum',
  'use',
  'as',
  'require',
  'require_once',
  'include',
  'include_once',
  'new',
  'extends',
  'implements',
  'public',
  'private',
  'protected',
  'static',
  'abstract',
  'final',
  'readonly',
  'const',
] as const
const id = numbering(KEYWORDS)
const [FUNCTION, CLASS, INTERFACE, TRAIT, ENUM, USE, AS] = KEYWORDS.map(id)
const REQUIRES = new Set(['require', 'require_once', 'include', 'include_once'].map(id))
const MODIFIERS = new Set(['public', 'private', 'protected', 'static', 'abstract', 'final', 'readonly'].map(id))
const KINDS = new Map<number | undefined, ScopeKind>([
  [CLASS, 'class'],
  [INTERFACE, 'interface'],
  [TRAIT, 'trait'],
  [ENUM, 'enum'],
])

/** Behind a heredoc that begins with `<<<`; -1 when none does. */
function afterHeredoc(text: string, at: number): number {
  const mark = /^<<<[ \t]*(['"]?)([A-Za-z_]\w*)\1[ \t]*\n/.exec(text.slice(at, at + 200))
  const name = mark?.[2]
  if (mark === null || name === undefined) return -1
  for (let line = at + mark[0].length; line < text.length; line = lineEnd(text, line) + 1) {
    let begin = line
    while (text.charCodeAt(begin) === SPACE || text.charCodeAt(begin) === TAB) begin++
    if (text.startsWith(name, begin) && !/^\w/.test(text.charAt(begin + name.length))) return begin + name.length
  }
  return text.length
}

/** Everything up to the first opening tag, and between a closing and an opening one, is no code. */
function reader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  const toCode = (from: number): number => {
    const open = text.indexOf('<?', from)
    if (open === -1) return text.length
    return text.startsWith('php', open + 2) ? open + 5 : open + 2
  }
  let line = -1 // end of the line in hand
  const comment = (at: number): number => {
    if (line < at) line = lineEnd(text, at)
    const close = /\?>|\n|$/g
    close.lastIndex = at
    const end = Math.min(close.exec(text)?.index ?? line, line)
    tokens.comment(at, end)
    return end
  }
  return (code, at) => {
    switch (code) {
      case HASH:
        return text.charCodeAt(at + 1) === OPEN_BRACKET ? -1 : comment(at)
      case SLASH:
        return text.charCodeAt(at + 1) === SLASH ? comment(at) : readComment(tokens, at)
      case LESS: {
        if (text.startsWith('<?', at)) return toCode(at)
        const end = text.startsWith('<<<', at) ? afterHeredoc(text, at) : -1
        return end === -1 ? -1 : pushLiteral(tokens, at, end)
      }
      case QUESTION:
        if (text.charCodeAt(at + 1) !== GREATER) return -1
        tokens.push(SEMICOLON, at, at + 1, 0)
        return toCode(at + 2)
      default:
        return pushLiteral(tokens, at, afterLongQuoted(text, at, text.charAt(at)))
    }
  }
}

/** The tokens of PHP. */
export const PHP = lexis({ special: '#/<?"\'`', letters: '\\', keywords: KEYWORDS, ignoreCase: true, reader })

function readFunction(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  const name = tokens.kind(at + 1) === AMPERSAND ? at + 2 : at + 1
  if (tokens.kind(name) !== WORD || tokens.kind(name + 1) !== OPEN_PAREN) return
  for (let next = closing(tokens, name + 1) + 1; next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
    const kind = tokens.kind(next)
    if (kind === OPEN_BRACE || kind === SEMICOLON) {
      return builder.scope(
        'function',
        tokens.textOf(name),
        withModifiers(tokens, at, MODIFIERS),
        kind === OPEN_BRACE ? closing(tokens, next) : next,
      )
    }
    next = tokens.over(next)
  }
}

/** Returns where the type ends. */
function readType(tokens: Tokens, builder: OutlineBuilder, at: number, kind: ScopeKind): number {
  const isAnonymous = tokens.keyword(at - 1) === id('new') || tokens.kind(at + 1) === OPEN_PAREN
  for (let next = at + 1; next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
    const token = tokens.kind(next)
    if (token === OPEN_BRACE) {
      if (!isAnonymous && tokens.kind(at + 1) === WORD && tokens.keyword(at + 1) === 0) {
        builder.scope(kind, tokens.textOf(at + 1), withModifiers(tokens, at, MODIFIERS), closing(tokens, next))
      }
      return closing(tokens, next)
    }
    if (token !== WORD && token !== COMMA && token !== COLON && token !== OPEN_PAREN) return -1
    next = tokens.over(next)
  }
  return -1
}

/** The names between braces, as the other file calls them. */
function namesIn(tokens: Tokens, open: number, close: number): string[] {
  const names: string[] = []
  for (let item = open + 1; item < close; item++) {
    const isName = tokens.kind(item) === WORD && tokens.keyword(item) === 0
    if (isName && tokens.keyword(item - 1) !== AS) names.push(tokens.textOf(item))
  }
  return names
}

/** `use A\B as C;`, `use A\{B, C};`, `use function a\b;`. Returns the last token read. */
function readUse(tokens: Tokens, builder: OutlineBuilder, at: number): number {
  let target = ''
  let next = at + 1
  for (; next < tokens.count && next - at < MAX_HEADER_TOKENS; next++) {
    const kind = tokens.kind(next)
    if (kind === OPEN_BRACE) {
      const close = tokens.pair(next)
      if (close !== -1) builder.import(target.replace(/\\$/, ''), namesIn(tokens, next, close), at)
      return close === -1 ? next : close
    }
    if (kind === SEMICOLON || kind === COMMA) {
      builder.import(target, [], at)
      if (kind === SEMICOLON) return next
      target = ''
    } else if (tokens.keyword(next) === AS) next++
    else if (kind === WORD && tokens.keyword(next) === 0) target = tokens.textOf(next)
    else if (kind !== WORD) return next - 1
  }
  return next - 1
}

function readRequire(tokens: Tokens, builder: OutlineBuilder, at: number): void {
  for (let next = at + 1; next < tokens.count && next - at < 30 && tokens.kind(next) !== SEMICOLON; next++) {
    if (tokens.kind(next) === STRING) return builder.import(tokens.textOf(next).slice(1, -1), [], at)
  }
}

/** Definitions and imports of PHP. What stands before the first `<?` of a file does not count. */
export function outlinePhp(text: string): Outline {
  const open = text.indexOf('<?')
  const tokens = tokenizeSource(open > 0 ? text.slice(0, open).replace(/[^\n]/g, ' ') + text.slice(open) : text, PHP)
  const builder = new OutlineBuilder(tokens)
  let typeEnd = -1
  for (let at = 0; at < tokens.count; at++) {
    const word = tokens.keyword(at)
    const before = tokens.kind(at - 1)
    if (
      word === 0 ||
      before === PATH ||
      before === THIN_ARROW ||
      tokens.keyword(at - 1) === FUNCTION ||
      tokens.keyword(at - 1) === id('const')
    ) {
      continue
    }
    const kind = KINDS.get(word)
    if (word === FUNCTION) readFunction(tokens, builder, at)
    else if (kind !== undefined) typeEnd = Math.max(typeEnd, readType(tokens, builder, at, kind))
    else if (word === USE && before !== CLOSE_PAREN && at > typeEnd) at = readUse(tokens, builder, at)
    else if (REQUIRES.has(word)) readRequire(tokens, builder, at)
  }
  return builder.build()
}
