import { trimEndOf } from '../text/trim-end-of.ts'
import { isPathLike } from './path-like.ts'

/** Characters behind a name that are no part of it. */
const END = ' \t:：,;.'

const HEADING_OR_LIST = new RegExp(
  '^(?:' +
    [
      '#{1,6}(?=[^!])',
      '[-*+•▸►→>](?=\\s)',
      '\\(?\\d{1,3}[.)](?=\\s)',
      '\\/\\/',
      '={2,}>?',
      '-{2,}>?(?=\\s)',
      '[\\p{Extended_Pictographic}\\uFE0F\\u200D]+(?=\\s*\\D)',
    ].join('|') +
    ')\\s*',
  'u',
)
const CHANGE_TAG = /^\[(?:new|add(?:ed)?|created?|update[d]?|modif(?:y|ied)|edit(?:ed)?)\]\s*/i
const DECORATION_AT_END = /[\s#=\p{Extended_Pictographic}\uFE0F]$/u
const COMMANDS_BEFORE_NAMES = new RegExp(
  '^(?:python3?|node|npm|npx|bash|sh|go|cargo|make|pip|cd|cat|git|docker|curl|java|ruby|php|deno|bun|yarn|pnpm|run' +
    '|\\.\\/)',
  'i',
)
const QUOTED = /`([^`]+)`|\(([^()\s`]+)\)|"([^"]+)"|“([^“”]+)”|«([^«»]+)»|(?<![\p{L}\p{N}])'([^']+)'/gu
const QUOTES = [
  ['`', '`'],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['«', '»'],
  ['‘', '’'],
  ['<', '>'],
] as const

/** A line without the marks that begin a heading, an item of a list or a comment, and without pictures. */
function withoutMarks(line: string): { text: string; isHeading: boolean } {
  let text = line.trim()
  if (text.startsWith('<!--') && text.endsWith('-->')) text = text.slice(4, -3).trim()
  let isHeading = false
  for (;;) {
    const mark = HEADING_OR_LIST.exec(text)?.[0]
    if (mark === undefined || mark === '' || mark.length === text.length) return { text, isHeading }
    if (mark.startsWith('#')) isHeading = true
    text = text.slice(mark.length)
  }
}

/** A text without rules, arrows and pictures at its end. */
function withoutRules(line: string): string {
  let text = line
  while (DECORATION_AT_END.test(text)) text = text.replace(/.$/u, '')
  for (const rule of [' ---', ' --', ' <']) if (text.endsWith(rule)) text = text.slice(0, -rule.length).trimEnd()
  return text
}

/** A text without the marks of bold and italic; bold as backticks, where the text has none. */
function withoutEmphasis(line: string): string {
  let text = line
  if (!text.includes('`') && text.includes('**')) text = text.replaceAll('**', '`')
  text = text.replaceAll('**', '').replace(/`{2,}/g, '`')
  if (text.startsWith('__') && text.endsWith('__') && text.length > 4 && /[./]/.test(text)) text = text.slice(2, -2)
  if (text.startsWith('*') && text.endsWith('*')) text = text.slice(1, -1)
  return /^_[^_].*\.\w+_$/.test(text) ? text.slice(1, -1) : text
}

/** Whether a line is a heading of Markdown. */
export const isHeading = (line: string): boolean => /^ {0,3}#{1,6}\s*[^#!\s]/.test(line)

/** The text of `<details><summary>text</summary>`; any other line as it is. */
function summaryOf(line: string): string {
  const inner = /^\s*(?:<details[^<>]*>\s*)?<summary[^<>]*>([^]*)<\/summary>\s*$/i.exec(line)?.[1]
  return inner === undefined ? line : inner.replace(/<\/?(?:b|i|em|strong|code|tt)>/gi, '')
}

/**
 * A line without the backslashes that Markdown needs before `_` and the like: `app/\_\_init\_\_.py`. In backticks they
 * would be part of the text, and one that is not before each of these characters separates folders.
 */
function unescaped(line: string): string {
  if (!line.includes('\\') || line.includes('`')) return line
  const plain = line.replace(/\\([_*[\]()~#])/g, '$1')
  const escaped = new Set(Array.from(line.matchAll(/\\([_*[\]()~#])/g), ([, char = '']) => char))
  escaped.delete('*') // which marks bold text as well
  const isDoubtful = [...escaped].some(char => new RegExp(`(?<!\\\\)\\${char}`).test(line))
  return isDoubtful || /\\\w/.test(plain) ? line : plain
}

/** A line without the marks of headings and lists, arrows, rules and pictures; bold as backticks. */
export function withoutDecoration(line: string): { text: string; isHeading: boolean } {
  const { text: marked, isHeading } = withoutMarks(unescaped(summaryOf(line)))
  let text = withoutRules(marked.replace(CHANGE_TAG, ''))
  const bold = /^\*\*([^*]+)\*\*:?$/.exec(text)?.[1]
  if (bold?.includes('(') === true) text = bold
  if (text.startsWith('[') && text.endsWith(')') && text.includes('](')) text = text.slice(1, text.indexOf(']('))
  return { text: withoutEmphasis(text).trim(), isHeading }
}

/** A name without brackets around all of it: `[src/a.py]`, but not `[slug].ts`. */
export function unbracketed(name: string): string {
  const inner = /^(?:\[([^[\]]+)\]|\(([^()]+)\)|\{([^{}]+)\})$/.exec(name)
  const bare = inner?.[1] ?? inner?.[2] ?? inner?.[3]
  return bare !== undefined && isPathLike(bare, 'strict') ? bare : name
}

/** Whether a text is a name that may have blanks in it: such a one needs an extension that is known. */
export function isNameWithBlanks(name: string): boolean {
  if (!/\s/.test(name)) return isPathLike(name, 'lenient')
  return (
    !/[:：]/.test(name) &&
    /\.\w+$/.test(name) &&
    isPathLike(name.replaceAll(' ', '_'), 'strict') &&
    !COMMANDS_BEFORE_NAMES.test(name)
  )
}

/** A text without blanks, colons and the like at its end, nor any of `more`. */
export const trimNameEnd = (text: string, more = ''): string => trimEndOf(text, END + more)

/** A text without one pair of quotes around it. */
export function stripQuotes(text: string): string {
  for (const [open, close] of QUOTES) {
    if (text.length > 2 && text.startsWith(open) && text.endsWith(close) && !text.slice(1, -1).includes(open)) {
      return text.slice(1, -1).trim()
    }
  }
  return text
}

/** The texts in quotes, backticks and brackets. */
export function quotedIn(text: string): string[] {
  return Array.from(text.matchAll(QUOTED), ([, ...groups]) => (groups.find(group => group !== undefined) ?? '').trim())
}

/** A text without a remark in brackets at its end. */
export function withoutRemark(text: string): string {
  const open = text.lastIndexOf(' (')
  return open > 0 && text.endsWith(')') ? text.slice(0, open) : text
}
