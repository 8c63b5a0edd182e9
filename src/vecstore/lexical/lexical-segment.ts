import { readSegment, type SegmentViews } from './lexical-format.ts'
import { termHash } from './term-order.ts'

/**
 * Documents as counts of terms, in compressed rows: document `d` holds the entries `offsets[d]` up to `offsets[d + 1]`.
 */
export interface TermRows {
  readonly documentCount: number
  readonly termCount: number
  readonly offsets: Uint32Array
  /** Ascending within a document. */
  readonly termIds: Uint32Array
  readonly counts: Uint8Array
  termAt(id: number): string
}

/**
 * What one build added to the text index of a project; never changes. Terms are numbered within a segment. Opening
 * costs about 1 ms for a million postings; a term is found by binary search among the hashes of all, in about 0.2 µs.
 */
export class LexicalSegment {
  readonly chunkCount: number
  readonly termCount: number
  /** The arrays of the format, for those that search and merge. */
  readonly views: SegmentViews
  readonly #text: Buffer

  /**
   * @throws {FaultlineError} INDEX_INCOMPATIBLE when the bytes are no whole segment. They must not change afterwards:
   * they are not copied.
   */
  constructor(bytes: Uint8Array) {
    const { sizes, views } = readSegment(bytes)
    this.chunkCount = sizes.chunks
    this.termCount = sizes.terms
    this.views = views
    this.#text = Buffer.from(views.vocabulary.buffer, views.vocabulary.byteOffset, views.vocabulary.byteLength)
  }

  /** @returns −1 when the segment does not hold the term. */
  idOf(term: string): number {
    const hash = termHash(term)
    const { termHashes } = this.views
    let low = 0
    let high = this.termCount
    while (low < high) {
      const middle = (low + high) >>> 1
      const here = termHashes[middle] ?? 0
      if (here < hash || (here === hash && this.termAt(middle) < term)) low = middle + 1
      else high = middle
    }
    return low < this.termCount && termHashes[low] === hash && this.termAt(low) === term ? low : -1
  }

  termAt(id: number): string {
    const { termStarts } = this.views
    return this.#text.toString('utf8', termStarts[id], termStarts[id + 1])
  }

  /** The terms of each chunk, in the order of `views.chunkIds`. Made anew from the postings, about 15 ms a million. */
  chunkRows(): TermRows {
    const { chunks, counts, postingStarts } = this.views
    const documentCount = this.chunkCount
    const offsets = new Uint32Array(documentCount + 1)
    for (let i = 0; i < chunks.length; i++) {
      const next = (chunks[i] ?? 0) + 1
      offsets[next] = (offsets[next] ?? 0) + 1
    }
    for (let i = 1; i <= documentCount; i++) offsets[i] = (offsets[i] ?? 0) + (offsets[i - 1] ?? 0)
    const free = offsets.slice()
    const termIds = new Uint32Array(chunks.length)
    const rowCounts = new Uint8Array(chunks.length)
    for (let term = 0; term < this.termCount; term++) {
      const end = postingStarts[term + 1] ?? 0
      for (let i = postingStarts[term] ?? 0; i < end; i++) {
        const chunk = chunks[i] ?? 0
        const at = free[chunk] ?? 0
        free[chunk] = at + 1
        termIds[at] = term
        rowCounts[at] = counts[i] ?? 0
      }
    }
    return {
      documentCount,
      termCount: this.termCount,
      offsets,
      termIds,
      counts: rowCounts,
      termAt: id => this.termAt(id),
    }
  }
}
