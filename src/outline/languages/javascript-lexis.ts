import { lexis, type Lexis, readComment, type SpecialReader } from '../lexis/lexer.ts'
import { afterBlock, afterQuoted } from '../lexis/literals.ts'
import {
  APOSTROPHE,
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COMMA,
  DOLLAR,
  EQUALS,
  GREATER,
  LESS,
  LITERAL,
  NEWLINE,
  NUMBER,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PIPE,
  QUOTE,
  SLASH,
  STAR,
  STRING,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

const KEYWORDS = [
  'function',
  'class',
  'async',
  'interface',
  'enum',
  'type',
  'namespace',
  'module',
  'import',
  'export',
  'from',
  'require',
  'const',
  'let',
  'var',
  'as',
  'default',
  'extends',
  'implements',
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'throw',
  'new',
  'else',
  'do',
  'yield',
  'await',
  'instanceof',
  'if',
  'while',
  'for',
  'with',
  'switch',
  'catch',
  'get',
  'set',
  'static',
  'public',
  'private',
  'protected',
  'readonly',
  'override',
  'abstract',
  'declare',
  'accessor',
  'keyof',
  'infer',
  'is',
  'super',
  'satisfies',
  'global',
] as const

const NUMBERS = new Map<string, number>(KEYWORDS.map((word, index) => [word, index + 1]))
/** Number of a keyword, as tokens carry it. */
export const keyword = (word: (typeof KEYWORDS)[number]): number => NUMBERS.get(word) ?? 0

/** Behind these words an expression begins, so `/` opens a regular expression and `<` an element. */
const BEFORE_EXPRESSION = new Set(
  [
    'return',
    'typeof',
    'case',
    'in',
    'of',
    'delete',
    'void',
    'throw',
    'new',
    'else',
    'do',
    'yield',
    'await',
    'instanceof',
    'default',
  ].map(word => NUMBERS.get(word)),
)
const BEFORE_STATEMENT = new Set(['if', 'while', 'for', 'with'].map(word => NUMBERS.get(word)))

const TEMPLATE = 0
const TAG = 1
const CHILDREN = 2
/** How many more elements are open behind a mark that ends a tag; behind a closing tag it is one fewer. */
const ELEMENTS_BEHIND = new Map([
  [SLASH, 0],
  [GREATER, 1],
])

function isNameStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === DOLLAR
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 48 && code <= 58) || code === 45 || code === 46
}

/**
 * Strings, templates, regular expressions and JSX. What stands in `${}` and in JSX's braces is read as code between
 * parentheses.
 */
