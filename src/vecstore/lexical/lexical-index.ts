import { BestScores } from './best-scores.ts'
import { documentsOf, inverseFrequency, SATURATION, type Documents, type SegmentPart } from './lexical-documents.ts'
import type { LexicalSegment } from './lexical-segment.ts'
import { LexicalTerms, type Term } from './lexical-terms.ts'

/**
 * A term in more than this share of the chunks is looked up for those chunks alone that may still come among the best.
 */
const FREQUENT_SHARE = 2 / 5
/** With more chunks to look at than this share, going through the lists is as quick. */
const MAX_CANDIDATE_SHARE = 1 / 4
/** Below so many postings of frequent terms it is not worth the choosing. */
const MIN_FREQUENT_POSTINGS = 4_096
/** With fewer postings than this share of the chunks only those are looked at. */
const FEW_SHARE = 1 / 8
/** Sums of rounded numbers may differ from their bound by this much. */
const ROUNDING = 1e-9

/** Term → weight; terms as `core/tokenize.ts` makes them. Those whose weight is not above zero are left out. */
export type TermQuery = ReadonlyMap<string, number>

/** A chunk with its score. */
export interface ChunkMatch {
  chunkId: number
  fileId: number
  score: number
}

/** A file with its score. */
export interface FileMatch {
  fileId: number
  score: number
}

/**
 * All statistics are of the chunks that are not gone: an index answers alike, to the last bit, whether its chunks lie
 * in one segment or in many.
 */
export interface LexicalIndex {
  readonly chunkCount: number
  readonly fileCount: number
  /** Chunks that hold the term. */
  documentFrequency(term: string): number
  /** BM25 (k1 1.2, b 0.75) over chunks. At most `k` that hold a term of the query, best first, ties by chunk id. */
  searchChunks(query: TermQuery, k: number): ChunkMatch[]
  /** BM25 over files: a file's counts are the sums of its chunks'. At most `k`, best first, ties by file id. */
  searchFiles(query: TermQuery, k: number): FileMatch[]
}

/** Scores only chunks that hold a term. */
function searchFew(
  { parts, chunkIds, chunkFiles, fewScores: scores }: Documents,
  weighted: readonly WeightedTerm[],
  k: number,
): ChunkMatch[] {
  const seen: number[] = []
  for (const { term, factor } of weighted) {
    for (const [p, { segment, base, norms }] of parts.entries()) {
      const id = term.ids[p] ?? -1
      if (id < 0) continue
      const { chunks, counts, postingStarts } = segment.views
      const end = postingStarts[id + 1] ?? 0
      for (let i = postingStarts[id] ?? 0; i < end; i++) {
        const chunk = chunks[i] ?? 0
        const count = counts[i] ?? 0
        const place = base + chunk
        const before = scores[place] ?? 0
        if (before === 0) seen.push(place)
        scores[place] = before + (factor * count) / (count + (norms[chunk] ?? 0))
      }
    }
  }
  const best = new BestScores(scores, chunkIds, k)
  for (const place of seen) best.offer(place)
  const matches = [...best.take()].map(place => ({
    chunkId: chunkIds[place] ?? 0,
    fileId: chunkFiles[place] ?? 0,
    score: scores[place] ?? 0,
  }))
  for (const place of seen) scores[place] = 0
  return matches
}

/**
 * Rarest first, and so always in the same order: sums of the same numbers in another order differ in their last bits.
 */
function known(query: TermQuery, terms: LexicalTerms): Array<{ term: Term; weight: number }> {
  const found: Array<{ term: Term; weight: number }> = []
  for (const [text, weight] of query) {
    const term = weight > 0 ? terms.find(text) : null
    if (term !== null) found.push({ term, weight })
  }
  return found.sort((a, b) => a.term.chunks - b.term.chunks || (a.term.text < b.term.text ? -1 : 1))
}

function addListScores(
  { segment, normIds, scores }: SegmentPart,
  id: number,
  { factor, norms }: { factor: number; norms: Float64Array },
): void {
  const { chunks, counts, postingStarts } = segment.views
  const end = postingStarts[id + 1] ?? 0
  for (let i = postingStarts[id] ?? 0; i < end; i++) {
    const chunk = chunks[i] ?? 0
    const count = counts[i] ?? 0
    const norm = normIds[chunk] ?? 0
    scores[chunk] = (scores[chunk] ?? 0) + (factor * count) / (count + (norms[norm] ?? 0))
  }
}

function addScores({ parts, distinctNorms }: Documents, { term, factor }: WeightedTerm): void {
  for (let p = 0; p < parts.length; p++) {
    const part = parts[p]
    const id = term.ids[p] ?? -1
    if (part !== undefined && id >= 0) addListScores(part, id, { factor, norms: distinctNorms })
  }
}

/** A loop, as `Float64Array.from` takes twenty times as long. */
function valuesAt(places: Uint32Array, all: Float64Array): Float64Array {
  const values = new Float64Array(places.length)
  for (let i = 0; i < places.length; i++) {
    const place = places[i] ?? 0
    values[i] = all[place] ?? 0
  }
  return values
}

