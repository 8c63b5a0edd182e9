import type { Source } from '../../../core/resolution.ts'
import type { Look } from './look.ts'
import type { ReadLines } from './shown-answer.ts'

/** More are no help to whoever reads them. */
const MAX_SOURCES = 60

interface Read extends ReadLines {
  look: Look
}

const touches = (one: ReadLines, other: ReadLines): boolean =>
  one.repository === other.repository &&
  one.path === other.path &&
  one.startLine <= other.endLine + 1 &&
  other.startLine <= one.endLine + 1

/**
 * What a model read in an investigation, as sources of the answer, in the order in which it came to them. Ranges that
 * touch are one.
 */
export function sourcesOf(looks: readonly Look[], countTokens: (text: string) => number): Source[] {
  let read: Read[] = []
  for (const look of looks) {
    for (const lines of look.lines) {
      const [first, ...others] = read.filter(other => touches(other, lines))
      if (first === undefined) {
        read.push({ ...lines, look })
        continue
      }
      // lines between two ranges make one of them
      const joined = [first, ...others, lines]
      first.startLine = Math.min(...joined.map(({ startLine }) => startLine))
      first.endLine = Math.max(...joined.map(({ endLine }) => endLine))
      read = read.filter(other => !others.includes(other))
    }
  }
  return read.slice(0, MAX_SOURCES).map(({ repository, path, startLine, endLine, look }) => ({
    repository,
    path,
    startLine,
    endLine,
    symbol: null,
    chunkIndex: null,
    totalChunks: null,
    highlightedLines: [],
    reason: 'investigated',
    why: `the model read it in step ${look.step} (${look.tool})`,
    score: 0,
    tokens: look.lines.length === 0 ? 0 : Math.round(countTokens(look.text) / look.lines.length),
  }))
}
