import { isBalanced } from '../parts/account/items.ts'
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
const IS_YAML = /^ya?ml$/
const IS_MAKE = /^(?:make|makefile|mk)$/
/** Statements of Python that stand in functions and loops only. */
const ONLY_INSIDE = /^(?:return|yield|break|continue|raise)\b|^(?:self|super\(\))\./
const TARGET = /^[^\s#:=][^#:=]*:{1,2}(?!=)/
/** Lines of a Makefile that stand without a tab. */
const OF_MAKE = /^(?:$|#|\s|[-.]?(?:if|else|endif|include|define|endef|export|override|unexport|vpath)\b|[^\s].*[:=])/
/** A line that closes brackets or a block. */
const CLOSES = /^(?:[)\]}>]|end\b|<\/)/
const BEGINS_WORD = /^[\p{L}_$@]/u
/** A name that ends where a part of it may begin anew: `b.` before `b.py`. */
const HALF_NAME = /\w[./]$/
/** Letters and digits of a line that nothing but a repetition would bring again. */
const TELLING_CHARS = 8
const MAX_STATEMENT = 500

/** Whether a line that was cut is a whole statement: a letter right behind it begins the next line. */
const isStatement = (line: string): boolean =>
  line.length < MAX_STATEMENT &&
  (line.endsWith(';') || (line.endsWith(')') && BEGINS_WORD.test(line.trimStart()))) &&
  isBalanced(line)

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

/** Whether a line without blanks may close what is open behind a closing line: only the outermost is not indented. */
function mayCloseOutermost(lines: readonly string[]): boolean {
  const last = width(lines.at(-1) ?? '')
  const around = lines.findLast(line => line.trim() !== '' && width(line) < last)
  return around === undefined || width(around) === 0
}

/** Reads a line that follows one which says little. */
function behindShortLine(lines: readonly string[], first: string, language: string): FirstLine {
  const [last = '', above = ''] = [lines.at(-1), lines.at(-2)]
  if (last === above) return GOES_ON
  const isBare = first === last.trim()
  if (opensBlock(last.trim(), language) && (first === last || isBare)) return { repeats: true }
  if (first === last) return UNSURE
  return isBare && !(CLOSES.test(first) && mayCloseOutermost(lines)) ? UNSURE : GOES_ON
}

/** Whether a line that is not indented cannot stand there so: its blanks are lost. */
function isBared(lines: readonly string[], [first, second]: [string, string], language: string): boolean {
  const above = lines.at(-1) ?? ''
  if (IS_MAKE.test(language)) return (above.startsWith('\t') || TARGET.test(above)) && !OF_MAKE.test(first)
  if (width(above) === 0 || width(first) > 0) return false
  if (IS_PYTHON.test(language)) return ONLY_INSIDE.test(first)
  if (!IS_YAML.test(language)) return false
  const step = Math.min(...lines.map(width).filter(own => own > 0))
  const isItem = first.startsWith('- ') && !lines.some(line => line.startsWith('- '))
  return isItem || width(second) > step
}

/** Reads what goes on in the middle of a line. */
function behindPart(partial: string, first: string, language: string | null): FirstLine {
  if (HALF_NAME.test(partial) && first.startsWith(partial) && first !== partial) return UNSURE
  return language !== null && isStatement(partial) && BEGINS_WORD.test(first) ? UNSURE : GOES_ON
}

/**
 * Reads the first line of a continuation of a text that was cut behind a line, or behind the beginning of a name.
 *
 * @param language - Of the block in which the text was cut; null outside of blocks.
 */
export function readFirstLine(before: string, next: readonly string[], language: string | null): FirstLine {
  const lines = before.split('\n')
  const partial = lines.pop() ?? ''
  const [first = '', second = ''] = next
  if (partial !== '') return behindPart(partial, first, language)
  if (first.trim() === '' || language === null) return GOES_ON
  const isShort = (lines.at(-1) ?? '').replace(/[^\p{L}\p{N}]+/gu, '').length < TELLING_CHARS
  const again = isShort ? behindShortLine(lines, first, language) : GOES_ON
  if (again !== GOES_ON) return again
  const read = IS_PYTHON.test(language) ? firstOfPython(lines, next) : GOES_ON
  return read === GOES_ON && isBared(lines, [first, second], language) ? UNSURE : read
}
