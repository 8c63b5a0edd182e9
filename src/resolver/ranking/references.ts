import type { ChunkHit, CodeReader } from '../code/code-reader.ts'

/**
 * The chunks that contain an identifier, the best first; none when they are more than `most`, because such a name says
 * nothing. They come from the postings of whole identifiers, without reading any text: none is missing, but case is
 * ignored, and a name of a single word is also found as a part of longer ones. For names of several words 91–99 % of
 * the chunks contain it exactly, for single words 65–82 %.
 */
export function referencesOf(
  name: string,
  { documentFrequency, searchTerms }: Pick<CodeReader, 'documentFrequency' | 'searchTerms'>,
  most: number,
): ChunkHit[] {
  const term = name.toLowerCase()
  const frequency = documentFrequency(term)
  return frequency === 0 || frequency > most ? [] : searchTerms(new Map([[term, 1]]), most)
}
