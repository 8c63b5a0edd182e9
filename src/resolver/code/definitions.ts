import { opensBody } from './method-header.ts'
import type { SourceLines } from './source-lines.ts'

/**
 * Definitions are recognised by how lines look, without a parser: a mistake only puts a mark some lines away from where
 * it should be.
 */

const MAX_LINE_CHARS = 500
const MAX_HEADER_LINES = 12
const TAB = 9
const SPACE = 32
const KEYWORD =
  /(?:^|[\s(*])(?:def|defp|defmacro|defmodule|function|func|fn|fun|sub|class|struct|interface|trait|impl|module|object|enum|record|protocol|extension|proc|macro|namespace|type)[*\s]\s*(?:\([^)]{0,200}\)\s*)?(?:[\p{L}\p{N}_$]{1,80}(?:::|\.|#))*$/u
const MODIFIERS =
  /^\s*(?:@[\w.]{1,80}(?:\([^()]{0,200}\))?\s+)*(?:(?:public|private|protected|internal|static|async|final|override|virtual|abstract|synchronized|get|set|unsafe|extern|inline|default|export|readonly|declare)\s+|\*\s*)*#?$/
const RETURN_TYPE = /^\s*[\p{L}_][\p{L}\p{N}_\s*&<>,:[\]~.?@|]*$/u
const NO_TYPE =
  /(?:^|\s)(?:return|new|throw|else|await|yield|in|of|case|and|or|not|if|while|print|raise|goto|delete|assert|import|from)\s|(?:\.|->|[^:]:)\s*$/
const ASSIGNED_FUNCTION =
  /^["']?\s*[:=]\s*(?:async\s*)?(?:function\b|\(|[\w$]{1,80}\s*=>|lambda\b|fn\b|proc\b|Proc\b|->)/

/**
 * Whether a line looks like `name (…) {` of a class. Where the parameters do not end nearby, only a line with `async`
 * or the like before the name counts as a definition.
 */
function isMethod(before: string, after: string, hasBody: boolean | null): boolean {
  return hasBody ?? (before.trim() !== '' && after.trimEnd().endsWith('{'))
}

/** Whether a line looks like `Type name(…)` in a language that puts types first; a call would end its statement. */
function isTyped(before: string, after: string): boolean {
  if (!/^\s*(?:<[^<>]{0,100}>\s*)?\(/.test(after)) return false
  const end = after.trimEnd()
  return (
    !end.endsWith(';') &&
    !end.endsWith('.') &&
    RETURN_TYPE.test(before) &&
    /[\s*&:~]$/.test(before) &&
    !NO_TYPE.test(before)
  )
}

const isWordPart = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_$]/u.test(character)

function isDefinition(lines: SourceLines, index: number, name: string): boolean {
  const line = (lines.line(index) ?? '').slice(0, MAX_LINE_CHARS)
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + name.length)) {
    if (isWordPart(line[at - 1]) || isWordPart(line[at + name.length])) continue
    const before = line.slice(0, at)
    const after = line.slice(at + name.length)
    if (
      KEYWORD.test(before) ||
      (ASSIGNED_FUNCTION.test(after) && /(?:=>|\bfunction\b|\blambda\b|\bfn\b|\b[Pp]roc\b|->)/.test(after))
    ) {
      return true
    }
    if (
      MODIFIERS.test(before)
        ? isMethod(before, after, opensBody(lines, index, at + name.length))
        : isTyped(before, after)
    ) {
      return true
    }
  }
  return false
}

/** The lines among some at which a name is defined: for callers who know which lines contain it. */
export const definitionsAmong = (found: readonly number[], lines: SourceLines, name: string): number[] =>
  found.filter(line => isDefinition(lines, line - 1, name))

/** The lines (1-based) that hold a text. */
export const linesWith = (lines: SourceLines, part: string): number[] => lines.holding(part).map(index => index + 1)

/** The lines (1-based) at which a name is defined as a function, a method or a class, as far as their look tells. */
export function definitionLines(lines: SourceLines, name: string): number[] {
  return definitionsAmong(linesWith(lines, name), lines, name)
}

/** Whether a name stands in a text as a word of its own. Literal search: the name comes from outside. */
export function hasWord(text: string, word: string): boolean {
  if (word === '') return false
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    if (!isWordPart(text[at - 1]) && !isWordPart(text[at + word.length])) return true
  }
  return false
}

