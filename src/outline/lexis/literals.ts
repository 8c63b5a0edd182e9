// Where comments and literals end. Each function takes the offset of the first character and returns the offset behind
// the last one. It reads every character once: what is never closed ends with its line or with the text.
import { BACKSLASH, CLOSE_BRACE, NEWLINE, OPEN_BRACE } from './tokens.ts'

/** The offset of the `\n` that ends a line; the end of the text on its last line. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** Behind a here-document whose text begins at an offset: behind the line that holds its mark alone. */
export function afterHereDocument(text: string, at: number, mark: string): number {
  for (let line = at; line < text.length;) {
    const end = lineEnd(text, line)
    if (text.slice(line, end).trim() === mark) return Math.min(end + 1, text.length)
    line = end + 1
  }
  return text.length
}

/** `/* … *` `/`, or with other marks; `at` is that of the opening mark. */
export function afterBlock(text: string, at: number, open: string, close: string): number {
  const end = text.indexOf(close, at + open.length)
  return end === -1 ? text.length : end + close.length
}

/** As `afterBlock`, where such comments stand in each other. */
export function afterNestedBlock(text: string, at: number, open: string, close: string): number {
  let depth = 1
  let next = at + open.length
  while (next < text.length) {
    if (text.startsWith(close, next)) {
      next += close.length
      if (--depth === 0) return next
    } else if (text.startsWith(open, next)) {
      depth++
      next += open.length
    } else next++
  }
  return text.length
}

/** A string with backslash escapes that ends on its line; without its closing quote it ends before the line end. */
export function afterQuoted(text: string, at: number): number {
  const quote = text.charCodeAt(at)
  for (let next = at + 1; next < text.length; next++) {
    const code = text.charCodeAt(next)
    if (code === BACKSLASH) next++
    else if (code === quote) return next + 1
    else if (code === NEWLINE) return next
  }
  return text.length
}

/** A name between quotes that ends on its line: at the closing quote, or without one before the line end. */
export function afterQuotedName(text: string, at: number): number {
  const quote = text.charCodeAt(at)
  for (let next = at + 1; next < text.length; next++) {
    const code = text.charCodeAt(next)
    if (code === quote) return next + 1
    if (code === NEWLINE) return next
  }
  return text.length
}

/** A string with backslash escapes that may span lines. */
export function afterLongQuoted(text: string, at: number, quote: string, open = quote.length): number {
  const first = quote.charCodeAt(0)
  for (let next = at + open; next < text.length; next++) {
    const code = text.charCodeAt(next)
    if (code === BACKSLASH) next++
    else if (code === first && text.startsWith(quote, next)) return next + quote.length
  }
  return text.length
}

/** A string without escapes in which a doubled quote stands for one. */
export function afterDoubled(text: string, at: number, quote: string): number {
  for (let next = text.indexOf(quote, at + 1); next !== -1; next = text.indexOf(quote, next + 2)) {
    if (text[next + 1] !== quote) return next + 1
  }
  return text.length
}

const MAX_NESTING = 40

/** What an interpolating string is made of. */
export interface Interpolation {
  /** What opens an expression, and the characters of the brackets that it is counted by. */
  open: string
  bracket: number
  closing: number
  /** Quotes that begin such a string again inside of an expression. */
  quotes: string
}

/** `${…}`, as in Kotlin and Scala. */
export const DOLLAR_BRACES: Interpolation = { open: '${', bracket: OPEN_BRACE, closing: CLOSE_BRACE, quotes: '"' }

/** Walks over a string that may hold expressions, which may hold such strings again. */
class InterpolatedString {
  readonly #text: string
  readonly #form: Interpolation
  readonly #escapes: boolean

  constructor(text: string, form: Interpolation, escapes: boolean) {
    this.#text = text
    this.#form = form
    this.#escapes = escapes
  }

  /** The offset behind the string whose quote stands at an offset; one that is not long ends with its line. */
  after(at: number, quote: string, isLong: boolean, depth = 0): number {
    const text = this.#text
    const { open } = this.#form
    const first = quote.charCodeAt(0)
    const opener = open.charCodeAt(0)
    let next = at + quote.length
    while (next < text.length) {
      const code = text.charCodeAt(next)
      if (code === opener && open.length === 1 && text.charCodeAt(next + 1) === code) {
        next += 2 // `{{` is a brace
      } else if (code === opener && depth < MAX_NESTING && text.startsWith(open, next)) {
        next = this.#afterExpression(next + open.length, isLong, depth)
      } else if (code === BACKSLASH && this.#escapes) next += 2
      else if (code === first && text.startsWith(quote, next)) return next + quote.length
      else if (code === NEWLINE && !isLong) return next
      else next++
    }
    return Math.min(next, text.length)
  }

  #afterExpression(at: number, isLong: boolean, depth: number): number {
    const text = this.#text
    const { bracket, closing, quotes } = this.#form
    let open = 1
    let next = at
    while (next < text.length) {
      const code = text.charCodeAt(next)
      if (code === closing && --open === 0) return next + 1
      if (code === bracket) open++
      if (code === NEWLINE && !isLong) return next
      const char = text.charAt(next)
      next = quotes.includes(char) ? this.after(next, char, false, depth + 1) : next + 1
    }
    return text.length
  }
}

/** A string that may hold expressions with strings of their own in them. */
export function afterInterpolated(
  text: string,
  at: number,
  quote: string,
  form: Interpolation,
  { long, escapes }: { long: boolean; escapes: boolean },
): number {
  return new InterpolatedString(text, form, escapes).after(at, quote, long)
}
