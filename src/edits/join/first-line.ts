import { indentOf } from '../text/indentation.ts'

/** What the first line of a continuation is to the text before it. */
type FirstLine =
  /** It goes on there, with these blanks in front where they got lost. */
  | { goesOn: true; indent: string | null }
  /** It is the last line once more. */
  | { repeats: true }
  /** Nobody can tell. */
  | { unsure: true }

const GOES_ON: FirstLine = { goesOn: true, indent: null }
const UNSURE: FirstLine = { unsure: true }
/** Lines of Python that a deeper one must follow. */
const OPENS_PYTHON = /^(?:async\s+)?(?:def|class|if|elif|else|for|while|try|except|finally|with)\b[^#'"]*:\s*(?:#.*)?$/
/** Lines that open a block with a word, and cannot follow themselves. */
const OPENS_BRACES = /^\}?\s*[a-z].*\{$/i
const IS_PYTHON = /^(?:py|python|python3|pyi)$/
/** A name that ends where a part of it may begin anew: `b.` before `b.py`. */
const HALF_NAME = /\w[./]$/
/** Letters and digits of a line that nothing but a repetition would bring again. */
const TELLING_CHARS = 8

const width = (line: string): number => indentOf(line).length

/** The blanks by which a line stands deeper than the one it follows, where the lines above show them. */
function stepOf(lines: readonly string[]): string | null {
  for (let i = 1; i < lines.length; i++) {
    const [above = '', line = ''] = [lines[i - 1], lines[i]]
    const isDeeper = OPENS_PYTHON.test(above.trim()) && line.trim() !== '' && width(line) > width(above)
    if (isDeeper) return indentOf(line).slice(width(above))
  }
  return null
}

/** Whether a line stands where one may that is no deeper than the first: in brackets, in a text, or as a block. */
function mayStandThere(lines: readonly string[], first: string): boolean {
  const above = lines.at(-1) ?? ''
  const isText = (lines.join('\n').split(/"""|'''/).length - 1) % 2 === 1
  return isText || /[([{,\\]$/.test(above.trimEnd()) || /[:([{,\\]$/.test(first) || /^[@#)\]}'"]/.test(first)
}

function firstOfPython(lines: readonly string[], next: readonly string[]): FirstLine {
  const above = lines.findLast(line => line.trim() !== '') ?? ''
  const [first = '', second = ''] = next.filter(line => line.trim() !== '')
  if (OPENS_PYTHON.test(above.trim()) && width(first) <= width(above) && !first.startsWith('#')) {
    const step = stepOf(lines)
    return step === null ? UNSURE : { goesOn: true, indent: indentOf(above) + step }
  }
  const isLost = first === next[0] && width(above) > 0 && width(first) === 0 && width(second) > 0
  return isLost && !mayStandThere(lines, first) ? UNSURE : GOES_ON
}

/** Whether a line opens a block that must follow it. */
const opensBlock = (line: string, language: string): boolean =>
  OPENS_BRACES.test(line) || (IS_PYTHON.test(language) && OPENS_PYTHON.test(line))

/** Reads a line that follows one which says little. */
function behindShortLine([last, above]: [string, string], first: string, language: string): FirstLine {
  if (last === above) return GOES_ON
  if (opensBlock(last.trim(), language) && (first === last || first === last.trim())) return { repeats: true }
  return first === last ? UNSURE : GOES_ON
}

/**
 * Reads the first line of a continuation of a text that was cut behind a line, or behind the beginning of a name.
 *
 * @param language - Of the block in which the text was cut; null outside of blocks.
 */
export function readFirstLine(before: string, next: readonly string[], language: string | null): FirstLine {
  const lines = before.split('\n')
  const partial = lines.pop() ?? ''
  const [first = ''] = next
  if (partial !== '') {
    return HALF_NAME.test(partial) && first.startsWith(partial) && first !== partial ? UNSURE : GOES_ON
  }
  if (first.trim() === '' || language === null) return GOES_ON
  const [last = '', above = ''] = [lines.at(-1), lines.at(-2)]
  const isShort = last.replace(/[^\p{L}\p{N}]+/gu, '').length < TELLING_CHARS
  const read = isShort ? behindShortLine([last, above], first, language) : GOES_ON
  return read === GOES_ON && IS_PYTHON.test(language) ? firstOfPython(lines, next) : read
}
