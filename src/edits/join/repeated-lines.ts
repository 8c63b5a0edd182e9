import { readFence } from '../read/fence-lines.ts'
import { indentOf } from '../text/indentation.ts'

/** A text made of two, and whether the second began with lines of the first, which are in it once. */
export interface Joined {
  text: string
  repeats: boolean
  /** It begins with lines of the first that say too little: they may be a repetition, and are in the text twice. */
  isDoubtful?: true
}

/** Lines at the end of a reply among which the beginning of its continuation is looked for. */
const MAX_LINES = 500
/** Letters and digits that repeated lines must have: `}` alone may as well be the next line. */
const TELLING_CHARS = 8
/** The same for the beginning of a line that was cut, which its continuation repeats. */
const TELLING_PART_CHARS = 3
/** A word that is begun anew is looked for among so many characters. */
const MAX_WORD_CHARS = 200
/** Lines that a blank line may stand in front of when they are repeated. */
const TELLING_LINES = 2
/** So many lines may be a repetition, whatever they say. */
const DOUBTFUL_LINES = 2
const USUAL_INDENT = 4

const wordChars = (text: string): number => text.replace(/[^\p{L}\p{N}]+/gu, '').length

const withoutCr = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

/** Whether a text is one part several times over: `000`, `abab`. */
const isPeriodic = (text: string): boolean => (text + text).indexOf(text, 1) < text.length

/** Whether a line is the one that stands there; servers strip blanks from the beginning of a reply. */
function isSameLine(line: string, again: string, isFirst: boolean): boolean {
  const [a, b] = [withoutCr(line), withoutCr(again)]
  return a === b || (isFirst && a.trimStart() === b)
}

/** Whether a line goes on with a beginning whose blanks were stripped. */
function isBehind(beginning: string, line: string): boolean {
  return wordChars(beginning) >= TELLING_CHARS && line.startsWith(beginning.trimStart())
}

/** Whether `next` from `at` on begins with the lines from `from` on, the last of which may be the beginning of one. */
function repeatsFrom(
  lines: readonly string[],
  from: number,
  { next, at }: { next: readonly string[]; at: number },
): boolean {
  const last = lines.length - 1
  for (let i = from; i <= last; i++) {
    const again = next[at + i - from]
    if (again === undefined) return false
    const line = lines[i] ?? ''
    const isFirst = i === from
    if (
      i < last ? !isSameLine(line, again, isFirst) : !(again.startsWith(line) || (isFirst && isBehind(line, again)))
    ) {
      return false
    }
  }
  return true
}

/** Whether the complete lines from `from` on stand right before it as well: then they may come a third time. */
function standsTwice(lines: readonly string[], from: number): boolean {
  const count = lines.length - 1 - from
  if (from < count) return false
  for (let i = 0; i < count; i++) if (lines[from + i] !== lines[from - count + i]) return false
  return true
}

/** Whether what was cut cannot go on with these lines, which say little: behind it, they would be no line of code. */
function tellsByPlace(lines: readonly string[], from: number): boolean {
  const partial = (lines.at(-1) ?? '').trim()
  const first = (lines[from] ?? '').trim()
  return partial !== '' && first !== '' && !first.startsWith(partial)
}

/** Whether complete lines that are equal may be a repetition, though they say little. */
function mayRepeat(lines: readonly string[], from: number): boolean {
  const complete = lines.slice(from, -1).filter(line => line.trim() !== '')
  return lines.at(-1) === '' && complete.length >= DOUBTFUL_LINES && !standsTwice(lines, from)
}

/** Whether lines that are equal are more than chance. */
function tells(lines: readonly string[], from: number, hasBlanksBefore: boolean): boolean {
  const last = lines.length - 1
  const partial = lines[last] ?? ''
  if (from === last) {
    if (partial.trim() === '' || hasBlanksBefore) return false
    return /^\s/.test(partial) || (wordChars(partial) >= TELLING_PART_CHARS && !isPeriodic(partial))
  }
  if (hasBlanksBefore && last - from < TELLING_LINES) return false
  const isEnough = wordChars(lines.slice(from).join('')) >= TELLING_CHARS || tellsByPlace(lines, from)
  return isEnough && (partial !== '' || !standsTwice(lines, from))
}

