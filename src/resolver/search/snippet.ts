import type { Chunk } from '../../core/chunk.ts'
import type { SearchHit } from '../../core/resolution.ts'
import { splitLines } from '../../core/source-text.ts'
import { tokenize } from '../../core/tokenize.ts'
import type { Lines } from '../ranking/rankers/hits.ts'
import { showLine } from '../../core/visible-text.ts'
import { isFiller, type SearchQuery } from './query.ts'
import type { SearchReader } from './lists.ts'

type Snippet = Pick<SearchHit, 'snippet' | 'snippetLine' | 'highlightedLines'>

/** How much each word of the query counts. */
export type WordWeights = ReadonlyMap<string, number>

const SNIPPET_LINES = 12
const MAX_LINE_CHARS = 500
/** A line is highlighted when its score is at least this share of the best line's. */
const HIGHLIGHT_SHARE = 0.4
/** A line that a list points to gets a bonus as if it contained some more rare words. */
const POINTED = 10

/**
 * How much each word of the query counts: the rarer it is in the project's chunks, the more. Words that occur nowhere
 * are left out, and fillers unless there is nothing else. One look-up a word.
 */
export function wordWeights(
  { counts }: Pick<SearchQuery, 'counts'>,
  { documentFrequency, manifest: { chunksTotal } }: Pick<SearchReader, 'documentFrequency' | 'manifest'>,
): WordWeights {
  const all = [...counts.keys()].flatMap((term): Array<[string, number]> => {
    const frequency = documentFrequency(term)
    return frequency === 0 ? [] : [[term, Math.log(1 + chunksTotal / frequency)]]
  })
  const telling = all.filter(([term]) => !isFiller(term))
  return new Map(telling.length > 0 ? telling : all)
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The weight of the query's words in a text, each counted once. */
export const wordsIn = (text: string, weights: WordWeights): number =>
  sum([...new Set(tokenize(text))].map(term => weights.get(term) ?? 0))

/**
 * At most twelve lines of a chunk around the one that matches the query best, with control characters shown.
 *
 * @param exact - Lines of the file that contain the quoted text: then only these are highlighted.
 * @param pointed - Lines of the file that the hit is for, such as a definition.
 */
export function snippetOf(
  { text, startLine }: Chunk,
  weights: WordWeights,
  { exact = [], pointed = [] }: { exact?: readonly Lines[]; pointed?: readonly Lines[] },
): Snippet {
  const lines = splitLines(text).map(line => line.slice(0, MAX_LINE_CHARS))
  const isIn = (ranges: readonly Lines[], at: number) =>
    ranges.some(range => range.startLine <= startLine + at && startLine + at <= range.endLine)
  const pointedScore = (at: number): number => (isIn(pointed, at) ? POINTED : 0)
  const said = lines.map((line, at) =>
    exact.length > 0 ? Number(isIn(exact, at)) : wordsIn(line, weights) + pointedScore(at),
  )
  const most = said.reduce((highest, value) => Math.max(highest, value), 0)
  const from = Math.max(0, Math.min(said.indexOf(most) - SNIPPET_LINES / 2, lines.length - SNIPPET_LINES))
  const shown = lines.slice(from, from + SNIPPET_LINES)
  return {
    snippet: shown.map(showLine).join('\n'),
    snippetLine: startLine + from,
    highlightedLines: shown
      .map((_, i) => from + i)
      .filter(at => most > 0 && (said[at] ?? 0) >= most * HIGHLIGHT_SHARE)
      .map(at => startLine + at),
  }
}
