const ABSOLUTE = /^["'`([=]{0,2}(?:\/|~\/|\.{1,2}[/\\]|[A-Za-z]:[/\\]|\\\\|[a-z][a-z+]{1,15}:\/)/
const OPENING = /^["'`([=]{1,2}/

/**
 * The path that a text ends with: from the last word that begins like an absolute or a dotted path, so that folders
 * with spaces are kept; else the last word.
 */
export function pathAtEnd(text: string): string {
  let start = text.length
  while (start > 0) {
    start = text.lastIndexOf(' ', start - 1)
    const word = text.slice(start + 1, start + 24)
    if (ABSOLUTE.test(word)) return text.slice(start + 1).replace(OPENING, '')
    if (start === -1) break
  }
  return text
    .slice(text.lastIndexOf(' ') + 1)
    .trim()
    .replace(OPENING, '')
}
