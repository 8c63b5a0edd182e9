import { printable, printableLine } from '../terminal-text.ts'
import { codeLines } from './code-lines.ts'

const RUNS_OF_BACKTICKS = /`+/g
/** What would begin a link, an image, a tag, a table's cell or emphasis. */
const SPECIAL = /[\\`*_[\]<>|#!~]/g
/** An image, which whoever opens the page would load, and a tag. */
const ACTIVE = /!(?=\[)|<(?=[A-Za-z/!?])/g

const longestRun = (text: string): number =>
  (text.match(RUNS_OF_BACKTICKS) ?? []).reduce((most, run) => Math.max(most, run.length), 0)

/** Foreign text on one line, in which nothing is Markdown. */
export const escapeLine = (text: string): string => printableLine(text).replace(SPECIAL, '\\$&')

/** Foreign text as code in a line. */
export function inlineCode(text: string): string {
  const line = printableLine(text).trim()
  if (line === '') return ''
  const ticks = '`'.repeat(longestRun(line) + 1)
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${line}${pad}${ticks}`
}

/** Foreign text as a block of code that it cannot end itself. */
export function fenced(text: string, language = ''): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${ticks}${language}\n${printable(text).trimEnd()}\n${ticks}`
}

/**
 * What a model wrote in Markdown, with images and tags, which could call home, as plain text, and with its blocks of
 * code closed.
 */
export function withoutActive(markdown: string): string {
  const { lines, open } = codeLines(printable(markdown))
  const kept = lines.map(({ line, isCode }) => (isCode ? line : line.replace(ACTIVE, '\\$&')))
  return [...kept, ...(open === null ? [] : [open])].join('\n')
}
