import type { SourceReason } from '../../core/resolution.ts'
import type { ListWeight, ListWeights } from './learned-weights.ts'
import type { RankedFile, RankedRange } from './ranked-file.ts'
import { fileKey, type RankerHits } from './rankers/hits.ts'

/** A ranked list and how much it counts. */
export interface WeightedList extends ListWeights {
  reason: SourceReason
  files: RankerHits
}

/** How candidates are scored beside the lists. */
export interface CandidateOptions {
  /** What speaks for or against a file whatever the lists say. */
  prior: (file: { repository: string; path: string }) => number
  /** Whether the trace names a file; such files are returned however low they rank. */
  isNamed: (file: { repository: string; path: string }) => boolean
}

/** How candidates become one ranking. */
interface FusionOptions extends CandidateOptions {
  /** The weight of the case that none of the files is at fault. */
  nothing: number
  most: number
}

const RANK_OFFSET = 8
const NO_WEIGHT: ListWeight = { rank: 0 }
const LEAST_SCORE = 1e-6
const MAX_RANGES = 6
const MAX_REASONS = 2

/** A file and the sum of what speaks for it. */
export interface FileSum {
  repository: string
  path: string
  sum: number
}

interface Candidate extends FileSum {
  isNamed: boolean
  /** What each list contributed, where it did. */
  shares: Array<{ gain: number; list: WeightedList; why: string; lines: RankerHits[number]['lines'] }>
}

/** Lines that any list points to, those of the heavier lists first; a range inside an earlier one adds nothing. */
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

/** What a list adds for a file at a place in it, from 0: the first gets the full weight, the ninth half of it. */
export function gainOf({ rank, score: weight = 0 }: ListWeight, place: number, score: number): number {
  return (rank * RANK_OFFSET) / (RANK_OFFSET + place) + weight * Math.min(1, score)
}

/** Every file of the lists with the weighted sum of reciprocal ranks and scores that speaks for it. */
export function candidatesOf(lists: readonly WeightedList[], { prior, isNamed }: CandidateOptions): Candidate[] {
  const candidates = new Map<string, Candidate>()
  for (const list of lists) {
    let others = 0
    for (const [position, { repository, path, score, why, lines }] of list.files.entries()) {
      const file = { repository, path }
      const key = fileKey(file)
      const candidate = candidates.get(key) ?? { ...file, isNamed: isNamed(file), sum: prior(file), shares: [] }
      candidates.set(key, candidate)
      const weight = candidate.isNamed ? list.named : list.others
      const gain = gainOf(weight ?? NO_WEIGHT, candidate.isNamed ? position : others++, score)
      candidate.sum += gain
      candidate.shares.push({ gain, list, why, lines })
    }
  }
  return [...candidates.values()]
}

/**
 * Joins rankings whose scores cannot be compared: a softmax turns the candidates' sums into shares of 1, which add up
 * to less where the evidence is weak. Ties by path.
 */
export function fuse(lists: readonly WeightedList[], { nothing, most, ...options }: FusionOptions): RankedFile[] {
  const candidates = candidatesOf(lists, options)
  const best = candidates.reduce((highest, { sum }) => Math.max(highest, sum), nothing)
  const total = candidates.reduce((all, { sum }) => all + Math.exp(sum - best), Math.exp(nothing - best))
  return candidates
    .sort((a, b) => b.sum - a.sum || (fileKey(a) < fileKey(b) ? -1 : 1))
    .filter(({ isNamed }, position) => position < most || isNamed)
    .map(candidate => rankedFile(candidate, Math.exp(candidate.sum - best) / total))
}
