import type { SourceLines } from './source-lines.ts'

const MAX_LINES = 12
const MAX_CHARS = 2000
const MAX_DEPTH = 30
const MAX_TYPE_WORD = 40
const IN_TYPE = /[;\n{([<]/g
const SUFFIX = /^(?:(?:async|throws|rethrows|const|noexcept|override|final)\b[^;{}]{0,400}|->\s*[\w([?][^;{}]{0,400})\{/
/** A block with arguments, or one that names its only one: it is passed to a call (Ruby, Kotlin, Swift, Groovy). */
const PASSED_BLOCK = /^\{\s*(?:\||it\b|(?:\w+|\([\w\s,:]{0,80}\))(?:\s*,\s*\w+){0,9}\s+(?:->|in)\s)/
/**
 * A body on one line: it is empty or holds something that only a body does; anything else in braces is a value that is
 * passed.
 */
const SHORT_BODY = /^\{[ \t]*(?:$|\/[/*]|\}|[^\n]{0,400}(?:;|\b(?:return|throw|this|super|await|yield)\b))/
const AWAITS_TYPE = /(?:[:|&,<([{]|=>|\b(?:keyof|typeof|extends|is|asserts|readonly))$/

function afterSpace(text: string, from: number): number {
  if (from === -1) return -1
  const found = /\S/.exec(text.slice(from))
  return found === null ? text.length : from + found.index
}

/** What ends a comment, by the character after its slash. */
const COMMENT_ENDS = new Map([
  ['/', '\n'],
  ['*', '*/'],
])
const QUOTES = new Set(['"', "'", '`'])
/** The change of depth at each bracket. */
const BRACKETS = new Map([
  ['(', 1],
  ['[', 1],
  ['{', 1],
  [')', -1],
  [']', -1],
  ['}', -1],
])

/** The change of depth at an angle bracket; `=>` closes nothing. */
function angleDepth(text: string, at: number): number {
  if (text[at] === '<') return 1
  return text[at] === '>' && text[at - 1] !== '=' ? -1 : 0
}

/** The place after a quotation that ends on its line, or after the line. */
function afterQuote(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) if (text[end] === text[at] || text[end] === '\n') return end + 1
  return text.length
}

/** The place after a slash, or after the comment that it begins. */
function afterComment(text: string, at: number): number {
  const mark = COMMENT_ENDS.get(text[at + 1] ?? '')
  const end = mark === undefined ? at + 1 : text.indexOf(mark, at + 2)
  return end === -1 ? text.length : end
}

/**
 * The place after the bracket that closes the one at `from`, or -1. Brackets in comments, and in quotes on one line, do
 * not count.
 */
function closingOf(text: string, from: number): number {
  // among values an angle bracket compares them
  const angles = text[from] === '<' ? (at: number) => angleDepth(text, at) : () => 0
  let depth = 0
  let at = from
  while (at < text.length) {
    const character = text[at] ?? ''
    if (QUOTES.has(character)) at = afterQuote(text, at)
    else if (character === '/') at = afterComment(text, at)
    else {
      const change = BRACKETS.get(character) ?? angles(at)
      depth += change
      at++
      if (change !== 0 && depth === 0) return at
      if (depth > MAX_DEPTH) return -1
    }
  }
  return -1
}

function nextInType(text: string, from: number): number {
  IN_TYPE.lastIndex = from
  return IN_TYPE.exec(text)?.index ?? -1
}

/** Whether a type and then a body follow the colon; a declaration without a body ends with its line or a semicolon. */
function isBodyAfterType(text: string, from: number): boolean {
  for (let at = nextInType(text, from); at !== -1; at = nextInType(text, at)) {
    const character = text[at] ?? ''
    const awaitsType = AWAITS_TYPE.test(text.slice(Math.max(from - 1, at - MAX_TYPE_WORD), at).trimEnd())
    if (character === ';') return false
    if (character === '{' && !awaitsType) return true
    if (character === '\n') {
      const next = afterSpace(text, at)
      if (!awaitsType && text[next] !== '|' && text[next] !== '&') return text[next] === '{'
      at = next
    } else {
      at = closingOf(text, at)
      if (at === -1) return false
    }
  }
  return false
}

/**
 * Whether a method's body begins after a name: parameters that close within twelve lines, perhaps a return type, and
 * `{`. The parentheses of a call are followed by something else. Null where the parameters do not close that soon.
 *
 * @param at - 0-based line of the name.
 * @param column - Where its type parameters or its `(` begin.
 */
export function opensBody(lines: SourceLines, at: number, column: number): boolean | null {
  const first = (lines.line(at) ?? '').slice(column)
  const text = [first, ...lines.slice(at + 1, at + MAX_LINES + 1)].join('\n').slice(0, MAX_CHARS)
  const start = afterSpace(text, 0)
  const parameters = text[start] === '<' ? afterSpace(text, closingOf(text, start)) : start
  if (parameters === -1) return null
  if (text[parameters] !== '(') return false
  const end = closingOf(text, parameters)
  if (end === -1) return null
  const next = afterSpace(text, end)
  if (text[next] === ':') return isBodyAfterType(text, next + 1)
  const rest = text.slice(next)
  if (!rest.startsWith('{')) return SUFFIX.test(rest)
  return SHORT_BODY.test(rest.split('\n', 1)[0] ?? '') && !PASSED_BLOCK.test(rest)
}
