import type { SourceReason } from '../../core/resolution.ts'

/** Lines of a ranked file that the evidence points to, 1-based and inclusive, and why. */
export interface RankedRange {
  startLine: number
  endLine: number
  why: string
}

/**
 * A file that may hold the cause, with everything that the context builder needs to know about it. Lists of them are
 * best first, no file twice.
 */
export interface RankedFile {
  repository: string
  path: string
  /** How likely the file has to change, in (0, 1]; the scores of one list add up to at most 1. */
  score: number
  /** The kind of the strongest evidence. */
  reason: SourceReason
  /** The strongest evidence, for a person. */
  why: string
  /** The most telling first; they may overlap. Empty where nothing points to a line. */
  ranges: RankedRange[]
  /** Lines of the trace in this file, the nearest to the failure first; each lies in a range. */
  highlightedLines: number[]
}
