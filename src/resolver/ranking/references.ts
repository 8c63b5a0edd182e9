import type { ChunkHit, CodeReader } from '../code/code-reader.ts'

/**
 * The chunks that hold an identifier, those first in which it counts for more; none when they are more than `most`:
 * such a name tells nothing. They are read from the postings of whole identifiers, without any text: none is missing,
 * but case counts for nothing, and a name of a single word is also found as a part of longer ones. Of names of several
 * words 91–99 % of the chunks do hold it just so, of those of one word 65–82 %.
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
