import { seededBits } from './seeded-random.ts'
import type { SparseDocuments } from './sparse-documents.ts'

/** A document by its set and its place there. */
export interface SampledDocument { set: number, document: number }

/**
 * At most `size` documents, in order; one from each of `size` equal stretches of the row of all of them. An index holds a file's chunks side by
 * side, and files of a folder: so the sample is spread over both as the code is.
 */
export function sampleDocuments (sets: ReadonlyArray<Pick<SparseDocuments, 'documentCount'>>, size: number, seed: number): SampledDocument[] {
  const total = sets.reduce((sum, { documentCount }) => sum + documentCount, 0)
  const wanted = Math.min(size, total)
  const bits = seededBits(seed)
  const sample: SampledDocument[] = []
  let set = 0
  let before = 0 // documents of the sets before this one
  for (let i = 0; i < wanted; i++) {
    const from = Math.floor(i * total / wanted)
    const chosen = from + bits() % (Math.floor((i + 1) * total / wanted) - from)
    while (chosen >= before + (sets[set]?.documentCount ?? total)) before += sets[set++]?.documentCount ?? 0
    sample.push({ set, document: chosen - before })
  }
  return sample
}
