/** The first and the last items of a longer list, `limit` in all; a list that is not longer comes back itself. */
export function bothEnds<T>(items: T[], limit: number): T[] {
  const half = limit / 2
  return items.length <= limit ? items : [...items.slice(0, half), ...items.slice(-half)]
}

/** The beginning and the end of a longer text, `maxChars` in all, with `between` in place of what is left out. */
export function textEnds(text: string, maxChars: number, between = '\n'): string {
  const half = Math.floor(maxChars / 2)
  return text.length <= maxChars ? text : `${text.slice(0, half)}${between}${text.slice(-half)}`
}

/** As `textEnds`, with a line that says how many characters are left out, and no half of a surrogate pair. */
export function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const leftOut = text.length - 2 * Math.floor(maxChars / 2)
  return textEnds(text, maxChars, `\n[… ${leftOut} characters left out …]\n`).toWellFormed()
}
