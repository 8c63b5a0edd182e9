const BLOCK = /(<!-- What "npm run demo" prints; made by "npm run pages" -->\n\n```text\n)([^]*?)(\n```\n)/

/** The text of the demo that a page shows. */
export function excerptIn(page: string): string {
  const [, , text] = BLOCK.exec(page) ?? []
  if (text === undefined) throw new Error('the page has no place for what the demo prints')
  return text
}

/** The page with another text of the demo. */
export function withExcerpt(page: string, text: string): string {
  excerptIn(page)
  return page.replace(BLOCK, (_all, before: string, _old, after: string) => `${before}${text}${after}`)
}
