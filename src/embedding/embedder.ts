/** The vectors of some texts. */
export interface Embedding {
  /** One per text, in the same order, all finite, of one length and of length 1 (normalised). */
  vectors: Float32Array[]
  /** Names what the vectors are comparable with: two vectors share a space exactly when their fit ids are equal. */
  fitId: string
}

/** Turns texts into vectors whose inner product is a similarity. */
export interface Embedder {
  readonly provider: 'local' | 'api'
  readonly model: string
  /**
   * Set where the fit id is known before the first call; lets an unchanged repository be recognised without embedding
   * anything.
   */
  readonly fitId?: string

  /**
   * @param texts - Any number, of any length, also empty ones; batching is the embedder's own business.
   * @throws {FaultlineError} EMBEDDING_UNAVAILABLE when a remote endpoint does not answer.
   */
  embed(texts: string[], signal?: AbortSignal): Promise<Embedding>
}
