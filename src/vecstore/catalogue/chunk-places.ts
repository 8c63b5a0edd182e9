/** A row of chunk ids that belong to one file. */
interface Span {
  firstChunk: number
  chunks: number
}

/** Finds the file and the position of a chunk by its id; a chunk that is in no file is gone. */
export class ChunkPlaces {
  readonly #starts: Uint32Array
  readonly #counts: Uint32Array
  /** Positions in the list that was given. */
  readonly #files: Uint32Array

  constructor(files: readonly Span[]) {
    const order = Uint32Array.from(files.keys())
      .filter(i => (files[i]?.chunks ?? 0) > 0)
      .sort((a, b) => (files[a]?.firstChunk ?? 0) - (files[b]?.firstChunk ?? 0))
    this.#files = order
    this.#starts = order.map(i => files[i]?.firstChunk ?? 0)
    this.#counts = order.map(i => files[i]?.chunks ?? 0)
  }

  /** The file as its position in the list, and the chunk's position in the file; null when the chunk is gone. */
  find(chunkId: number): { file: number; chunkIndex: number } | null {
    const at = this.#indexOf(chunkId)
    if (at < 0) return null
    return { file: this.#files[at] ?? 0, chunkIndex: chunkId - (this.#starts[at] ?? 0) }
  }

  /** The file as its position in the list; -1 when the chunk is gone. */
  fileOf(chunkId: number): number {
    const at = this.#indexOf(chunkId)
    if (at < 0) return at
    return this.#files[at] ?? -1
  }

  has(chunkId: number): boolean {
    return this.#indexOf(chunkId) >= 0
  }

  #indexOf(chunkId: number): number {
    let low = 0
    let high = this.#starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#starts[middle] ?? 0) <= chunkId) low = middle + 1
      else high = middle
    }
    const at = low - 1
    const end = (this.#starts[at] ?? 0) + (this.#counts[at] ?? 0)
    return at >= 0 && chunkId < end ? at : -1
  }
}
