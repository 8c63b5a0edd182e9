import type { LsaFit } from './learned-space.ts'

/** Sizes of an index now, and of what it gained since its fit. */
interface IndexGrowth {
  chunks: number
  /** Chunks that came after the fit. */
  newChunks: number
  /** Words in all chunks, with repetitions, and those among them that the fit does not know: see `FoldedDocuments`. */
  occurrences: number
  unknownOccurrences: number
}

/**
 * From here on a fit found more than hashed words in four of five repositories cut down to size, at 30 chunks in none
 * of three (bench/lsa.bench.ts).
 */
export const MIN_CHUNKS_FOR_FIT = 60

const MAX_NEW_SHARE = 0.25
const MAX_MORE_UNKNOWN = 0.1

/** Whether there are chunks enough for a space of their own. */
export const isWorthFitting = (chunks: number): boolean => chunks >= MIN_CHUNKS_FOR_FIT

/**
 * Whether an index has outgrown its fit: more than a quarter of its chunks are new, or there are more words that the
 * fit does not know, by a tenth of all, than there were when it was made (rare words are unknown to every fit).
 */
export function isOutgrown(
  fit: Pick<LsaFit, 'unknownShare'>,
  { chunks, newChunks, occurrences, unknownOccurrences }: IndexGrowth,
): boolean {
  if (newChunks > chunks * MAX_NEW_SHARE) return true
  return unknownOccurrences - occurrences * fit.unknownShare > occurrences * MAX_MORE_UNKNOWN
}
