import { FaultlineError } from '../../../core/errors.ts'
import type { CodeReader } from '../../code/code-reader.ts'
import type { TraceQuery } from '../trace-query.ts'
import { filesOfChunks, type RankerHit } from './hits.ts'
import { sourceAround } from './lexical.ts'

/**
 * Embeds a query; null when the index cannot be searched by vectors. Rejects with EMBEDDING_UNAVAILABLE when the
 * embedder is down.
 */
export type EmbedQuery = (text: string) => Promise<Float32Array | null>

const MAX_FILES = 60
const MAX_HITS = 100
const SOURCE_PLACES = 4
const LINES_AROUND = 2
const MAX_QUERY_CHARS = 6000

/**
 * The text to embed for a trace: its messages, its functions and the code around the nearest frames; without any of
 * them the text itself.
 */
export function denseText(query: TraceQuery): string {
  const parts = [
    query.message,
    query.functions.join(' '),
    ...query.places.slice(0, SOURCE_PLACES).map(place => sourceAround(place, LINES_AROUND)),
  ].join('\n')
  return (/\p{L}/u.test(parts) ? parts : query.text).slice(0, MAX_QUERY_CHARS)
}

/** Ranks files by chunks near to the query's vector. */
export function rankByVectors(vector: Float32Array, reader: Pick<CodeReader, 'searchVectors'>): RankerHit[] {
  return filesOfChunks(
    reader.searchVectors(vector, MAX_HITS).filter(({ score }) => score > 0),
    () => 'its code is similar to the failing code and its message',
    MAX_FILES,
  )
}

/**
 * The vector of a query; null where there is none, and the search goes on without.
 *
 * @returns `failed` is true when the embedding service did not answer, so that the answer can say so. Any other failure
 * is a bug and is thrown.
 */
export async function embedded(
  query: string,
  embedQuery: EmbedQuery,
): Promise<{ vector: Float32Array | null; failed: boolean }> {
  try {
    return { vector: await embedQuery(query), failed: false }
  } catch (error) {
    if (error instanceof FaultlineError && error.code === 'EMBEDDING_UNAVAILABLE') return { vector: null, failed: true }
    throw error
  }
}