/** @param scores - Of `places[i]` at `i`. */
function addScoresAt(
  places: Uint32Array,
  scores: Float64Array,
  counts: Uint8Array,
  { norms, factor }: { norms: Float64Array; factor: number },
): void {
  for (let i = 0; i < places.length; i++) {
    const place = places[i] ?? 0
    const count = counts[place] ?? 0
    scores[i] = (scores[i] ?? 0) + (factor * count) / (count + (norms[place] ?? 0))
  }
}

/** Null when they are more than `most`. */
function placesAbove(scores: Float64Array, least: number, most: number): Uint32Array | null {
  const places = new Uint32Array(most)
  let size = 0
  for (let place = 0; place < scores.length; place++) {
    if ((scores[place] ?? 0) < least) continue
    if (size === most) return null
    places[size++] = place
  }
  return places.subarray(0, size)
}

/**
 * With the scores of the rare terms given: the chunks that can still come among the best `k` by the frequent ones,
 * which add at most the sum of their largest shares. The rest cannot reach what `k` chunks have for certain, so leaving
 * them out changes nothing.
 * @returns null when there are too many of them to be looked at one by one.
 */
function choose(
  { scores, chunkIds, norms }: Documents,
  terms: LexicalTerms,
  frequent: WeightedTerm[],
  k: number,
): Uint32Array | null {
  if (frequent.reduce((sum, { term }) => sum + term.chunks, 0) < MIN_FREQUENT_POSTINGS) return null
  const first = new BestScores(scores, chunkIds, k).offerAll()
  if (!first.isFull) return null
  const places = first.take()
  const certain = valuesAt(places, scores)
  let gain = 0
  for (const { term, factor } of frequent) {
    const { counts, maxShare } = terms.denseCounts(term)
    addScoresAt(places, certain, counts, { norms, factor })
    gain += factor * maxShare
  }
  const reached = certain.reduce((least, score) => Math.min(least, score), Infinity)
  const needed = reached - gain - (reached + gain) * ROUNDING
  return needed > 0 ? placesAbove(scores, needed, Math.floor(scores.length * MAX_CANDIDATE_SHARE)) : null
}

function searchChunks(documents: Documents, terms: LexicalTerms, query: TermQuery, k: number): ChunkMatch[] {
  const { chunkIds, chunkFiles, liveChunks, norms } = documents
  const weighted = known(query, terms).map(({ term, weight }) => ({
    term,
    factor: weight * inverseFrequency(term.chunks, liveChunks) * SATURATION,
  }))
  if (weighted.reduce((sum, { term }) => sum + term.chunks, 0) < liveChunks * FEW_SHARE) {
    return searchFew(documents, weighted, k)
  }
  const scores = documents.scores.fill(0)
  const rare = weighted.filter(({ term }) => term.chunks <= liveChunks * FREQUENT_SHARE)
  const frequent = weighted.slice(rare.length)
  for (const term of rare) addScores(documents, term)
  const best = new BestScores(scores, chunkIds, k)
  const candidates = choose(documents, terms, frequent, k)
  if (candidates === null) {
    for (const term of frequent) addScores(documents, term)
    best.offerAll()
  } else {
    const whole = valuesAt(candidates, scores)
    for (const { term, factor } of frequent) {
      addScoresAt(candidates, whole, terms.denseCounts(term).counts, { norms, factor })
    }
    for (let i = 0; i < candidates.length; i++) scores[candidates[i] ?? 0] = whole[i] ?? 0
    for (const place of candidates) best.offer(place)
  }
  return [...best.take()].map(place => ({
    chunkId: chunkIds[place] ?? 0,
    fileId: chunkFiles[place] ?? 0,
    score: scores[place] ?? 0,
  }))
}

function searchFiles(documents: Documents, terms: LexicalTerms, query: TermQuery, k: number): FileMatch[] {
  const { fileIds, fileNorms } = documents
  const scores = new Float64Array(fileIds.length)
  for (const { term, weight } of known(query, terms)) {
    const { words, start, end } = terms.fileCounts(term)
    const factor = weight * inverseFrequency((end - start) / 2, fileIds.length) * SATURATION
    for (let i = start; i < end; i += 2) {
      const file = words[i] ?? 0
      const count = words[i + 1] ?? 0
      scores[file] = (scores[file] ?? 0) + (factor * count) / (count + (fileNorms[file] ?? 0))
    }
  }
  return [...new BestScores(scores, fileIds, k).offerAll().take()].map(place => ({
    fileId: fileIds[place] ?? 0,
    score: scores[place] ?? 0,
  }))
}

/**
 * Searches segments together. Synchronous; a query of 40 terms takes about 0.2 ms with 16,000 chunks
 * (bench/lexical.bench.ts).
 * @param isGone - Whether a chunk was replaced or removed since; asked once for each chunk.
 */
export function createLexicalIndex(
  segments: readonly LexicalSegment[],
  isGone: (chunkId: number) => boolean,
): LexicalIndex {
  const documents = documentsOf(segments, isGone)
  const terms = new LexicalTerms(documents)
  return {
    chunkCount: documents.liveChunks,
    fileCount: documents.fileIds.length,
    documentFrequency: term => terms.find(term)?.chunks ?? 0,
    searchChunks: (query, k) => searchChunks(documents, terms, query, k),
    searchFiles: (query, k) => searchFiles(documents, terms, query, k),
  }
}

interface WeightedTerm {
  term: Term
  factor: number
}
