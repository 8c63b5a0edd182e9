import { createHash } from 'node:crypto'

/**
 * Vectors that were paid for once. A key names the model and the text (see `embeddingKey`), so an entry never goes
 * stale. What `put` has returned from survives a kill of the process: an interrupted indexing run goes on where it was.
 */
export interface EmbeddingCache {
  /** The known ones of these keys; a missing key is simply not in the map. */
  get(keys: string[]): Map<string, Float32Array>
  put(entries: Array<[string, Float32Array]>): void
}

/** The key of a text's vector: the model's name and the SHA-256 of the text. */
export function embeddingKey(model: string, text: string): string {
  return `${model}:${createHash('sha256').update(text).digest('hex')}`
}
