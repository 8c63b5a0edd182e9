import { lexis, type Lexis, pushLiteral, readComment, type SpecialReader } from '../lexis/lexer.ts'
import {
  afterBlock,
  afterDoubled,
  afterInterpolated,
  afterLongQuoted,
  afterQuoted,
  lineEnd,
} from '../lexis/literals.ts'
import {
  APOSTROPHE,
  AT,
  BACKSLASH,
  CLOSE_BRACE,
  HASH,
  NUMBER,
  OPEN_BRACE,
  QUOTE,
  SLASH,
  WORD,
  type Tokens,
} from '../lexis/tokens.ts'

/** Text blocks and strings of Java, Groovy and Dart. */
function javaReader(tokens: Tokens): SpecialReader {
  return (code, at) => {
    if (code === SLASH) return readComment(tokens, at)
    const long = tokens.text.charAt(at).repeat(3)
    return pushLiteral(
      tokens,
      at,
      tokens.text.startsWith(long, at) ? afterLongQuoted(tokens.text, at, long) : afterQuoted(tokens.text, at),
    )
  }
}

interface Branch {
  count: number
  depth: number
  elseCount: number
  isLeft: boolean
}

/** End of a directive, whose lines may be carried on. */
function directiveEnd(text: string, at: number): number {
  let end = lineEnd(text, at)
  while (end < text.length && text.charCodeAt(end - 1) === BACKSLASH) end = lineEnd(text, end + 1)
  const comment = text.slice(at, end).indexOf('/*')
  return comment === -1 || text.slice(at + comment, end).includes('*/')
    ? end
    : afterBlock(text, at + comment, '/*', '*/')
}

/**
 * Directives are no code. Of `#if … #else … #endif` each branch counts while brackets balance in it; otherwise the
 * first one alone, as two of them would open a bracket that is closed once.
 */
class Preprocessor {
  readonly #tokens: Tokens
  readonly #branches: Branch[] = []

  constructor(tokens: Tokens) {
    this.#tokens = tokens
  }

  read(at: number): number {
    const { text } = this.#tokens
    const end = directiveEnd(text, at)
    const word = /^#\s*([a-z]+)/.exec(text.slice(at, Math.min(end, at + 40)))?.[1] ?? ''
    const branch = this.#branches.at(-1)
    if (word === 'if' || word === 'ifdef' || word === 'ifndef') {
      this.#branches.push({ count: this.#tokens.count, depth: this.#tokens.depth, elseCount: -1, isLeft: false })
    } else if ((word === 'else' || word === 'elif') && branch !== undefined) {
      this.#endBranch(branch)
      if (this.#tokens.depth !== branch.depth) return this.#afterBranches(end)
      branch.elseCount = this.#tokens.count
    } else if (word === 'endif' && branch !== undefined) {
      this.#endBranch(branch)
      this.#branches.pop()
    }
    return end
  }

  /** A later branch that does not balance goes. */
  #endBranch(branch: Branch): void {
    if (branch.elseCount !== -1 && this.#tokens.depth > branch.depth) this.#tokens.truncate(branch.elseCount)
  }

  /** Goes over the other branches to their `#endif`. */
  #afterBranches(from: number): number {
    const { text } = this.#tokens
    let depth = 0
    for (let at = from; at < text.length;) {
      const line = at + 1
      const end = lineEnd(text, line)
      const word = /^[ \t]*#[ \t]*(if|endif)/.exec(text.slice(line, Math.min(end, line + 80)))?.[1]
      if (word === 'if') depth++
      else if (word === 'endif' && --depth < 0) {
        this.#branches.pop()
        return end
      }
      at = end
    }
    return text.length
  }
}

const RAW = /^(?:u8|[uUL])?R$/

/** `R"x(…)x"`, from the quote. */
function afterRaw(text: string, at: number): number {
  const length = text.slice(at, at + 18).indexOf('(') // the mark has at most 16 characters
  if (length === -1) return afterQuoted(text, at)
  const open = at + length
  return afterBlock(text, open, '(', `)${text.slice(at + 1, open)}"`)
}

