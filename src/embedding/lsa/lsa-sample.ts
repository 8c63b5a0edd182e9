import { seededBits } from './seeded-random.ts'
import type { SparseDocuments } from './sparse-documents.ts'

/** A document by its set and its place there. */
export interface DocumentPlace {
  set: number
  document: number
}

/**
 * At most `size` documents, in order; one from each of `size` equal stretches of the row of all of them. An index holds
 * a file's chunks side by side, and files of a folder: so the sample is spread over both as the code is.
 *
 * @param isGone - Documents that are passed over as if they were not there.
 */
export function sampleDocuments(
  sets: ReadonlyArray<Pick<SparseDocuments, 'documentCount'>>,
  {
    size,
    seed,
    isGone = () => false,
  }: {
    size: number
    seed: number
    isGone?: (place: DocumentPlace) => boolean
  },
): { sample: DocumentPlace[]; total: number } {
  const all: DocumentPlace[] = []
  for (const [set, { documentCount }] of sets.entries()) {
    for (let document = 0; document < documentCount; document++) {
      if (!isGone({ set, document })) all.push({ set, document })
    }
  }
  const wanted = Math.min(size, all.length)
  const bits = seededBits(seed)
  const sample: DocumentPlace[] = []
  for (let i = 0; i < wanted; i++) {
    const from = Math.floor((i * all.length) / wanted)
    const chosen = all[from + (bits() % (Math.floor(((i + 1) * all.length) / wanted) - from))]
    if (chosen !== undefined) sample.push(chosen)
  }
  return { sample, total: all.length }
}
