import { createRequire } from 'node:module'
import type MarkdownIt from 'markdown-it'
import { safeUrl, trusted, type Html } from '../html.ts'

const require = createRequire(import.meta.url)
let made: ReturnType<typeof makeRenderer> | null = null

/** HTML stays text, nothing is fetched for a picture, and only addresses of pages become links. */
function makeRenderer() {
  const Renderer = require('markdown-it') as typeof MarkdownIt
  const markdown = new Renderer({ html: false, linkify: false }).disable('image')
  markdown.validateLink = url => safeUrl(url) !== null
  return markdown
}

/** Loaded with the first Markdown: it takes 2 MB. */
const renderer = (): ReturnType<typeof makeRenderer> => (made ??= makeRenderer())

/** The level of the page's heading that a text stands below. */
const LEVEL_ABOVE = 2
const MAX_LEVEL = 6
const DIFF = /^(?:diff|patch)\b/

type Tokens = ReturnType<ReturnType<typeof makeRenderer>['parse']>

const levelOf = ({ tag }: Tokens[number]): number | null => {
  const level = /^h([1-6])$/.exec(tag)?.[1]
  return level === undefined ? null : Number(level)
}

/** Puts the headings of a text below that of the page; none is more than one level below the one before. */
function lowerHeadings(tokens: Tokens): void {
  const used = new Set(tokens.map(levelOf).filter(level => level !== null))
  const ranks = [...used].toSorted((a, b) => a - b)
  let before = LEVEL_ABOVE
  for (const token of tokens) {
    const level = levelOf(token)
    if (level === null) continue
    // the end of a heading has the level of its beginning
    if (token.type === 'heading_open') {
      before = Math.min(LEVEL_ABOVE + 1 + ranks.indexOf(level), before + 1, MAX_LEVEL)
    }
    token.tag = `h${before}`
  }
}

/**
 * Markdown of a model or a person.
 *
 * @param withoutDiffs - Leaves fenced diffs out, as they are shown otherwise.
 */
export function markdownPart(text: string, { withoutDiffs = false } = {}): Html {
  const markdown = renderer()
  const env = {}
  const tokens = markdown
    .parse(text, env)
    .filter(({ type, info }) => !withoutDiffs || type !== 'fence' || !DIFF.test(info))
  lowerHeadings(tokens)
  const markup = markdown.renderer.render(tokens, markdown.options, env)
  return trusted(markup.replaceAll('<pre>', '<pre tabindex="0">')) // only what a keyboard reaches, it can scroll
}