class JavaScriptReader {
  readonly #tokens: Tokens
  readonly #text: string
  /** What the expressions in hand return to, and the braces open in each. */
  readonly #modes: number[] = []
  readonly #depths: number[] = []
  /** Elements open in each piece of JSX. */
  readonly #elements: number[] = []
  readonly #closingTags = new Map<string, number>()
  readonly #lastSelfClosing: number
  #noRegexBefore = 0

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.#text = tokens.text
    this.#lastSelfClosing = tokens.text.lastIndexOf('/>')
  }

  read(code: number, at: number): number {
    switch (code) {
      case SLASH:
        return this.#slash(at)
      case BACKTICK:
        return this.#template(at, at + 1)
      case OPEN_BRACE:
        return this.#brace(1)
      case CLOSE_BRACE:
        return this.#closeBrace(at)
      case LESS:
        return this.#element(at)
      default:
        return this.#push(STRING, at, afterQuoted(this.#text, at))
    }
  }

  #push(kind: number, begin: number, end: number): number {
    this.#tokens.push(kind, begin, end, 0)
    return end
  }

  #brace(change: number): number {
    const top = this.#depths.length - 1
    if (top >= 0) this.#depths[top] = (this.#depths[top] ?? 0) + change
    return -1
  }

  #closeBrace(at: number): number {
    if (this.#depths.at(-1) !== 0) return this.#brace(-1)
    this.#tokens.pushPunctuation(CLOSE_PAREN, at)
    this.#depths.pop()
    const mode = this.#modes.pop()
    return mode === TEMPLATE ? this.#template(at + 1, at + 1) : this.#markup(at + 1, mode === TAG)
  }

  /** Code between braces: goes on as the mode says when its brace closes. */
  #expression(at: number, mode: number, next: number): number {
    this.#tokens.pushPunctuation(OPEN_PAREN, at)
    this.#modes.push(mode)
    this.#depths.push(0)
    return next
  }

  #template(begin: number, from: number): number {
    const text = this.#text
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === BACKSLASH) at++
      else if (code === BACKTICK) return this.#push(STRING, begin, at + 1)
      else if (code === DOLLAR && text.charCodeAt(at + 1) === OPEN_BRACE) {
        this.#tokens.push(STRING, begin, at, 0)
        return this.#expression(at + 1, TEMPLATE, at + 2)
      }
    }
    return this.#push(STRING, begin, text.length)
  }

  #slash(at: number): number {
    const comment = readComment(this.#tokens, at)
    if (comment !== -1) return comment
    if (at < this.#noRegexBefore || !this.#expectsValue(at)) return -1
    const end = this.#afterRegex(at)
    return end === -1 ? -1 : this.#push(LITERAL, at, end)
  }

  #afterRegex(begin: number): number {
    const text = this.#text
    let inClass = false
    for (let at = begin + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === BACKSLASH) at++
      else if (code === OPEN_BRACKET) inClass = true
      else if (code === CLOSE_BRACKET) inClass = false
      else if (code === SLASH && !inClass) {
        return at + 1 // its flags are read as a word
      } else if (code === NEWLINE) {
        this.#noRegexBefore = at
        return -1
      }
    }
    this.#noRegexBefore = text.length
    return -1
  }

  /** Whether a value may stand at this place, rather than an operator. */
  #expectsValue(at: number): boolean {
    const tokens = this.#tokens
    const last = tokens.count - 1
    const kind = tokens.kind(last)
    if (kind === WORD) return BEFORE_EXPRESSION.has(tokens.keyword(last))
    if (kind === NUMBER || kind === STRING || kind === LITERAL || kind === CLOSE_BRACKET) return false
    if (kind === CLOSE_PAREN) return BEFORE_STATEMENT.has(tokens.keyword(tokens.pair(last) - 1))
    if (kind === CLOSE_BRACE) return this.#text.slice(tokens.end(last), at).includes('\n')
    return true
  }

  /** `<a …>` where a value may stand; not a type argument or an assertion. */
  #element(at: number): number {
    const first = this.#text.charCodeAt(at + 1)
    if (first !== GREATER && !isNameStart(first)) return -1
    if (this.#tokens.kind(this.#tokens.count - 1) === CLOSE_BRACE || !this.#expectsValue(at)) return -1
    let end = at + 1
    while (isNamePart(this.#text.charCodeAt(end))) end++
    if (!this.#isElement(this.#text.slice(at + 1, end), end)) return -1
    this.#elements.push(0)
    return this.#markup(end, true)
  }

  #isElement(name: string, end: number): boolean {
    const code = this.#text.charCodeAt(end)
    if (code === COMMA || code === PIPE || code === LESS) return false
    if (this.#lastClosing(name) >= end) return true
    if (code !== SLASH && code > 32) return false // nothing closes it, and it does not close itself
    return (
      this.#lastSelfClosing >= end &&
      (code === SLASH || /^\s+(?!extends\b)[\w/{-]/.test(this.#text.slice(end, end + 80)))
    )
  }

  #lastClosing(name: string): number {
    const known = this.#closingTags.get(name)
    if (known !== undefined) return known
    // each search reads the text once
    const found = this.#closingTags.size < 200 ? this.#text.lastIndexOf(`</${name}`) : -1
    this.#closingTags.set(name, found)
    return found
  }

  /** Goes on in a tag or between tags, up to an expression in braces or the end of the outermost element. */
  #markup(from: number, isInTag: boolean): number {
    const text = this.#text
    for (let at = from, inTag = isInTag; at < text.length;) {
      const mark = inTag ? this.#inTag(at) : this.#betweenTags(at)
      const code = text.charCodeAt(mark)
      if (code === OPEN_BRACE) return this.#expression(mark, inTag ? TAG : CHILDREN, mark + 1)
      if (mark >= text.length) break
      inTag = !inTag && text.charCodeAt(mark + 1) !== SLASH
      if (inTag) {
        at = mark + 1
        continue
      }
      at = this.#behindTag(mark)
      if (!this.#leave(ELEMENTS_BEHIND.get(code) ?? -1)) return this.#push(STRING, at - 1, at)
    }
    return text.length
  }

  /** Behind the `/>`, the `>` or the closing tag that begins here. */
  #behindTag(mark: number): number {
    const code = this.#text.charCodeAt(mark)
    if (code === SLASH) return mark + 2
    return code === GREATER ? mark + 1 : afterBlock(this.#text, mark, '<', '>')
  }

  /** Offset of the `{`, the `/>` or the `>` that comes next in a tag. */
  #inTag(from: number): number {
    const text = this.#text
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE || code === APOSTROPHE) {
        const end = text.indexOf(text.charAt(at), at + 1)
        at = end === -1 ? text.length : end
      } else if (code === SLASH && text.charCodeAt(at + 1) === STAR) {
        at = afterBlock(text, at, '/*', '*/') - 1
      } else if (
        code === OPEN_BRACE ||
        (code === SLASH && text.charCodeAt(at + 1) === GREATER) ||
        (code === GREATER && text.charCodeAt(at - 1) !== EQUALS)
      ) {
        return at
      }
    }
    return text.length
  }

  /** Offset of the `{` or the `<` that comes next between tags. */
  #betweenTags(from: number): number {
    const text = this.#text
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === OPEN_BRACE || code === LESS) return at
    }
    return text.length
  }

  /** Behind a tag one more or fewer elements are open: whether any is. */
  #leave(change: number): boolean {
    const top = this.#elements.length - 1
    const open = (this.#elements[top] ?? 0) + change
    this.#elements[top] = open
    if (open > 0) return true
    this.#elements.pop()
    return false
  }
}

function reader(tokens: Tokens): SpecialReader {
  const state = new JavaScriptReader(tokens)
  return (code, at) => state.read(code, at)
}

/** The tokens of JavaScript and TypeScript, JSX included. */
export const JAVASCRIPT: Lexis = lexis({ special: '/"\'`{}<', letters: '#', keywords: KEYWORDS, reader })
