import type { SourceReason } from '../../core/resolution.ts'
import type { RankedFile, RankedRange } from './ranked-file.ts'
import { fileKey, type RankerHits } from './rankers/hits.ts'

/**
 * How much a list counts: by the place of a file in it, and by its score where that is comparable between traces (in
 * [0, 1]).
 */
export interface ListWeight {
  rank: number
  score?: number
}

export interface WeightedList {
  reason: SourceReason
  /** For files that the trace names. */
  named?: ListWeight
  /**
   * For other files, by their place among themselves: what leads to one of those speaks in a list that the named ones
   * stand at the top of, too.
   */
  others?: ListWeight
  files: RankerHits
}

export interface FusionOptions {
  /** What speaks for or against a file whatever the lists say. */
  prior: (file: { repository: string; path: string }) => number
  /** The weight of the case that none of the files is the one. */
  nothing: number
  most: number
  /** Whether the trace names a file: such are handed over however low they come. */
  isNamed: (file: { repository: string; path: string }) => boolean
}

/** The first counts 1, the ninth half of it. */
const RANK_OFFSET = 8
const NO_WEIGHT: ListWeight = { rank: 0 }
const LEAST_SCORE = 1e-6
const MAX_RANGES = 6
const MAX_REASONS = 2

interface Candidate {
  repository: string
  path: string
  isNamed: boolean
  sum: number
  /** What each list gave, where it gave anything. */
  shares: Array<{ gain: number; list: WeightedList; why: string; lines: RankerHits[number]['lines'] }>
}

/**
 * Lines that any list points to, those of the heavier lists first; a range inside of one that is there already adds
 * nothing.
 */
function rangesOf(shares: Candidate['shares']): RankedRange[] {
  const ranges: RankedRange[] = []
  for (const { lines, why } of shares) {
    for (const { startLine, endLine } of lines) {
      if (ranges.length >= MAX_RANGES) return ranges
      if (!ranges.some(other => other.startLine <= startLine && endLine <= other.endLine)) {
        ranges.push({ startLine, endLine, why })
      }
    }
  }
  return ranges
}

function rankedFile({ repository, path, shares }: Candidate, score: number): RankedFile {
  const byGain = shares.toSorted((a, b) => b.gain - a.gain)
  const strongest = byGain.find(({ list }) => list.reason === 'frame') ?? byGain[0]
  return {
    repository,
    path,
    score: Math.max(LEAST_SCORE, Math.round(score / LEAST_SCORE) * LEAST_SCORE),
    reason: strongest?.list.reason ?? 'lexical',
    why: [...new Set(strongest === undefined ? [] : [strongest, ...byGain].map(({ why }) => why))]
      .slice(0, MAX_REASONS)
      .join('; '),
    ranges: rangesOf(byGain),
    highlightedLines: [],
  }
}

/**
 * Joins rankings whose scores cannot be compared: a weighted sum of reciprocal ranks and scores, which a
 * softmax turns into shares of 1 that add up to less where nothing speaks loudly. Ties by path.
 */
export function fuse(lists: readonly WeightedList[], { prior, nothing, most, isNamed }: FusionOptions): RankedFile[] {
  const candidates = new Map<string, Candidate>()
  for (const list of lists) {
    let others = 0
    for (const [position, { repository, path, score, why, lines }] of list.files.entries()) {
      const key = fileKey({ repository, path })
      let candidate = candidates.get(key)
      if (candidate === undefined) {
        candidates.set(
          key,
          (candidate = {
            repository,
            path,
            isNamed: isNamed({ repository, path }),
            sum: prior({ repository, path }),
            shares: [],
          }),
        )
      }
      const { rank, score: weight = 0 } = (candidate.isNamed ? list.named : list.others) ?? NO_WEIGHT
      const gain =
        (rank * RANK_OFFSET) / (RANK_OFFSET + (candidate.isNamed ? position : others)) + weight * Math.min(1, score)
      if (!candidate.isNamed) others++
      candidate.sum += gain
      candidate.shares.push({ gain, list, why, lines })
    }
  }
  const best = [...candidates.values()].reduce((highest, { sum }) => Math.max(highest, sum), nothing)
  const total = [...candidates.values()].reduce((all, { sum }) => all + Math.exp(sum - best), Math.exp(nothing - best))
  return [...candidates.values()]
    .sort((a, b) => b.sum - a.sum || (fileKey(a) < fileKey(b) ? -1 : 1))
    .filter(({ isNamed }, position) => position < most || isNamed)
    .map(candidate => rankedFile(candidate, Math.exp(candidate.sum - best) / total))
}
