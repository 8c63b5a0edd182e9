import type { SparseDocuments } from '../../src/embedding/lsa/sparse-documents.ts'

/** Numbers terms in the order in which they come. */
export function sparseDocuments(documents: ReadonlyArray<ReadonlyMap<string, number>>): SparseDocuments {
  const numbers = new Map<string, number>()
  const names: string[] = []
  const offsets = new Uint32Array(documents.length + 1)
  const termIds: number[] = []
  const counts: number[] = []
  for (const [document, terms] of documents.entries()) {
    for (const [term, count] of terms) {
      let number = numbers.get(term)
      if (number === undefined) {
        number = names.push(term) - 1
        numbers.set(term, number)
      }
      termIds.push(number)
      counts.push(count)
    }
    offsets[document + 1] = termIds.length
  }
  return {
    documentCount: documents.length,
    termCount: names.length,
    offsets,
    termIds: Uint32Array.from(termIds),
    counts: Uint32Array.from(counts),
    termAt: id => names[id] ?? '',
  }
}
