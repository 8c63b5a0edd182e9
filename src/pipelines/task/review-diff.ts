/** The diff of one file, out of that of a change. */
interface FilePart {
  path: string
  text: string
}

/** As much of a diff as there is room for. */
export interface FittingDiff {
  text: string
  /** Files of which nothing is shown, in the order of the diff. */
  leftOut: string[]
}

const HEADER = /^diff --git (?:"?a\/.*? "?b\/)(.*?)"?$/

/** The files of a diff as git writes it: only a header begins a line with `diff --git`. */
function partsOf(diff: string): FilePart[] {
  return diff
    .split(/(?<![^\n])(?=diff --git )/) // `^` would also match behind a carriage return of a file
    .filter(text => text !== '')
    .map(text => {
      const [first = ''] = text.split('\n', 1)
      return { path: HEADER.exec(first)?.[1] ?? first, text }
    })
}

/**
 * Cuts a diff to what fits, file by file: the files in their order, without those that are too large for the room that
 * is left.
 *
 * @param countTokens - Of a text as it is sent.
 */
export function fitDiff(diff: string, maxTokens: number, countTokens: (text: string) => number): FittingDiff {
  if (countTokens(diff) <= maxTokens) return { text: diff, leftOut: [] }
  let left = maxTokens
  let text = ''
  const leftOut: string[] = []
  for (const part of partsOf(diff)) {
    const tokens = countTokens(part.text)
    if (tokens > left) {
      leftOut.push(part.path)
    } else {
      left -= tokens
      text += part.text
    }
  }
  return { text, leftOut }
}