/** C, C++ and Objective-C. */
function cReader(tokens: Tokens): SpecialReader {
  const preprocessor = new Preprocessor(tokens)
  const { text } = tokens
  return (code, at) => {
    const last = tokens.count - 1
    switch (code) {
      case SLASH:
        return readComment(tokens, at)
      case HASH:
        return tokens.beginsLine(at) ? preprocessor.read(at) : -1
      case QUOTE:
        if (tokens.end(last) === at && tokens.kind(last) === WORD && RAW.test(tokens.textOf(last))) {
          return pushLiteral(tokens, at, afterRaw(text, at))
        }
        return pushLiteral(tokens, at, afterQuoted(text, at))
      case BACKSLASH:
        return at + 1
      default:
        if (tokens.kind(last) === NUMBER && tokens.end(last) === at) return at + 1 // 1'000
        return pushLiteral(tokens, at, afterQuoted(text, at))
    }
  }
}

/** C#: verbatim, interpolated and raw strings; its directives are lines that are left out. */
function csharpReader(tokens: Tokens): SpecialReader {
  const { text } = tokens
  return (code, at) => {
    if (code === SLASH) return readComment(tokens, at)
    if (code === HASH) return tokens.beginsLine(at) ? lineEnd(text, at) : -1
    if (code === APOSTROPHE) return pushLiteral(tokens, at, afterQuoted(text, at))
    const prefix = /^[$@]*"*/.exec(text.slice(at, at + 40))?.[0] ?? ''
    const marks = prefix.replaceAll('"', '')
    const quotes = prefix.length - marks.length
    if (quotes === 0) return code === AT ? -1 : at + 1
    const from = at + marks.length
    if (quotes >= 3) return pushLiteral(tokens, at, afterBlock(text, from, '"'.repeat(quotes), '"'.repeat(quotes)))
    if (marks.includes('$')) {
      return pushLiteral(
        tokens,
        at,
        afterInterpolated(
          text,
          from,
          '"',
          { open: '{', bracket: OPEN_BRACE, closing: CLOSE_BRACE, quotes: '"' },
          { long: marks.includes('@'), escapes: !marks.includes('@') },
        ),
      )
    }
    return pushLiteral(tokens, at, marks === '' ? afterQuoted(text, from) : afterDoubled(text, from, '"'))
  }
}

/** Keywords of Java, in the order of their numbers. */
export const JAVA_KEYWORDS = [
  'class',
  'interface',
  'enum',
  'record',
  'new',
  'return',
  'static',
  'import',
  'package',
  'default',
  'throws',
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
] as const
/** Keywords of C#, in the order of their numbers. */
export const CSHARP_KEYWORDS = [
  'class',
  'interface',
  'enum',
  'record',
  'struct',
  'namespace',
  'new',
  'return',
  'using',
  'delegate',
  'event',
  'operator',
  'where',
  'this',
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
  'unsafe',
  'checked',
  'unchecked',
  'try',
  'do',
  'base',
  'static',
  'public',
  'private',
  'protected',
  'internal',
  'readonly',
  'virtual',
  'override',
  'abstract',
  'sealed',
  'async',
  'extern',
  'partial',
  'ref',
  'out',
  'var',
  'typeof',
  'nameof',
  'default',
  'get',
  'set',
  'goto',
  'or',
  'and',
  'not',
  'with',
  'from',
  'select',
  'init',
  'const',
  'implicit',
  'explicit',
] as const
/** Keywords of C, C++ and Objective-C, in the order of their numbers. */
export const CPP_KEYWORDS = [
  'class',
  'struct',
  'union',
  'enum',
  'namespace',
  'typedef',
  'extern',
  'template',
  'operator',
  'public',
  'private',
  'protected',
  'using',
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
  'override',
  'final',
  'volatile',
  'try',
  'static',
  'inline',
  'decltype',
  'alignas',
  'requires',
  'signals',
  'slots',
  'default',
  'throw',
  '__attribute__',
  '__declspec',
  'sizeof',
  'constexpr',
  'friend',
  'typename',
  'auto',
  'void',
  'asm',
  '__attribute',
  'explicit',
  'mutable',
] as const

/** The tokens of Java. */
export const JAVA: Lexis = lexis({ special: '/"\'', keywords: JAVA_KEYWORDS, reader: javaReader })
/** The tokens of C#. */
export const CSHARP: Lexis = lexis({ special: '/"\'#$@', letters: '', keywords: CSHARP_KEYWORDS, reader: csharpReader })
/** The tokens of C, C++ and Objective-C. */
export const CPP: Lexis = lexis({ special: '/"\'#\\', keywords: CPP_KEYWORDS, reader: cReader })