const NONE = -1
/**
 * What is known of the headers of a file's lines; computed for all of them once the look-ups have taken as long as that
 * would.
 */
const headersByLines = new WeakMap<SourceLines, { looks: number; all: Int32Array | null }>()

/** The number of open scopes that are indented less; they stand in that order. */
function countBelow(open: ReadonlyArray<{ indent: number }>, indent: number): number {
  let low = 0
  let high = open.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((open[middle]?.indent ?? 0) < indent) low = middle + 1
    else high = middle
  }
  return low
}

/** Blank lines, preprocessor lines, comments and labels, which say nothing about scopes. */
const isSkipped = (line: string): boolean => /^\s*(?:$|#|\/\/|\*|[\w.]+:\s*$)/.test(line)

/** The columns before the first character. */
function indentOf(line: string): number {
  let width = 0
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code === TAB) width += 4
    else if (code === SPACE) width++
    else break
  }
  return width
}

const indentOrBlank = (line: string): number => (line.trim() === '' ? Infinity : indentOf(line))

/** For each line the result of `headerAbove`, in time linear in their number. */
function headersOf(lines: SourceLines): Int32Array {
  const headers = new Int32Array(lines.length).fill(NONE)
  const open: Array<{ at: number; indent: number }> = [] // indented more and more
  for (let at = 0; at < lines.length; at++) {
    const line = lines.line(at) ?? ''
    const indent = indentOrBlank(line)
    const outer = countBelow(open, indent)
    headers[at] = open[outer - 1]?.at ?? NONE
    if (isSkipped(line)) continue
    open.length = outer
    open.push({ at, indent })
  }
  return headers
}

/** The nearest line above that is indented less; for a blank line the nearest line; `NONE` where there is none. */
function headerAbove(lines: SourceLines, at: number): number {
  const known = headersByLines.get(lines) ?? { looks: 0, all: null }
  headersByLines.set(lines, known)
  if (known.looks > lines.length) known.all ??= headersOf(lines)
  if (known.all !== null) return known.all[at] ?? NONE
  const indent = indentOrBlank(lines.line(at) ?? '')
  let above = at - 1
  while (above >= 0 && (indentOf(lines.line(above) ?? '') >= indent || isSkipped(lines.line(above) ?? ''))) above--
  known.looks += at - above
  return above
}

/**
 * The line with the name of the header that ends at a line, `NONE` where the header has another name: the parameters of
 * a long one stand on lines of their own.
 */
function nameInHeader(lines: SourceLines, at: number, name: string): number {
  for (let i = at; i >= 0 && at - i < MAX_HEADER_LINES; i--) {
    const text = lines.line(i) ?? ''
    if (i < at && (text.trim() === '' || /[;}]\s*$/.test(text))) return NONE
    if (hasWord(text, name)) return i
  }
  return NONE
}

/** As `isInside`; 0-based, `NONE` where it is false. */
function headerAround(lines: SourceLines, line: number, name: string): number {
  const own = lines.line(line - 1)
  if (own === undefined) return NONE
  if (hasWord(own, name)) return line - 1
  const ended = own.trim() !== '' && indentOf(own) === 0 ? nameInHeader(lines, line - 1, name) : NONE
  if (ended !== NONE) return ended
  for (let at = headerAbove(lines, line - 1); at !== NONE; at = headerAbove(lines, at)) {
    const found = nameInHeader(lines, at, name)
    if (found !== NONE) return found
  }
  return NONE
}

/**
 * Whether a line (1-based) stands in a scope that bears a name. The headers of its scopes are the nearest lines above
 * it with less and less indentation.
 */
export const isInside = (lines: SourceLines, line: number, name: string): boolean =>
  headerAround(lines, line, name) !== NONE

/** Whether a line (1-based) stands in a scope whose header is a definition of the name. */
export function isInsideDefinition(lines: SourceLines, line: number, name: string): boolean {
  const header = headerAround(lines, line, name)
  return header !== NONE && isDefinition(lines, header, name)
}
