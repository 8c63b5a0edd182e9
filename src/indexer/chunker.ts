import { lineStarts } from '../core/source-text.ts'

/** Contiguous whole lines of a text (1-based, inclusive) and where they stand in it: up to the next line, so that a blank last line is not lost. */
export interface LineRange { startLine: number, endLine: number, startOffset: number, endOffset: number }

/** Cuts a file into the units that are embedded and searched. */
export interface Chunker {
  /** Stored with an index: another name means other chunks, and so a rebuild. Change it with any change of the result. */
  readonly name: string
  /** In order, covering every line; none for an empty text. Lines end at `\n` only (see `decodeSource`). */
  chunk (text: string, language: string): LineRange[]
}

const WINDOW_LINES = 500
const OVERLAP_LINES = 50

/** The whole file up to 500 lines; above that windows of 500 lines, of which each shares 50 with the one before. */
export function createLineChunker (): Chunker {
  return {
    name: `lines-${WINDOW_LINES}-${OVERLAP_LINES}-whole`,
    chunk (text) {
      const starts = lineStarts(text)
      const ranges: LineRange[] = []
      for (let first = 0; first < starts.length; first += WINDOW_LINES - OVERLAP_LINES) {
        const next = Math.min(first + WINDOW_LINES, starts.length) // index of the first line after the window
        ranges.push({ startLine: first + 1, endLine: next, startOffset: starts[first] ?? 0, endOffset: starts[next] ?? text.length })
        if (next === starts.length) break
      }
      return ranges
    },
  }
}
