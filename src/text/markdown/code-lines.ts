/** Backticks behind those of a fence make it code in a line. */
const OPENING = /^(?:(`{3,})[^`]*$|(~{3,}))/
const CLOSING = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
/** In a list or a quote a fence ends where that ends; to follow it, all of Markdown would have to be read. */
const CONTAINED = /^[\s>*+\-\d.)]+(?:`{3,}|~{3,})/

/** A text cut into lines, with what is certain about them. */
interface CodeLines {
  lines: Array<{ line: string; isCode: boolean }>
  /** The fence that is still open at the end. */
  open: string | null
}

/**
 * Tells which lines of Markdown every reader takes for code: those of blocks that begin at the first column. Behind a
 * fence within a list or a quote nothing is certain any more.
 */
export function codeLines(markdown: string): CodeLines {
  let open: string | null = null
  let isUnsure = false
  const lines = markdown.split('\n').map(line => {
    if (isUnsure) return { line, isCode: false }
    if (open !== null) {
      const [, ticks] = CLOSING.exec(line) ?? []
      if (ticks?.startsWith(open) === true) open = null
      return { line, isCode: true }
    }
    isUnsure = CONTAINED.test(line)
    const [, backticks, tildes] = OPENING.exec(line) ?? []
    if (!isUnsure) open = backticks ?? tildes ?? null
    return { line, isCode: open !== null }
  })
  return { lines, open }
}