/** How deep a line may stand below another one: below an item of a list in YAML, as deep as what stands in it. */
function deepestBelow(above: string, complete: readonly string[]): number {
  const steps = complete.map(line => indentOf(line).length).filter(width => width > 0)
  const step = Math.min(USUAL_INDENT, ...steps)
  const inItem = /^\s*(?:- +)*/.exec(above)?.[0].length ?? 0
  return inItem + (/[:{>]\s*$/.test(above) ? step : 0)
}

/**
 * Whether a line that was cut within its indentation is begun anew, with all of it: behind a fence, or where it would
 * stand deeper than the line above allows, put together, and not as deep as other lines do.
 */
function isIndentedAnew(lines: readonly string[], next: readonly string[], isBehindFence: boolean): boolean {
  const partial = lines.at(-1) ?? ''
  const [first = '', ...others] = next
  if (partial === '' || partial.trim() !== '' || first.trim() === '' || !first.startsWith(partial)) return false
  if (isBehindFence) return true
  const complete = lines.slice(0, -1)
  const above = complete.findLast(line => line.trim() !== '') ?? ''
  if (/[,([\\+|&=]\s*$/.test(above)) return false // what is in brackets may stand anywhere
  if (readFence(above) !== null) return false
  const [anew, together] = [indentOf(first).length, partial.length + indentOf(first).length]
  const widths = new Set([...complete, ...others].filter(line => line.trim() !== '').map(line => indentOf(line).length))
  const isOnlyTogether = widths.has(together) && !widths.has(anew)
  return !isOnlyTogether && together > deepestBelow(above, complete)
}

/** Whether a line that was cut is to be ended before a fence: its line end got lost. */
function isFenceBehind(partial: string, first: string): boolean {
  const fence = readFence(first)
  return fence !== null && /^(?:[\w{].*)?$/.test(fence.info) && partial.trim() !== '' && !/^\s*[`~]+$/.test(partial)
}

/** How much of the end of a line stands at the beginning of its continuation again, from the beginning of a word on. */
function repeatedWord(partial: string, first: string): number {
  for (let from = Math.max(1, partial.length - MAX_WORD_CHARS); from < partial.length; from++) {
    const isStart = /^[\p{L}\p{N}_$]/u.test(partial.slice(from)) && !/[\p{L}\p{N}_$]$/u.test(partial.slice(0, from))
    const word = partial.slice(from)
    if (!isStart || !first.startsWith(word) || first === word) continue
    return wordChars(word) >= TELLING_PART_CHARS && !isPeriodic(word) ? word.length : 0
  }
  return 0
}

/**
 * Puts a text and its continuation together: at the very character, or where the continuation begins with the last
 * lines once more, or with the line in which the text was cut.
 *
 * @param isBehindFence - Whether the continuation stood in a fence of its own.
 */
export function joinLines(before: string, more: string, { isBehindFence = false } = {}): Joined {
  const lines = before.split('\n')
  const last = lines.length - 1
  const partial = lines[last] ?? ''
  const next = more.split('\n')
  const complete = before.slice(0, before.length - partial.length)
  let isDoubtful = false
  for (const at of new Set([0, next.findIndex(line => line.trim() !== '')])) {
    for (let from = Math.max(0, last - MAX_LINES); from <= last; from++) {
      if (!repeatsFrom(lines, from, { next, at })) continue
      if (!tells(lines, from, at > 0)) {
        isDoubtful ||= mayRepeat(lines, from)
        continue
      }
      const rest = next.slice(at + last - from).join('\n')
      return { text: complete + (rest.startsWith(partial) ? rest : indentOf(partial) + rest), repeats: true }
    }
  }
  const [first = ''] = next
  const word = repeatedWord(partial, first)
  if (word > 0) return { text: before + more.slice(word), repeats: true }
  if (isIndentedAnew(lines, next, isBehindFence)) return { text: complete + more, repeats: false }
  const text = isFenceBehind(partial, first) ? `${before}\n${more}` : before + more
  return { text, repeats: false, ...(isDoubtful ? { isDoubtful: true } : {}) }
}
