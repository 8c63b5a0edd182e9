import { printable, printableLine } from '../terminal-text.ts'

const RUNS_OF_BACKTICKS = /`+/g
const FENCE = /^ {0,3}(`{3,}|~{3,})/
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

/** What a model wrote in Markdown, with images and tags, which could call home, as plain text. */
export function withoutActive(markdown: string): string {
  let fence: string | null = null
  return printable(markdown)
    .split('\n')
    .map(line => {
      const [, ticks = null] = FENCE.exec(line) ?? []
      if (fence !== null) {
        if (ticks !== null && ticks.startsWith(fence)) fence = null
        return line
      }
      fence = ticks
      return ticks === null ? line.replace(ACTIVE, '\\$&') : line
    })
    .join('\n')
}
