/**
 * Documents as counts of terms, in compressed rows: document `d` holds the entries `offsets[d]` up to `offsets[d + 1]`
 * of `termIds` and `counts`. Terms are numbered within these documents alone; the same term may have another number in
 * another set.
 */
export interface SparseDocuments {
  readonly documentCount: number
  /** Every term id is below it. */
  readonly termCount: number
  /** `documentCount + 1` of them, ascending. */
  readonly offsets: Uint32Array
  /** No term twice in a document; in any order. */
  readonly termIds: Uint32Array
  /** Above zero. */
  readonly counts: Uint8Array | Uint16Array | Uint32Array | Float32Array
  termAt(id: number): string
}
