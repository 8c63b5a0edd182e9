import { lineStarts } from '../../core/source-text.ts'

/** The lines of a text. Each is cut out of it when it is asked for: kept are four bytes a line. */
export interface SourceLines {
  readonly text: string
  /** A final line feed ends the last line and begins none. */
  readonly length: number
  /** @param index - 0-based. Undefined where the text has no such line. */
  line(index: number): string | undefined
  /** As `Array.slice` for indexes that are not negative. */
  slice(from: number, to: number): string[]
  /** The 0-based indexes of the lines that hold a text, found in one search over all of them. */
  holding(part: string): number[]
}

/** The number of starts at or before a place, less one: the index of its line. */
function indexAt(starts: Uint32Array, place: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= place) low = middle
    else high = middle
  }
  return low
}

/** Divides a text into lines, in one pass over it. */
export function sourceLines(text: string): SourceLines {
  const starts = new Uint32Array(lineStarts(text))
  const { length } = starts
  const end = text.endsWith('\n') ? text.length : text.length + 1 // of the last line, with a line feed
  const line = (index: number): string | undefined => {
    const start = starts[index]
    if (start === undefined) return undefined
    return text.slice(start, (starts[index + 1] ?? end) - 1)
  }
  return {
    text,
    length,
    line,
    slice(from, to) {
      const found: string[] = []
      for (let index = from; index < Math.min(to, length); index++) found.push(line(index) ?? '')
      return found
    },
    holding(part) {
      const found: number[] = []
      let at = part === '' ? -1 : text.indexOf(part)
      while (at !== -1) {
        const index = indexAt(starts, at)
        found.push(index)
        const next = starts[index + 1]
        at = next === undefined ? -1 : text.indexOf(part, next)
      }
      return found
    },
  }
}
