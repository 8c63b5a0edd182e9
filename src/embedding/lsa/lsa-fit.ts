import type { LsaFit } from './learned-space.ts'
import { randomizedSvd } from './randomized-svd.ts'
import { sampleDocuments, type DocumentPlace } from './lsa-sample.ts'
import { withId } from './lsa-file.ts'
import type { SparseDocuments } from './sparse-documents.ts'
import type { SparseMatrix } from './sparse-matrix.ts'

/** How much a fit looks at, and how fine it becomes. */
interface FitOptions {
  /** Fewer come out where the documents have no more directions. */
  dimensions?: number
  maxTerms?: number
  maxSample?: number
  /** More made vectors no better for search (bench/lsa.bench.ts): topics of code are told apart by then. */
  powerIterations?: number
  seed?: number
  /** Documents that are still in their set but no longer there. */
  isGone?: (place: DocumentPlace) => boolean
}

const NONE: SparseDocuments = {
  documentCount: 0,
  termCount: 0,
  offsets: new Uint32Array(1),
  termIds: new Uint32Array(0),
  counts: new Uint32Array(0),
  termAt: () => '',
}

/** By set and by its own term ids: the sampled documents that hold the term. */
function countTerms(documents: readonly SparseDocuments[], sample: readonly DocumentPlace[]): Uint32Array[] {
  const perSet = documents.map(set => new Uint32Array(set.termCount))
  for (const { set, document } of sample) {
    const { offsets, termIds } = documents[set] ?? NONE
    const counts = perSet[set] ?? new Uint32Array(0)
    for (let i = offsets[document] ?? 0; i < (offsets[document + 1] ?? 0); i++) {
      const id = termIds[i] ?? 0
      counts[id] = (counts[id] ?? 0) + 1
    }
  }
  return perSet
}

/** The terms that are in two of the sampled documents at least and in half of them at most, commonest first. */
function chooseTerms(
  documents: readonly SparseDocuments[],
  sample: readonly DocumentPlace[],
  maxTerms: number,
): Vocabulary {
  const perSet = countTerms(documents, sample)
  const total = new Map<string, number>()
  const leastOfOne = documents.length === 1 ? 2 : 1 // of one set alone the names of rare terms need not be read
  for (const [set, counts] of perSet.entries()) {
    for (let id = 0; id < counts.length; id++) {
      const count = counts[id] ?? 0
      const term = count < leastOfOne ? undefined : documents[set]?.termAt(id)
      if (term !== undefined) total.set(term, (total.get(term) ?? 0) + count)
    }
  }
  const chosen = [...total]
    .filter(([, count]) => count >= 2 && count * 2 <= sample.length)
    .sort(([a, i], [b, j]) => j - i || (a < b ? -1 : 1))
    .slice(0, maxTerms)
  const terms = new Map(chosen.map(([term], number) => [term, number]))
  const numberOf = (term = '') => terms.get(term) ?? -1
  const numbers = perSet.map((counts, set) =>
    Int32Array.from(counts, (count, id) => (count < leastOfOne ? -1 : numberOf(documents[set]?.termAt(id)))),
  )
  return { terms, frequencies: chosen.map(([, count]) => count), numbers }
}

function countEntries(documents: readonly SparseDocuments[], sample: readonly DocumentPlace[]): number {
  return sample.reduce((sum, { set, document }) => {
    const { offsets } = documents[set] ?? NONE
    return sum + (offsets[document + 1] ?? 0) - (offsets[document] ?? 0)
  }, 0)
}

function scaleToUnit(row: Float32Array, squares: number): void {
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares)
  for (let i = 0; i < row.length; i++) row[i] = (row[i] ?? 0) * scale
}

/** The sampled documents as rows of length one, and the share of their words whose term is not among the chosen. */
function weightedRows(
  documents: readonly SparseDocuments[],
  sample: readonly DocumentPlace[],
  numbers: readonly Int32Array[],
  idf: Float32Array,
): { rows: SparseMatrix; unknownShare: number } {
  const entries = countEntries(documents, sample)
  const offsets = new Uint32Array(sample.length + 1)
  const indices = new Uint32Array(entries)
  const values = new Float32Array(entries)
  let end = 0
  let occurrences = 0
  let unknown = 0
  for (const [row, { set, document }] of sample.entries()) {
    const { offsets: ends, termIds, counts } = documents[set] ?? NONE // may be made anew for each set
    const known = numbers[set] ?? new Int32Array(0)
    const start = end
    let squares = 0
    for (let i = ends[document] ?? 0; i < (ends[document + 1] ?? 0); i++) {
      const id = termIds[i] ?? 0
      const number = known[id] ?? -1
      const count = counts[i] ?? 0
      occurrences += count
      if (number < 0) {
        unknown += count
        continue
      }
      const value = Math.log(1 + count) * (idf[number] ?? 0)
      indices[end] = number
      values[end++] = value
      squares += value * value
    }
    scaleToUnit(values.subarray(start, end), squares)
    offsets[row + 1] = end
  }
  const rows = {
    rows: sample.length,
    columns: idf.length,
    offsets,
    indices: indices.subarray(0, end),
    values: values.subarray(0, end),
  }
  return { rows, unknownShare: occurrences === 0 ? 0 : unknown / occurrences }
}

/**
 * Learns a space of latent topics from term counts: log(1 + count) × idf, rows of length one, the largest singular
 * vectors of a sample of the documents. Terms of one sampled document tell nothing about others, and terms of more than
 * half of them nothing at all: both are left out. The same documents give the same fit, bit for bit. About 0.7 s on one
 * core for 4,000 sampled chunks of code and 20,000 terms; bound by the processor.
 *
 * @param documents - One or more sets, as an index keeps them: their terms are brought together by name. Looked at one
 * after the other, three times.
 * @returns null when the documents share too few terms to learn anything from.
 */
export function fitLsa(
  documents: readonly SparseDocuments[],
  { dimensions = 128, maxTerms = 20_000, maxSample = 4_000, powerIterations = 1, seed = 1, isGone }: FitOptions = {},
): LsaFit | null {
  const { sample, total } = sampleDocuments(documents, { size: maxSample, seed, isGone })
  const { terms, frequencies, numbers } = chooseTerms(documents, sample, maxTerms)
  const idf = Float32Array.from(frequencies, frequency => Math.log(sample.length / frequency))
  const { rows, unknownShare } = weightedRows(documents, sample, numbers, idf)
  const { rank, right } = randomizedSvd(rows, { rank: dimensions, powerIterations, seed })
  if (rank === 0) return null
  return withId({ dimensions: rank, terms, idf, matrix: right, documentCount: total, unknownShare })
}

interface Vocabulary {
  terms: Map<string, number>
  /** Sampled documents that hold the term. */
  frequencies: number[]
  /** By set of documents, by its own term ids: the term's number, or −1. */
  numbers: Int32Array[]
}
