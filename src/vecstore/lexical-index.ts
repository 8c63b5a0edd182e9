import { bestScores } from './best-scores.ts'
import type { LexicalSegment } from './lexical-segment.ts'

const K1 = 1.2
const B = 0.75
/** Terms whose places are remembered; then it begins anew. Queries repeat the names of their code. */
const MAX_REMEMBERED = 8_192

/** Term → weight; terms as `core/tokenize.ts` makes them. Those whose weight is not above zero are left out. */
export type TermQuery = ReadonlyMap<string, number>
export interface ChunkMatch { chunkId: number, fileId: number, score: number }
export interface FileMatch { fileId: number, score: number }

/** One segment within the index. */
interface Part {
  segment: LexicalSegment
  hasGone: boolean
  /** What a document's length adds to a count in BM25; infinite for a chunk that is gone, whose every score is so 0. */
  norms: Float64Array
  /** Of all chunks' scores, those of this segment. */
  scores: Float64Array
  /** The place of each chunk's file among all files; that after the last for chunks that are gone. */
  fileOfChunk: Uint32Array
  /** The same for the paths; each file counts in one segment only. */
  fileOfPath: Uint32Array
}

/** Where a term stands: its number in each part (−1: not there) and in how many live chunks it is. */
interface Term { ids: Int32Array, chunks: number }

/** All statistics are of the chunks that are not gone: an index answers alike (to the last bit) whether its chunks lie in one segment or in many. */
export interface LexicalIndex {
  readonly chunkCount: number
  readonly fileCount: number
  /** Chunks that hold the term. */
  documentFrequency (term: string): number
  /** BM25 over chunks. At most `k` that hold a term of the query, best first, ties by chunk id. */
  searchChunks (query: TermQuery, k: number): ChunkMatch[]
  /** BM25 over files: a file's terms are those of its chunks, and those of its path once. Best first, ties by file id. */
  searchFiles (query: TermQuery, k: number): FileMatch[]
}

/**
 * Searches segments together; synchronous. One index must not be used by two callers at a time (it has scratch memory), which one thread cannot do.
 * @param isGone - Whether a chunk was replaced or removed since; asked once for each chunk.
 */
export function createLexicalIndex (segments: readonly LexicalSegment[], isGone: (chunkId: number) => boolean): LexicalIndex {
  return new SegmentedIndex(segments, isGone)
}

class SegmentedIndex implements LexicalIndex {
  readonly chunkCount: number
  readonly fileCount: number
  readonly #parts: Part[] = []
  readonly #terms = new Map<string, Term | null>()
  readonly #chunkIds: Uint32Array
  readonly #chunkFiles: Uint32Array
  readonly #chunkScores: Float64Array
  readonly #fileIds: Uint32Array
  readonly #fileNorms: Float64Array
  /** Live chunks of each file besides one: as often its path is counted too much. */
  readonly #surplusPaths: Uint32Array
  readonly #fileCounts: Float64Array
  readonly #fileScores: Float64Array

  constructor (segments: readonly LexicalSegment[], isGone: (chunkId: number) => boolean) {
    const live = segments.map(({ views }) => Uint8Array.from(views.chunkIds, id => isGone(id) ? 0 : 1))
    const total = segments.reduce((sum, { chunkCount }) => sum + chunkCount, 0)
    this.#chunkIds = new Uint32Array(total)
    this.#chunkFiles = new Uint32Array(total)
    this.#chunkScores = new Float64Array(total)
    const places = placesOfFiles(segments, live)
    this.#fileIds = Uint32Array.from(places.keys())
    this.fileCount = places.size
    this.#fileCounts = new Float64Array(this.fileCount + 1)
    this.#fileScores = new Float64Array(this.fileCount)
    const liveChunks = new Uint32Array(this.fileCount + 1)
    const fileLengths = new Float64Array(this.fileCount + 1)
    const pathLengths = new Float64Array(this.fileCount + 1)

    let base = 0
    let liveTotal = 0
    let lengthTotal = 0
    for (const [s, segment] of segments.entries()) {
      const { views, chunkCount } = segment
      const fileOfChunk = new Uint32Array(chunkCount).fill(this.fileCount)
      const fileOfPath = new Uint32Array(segment.fileCount).fill(this.fileCount)
      let liveHere = 0
      for (let i = 0; i < chunkCount; i++) {
        this.#chunkIds[base + i] = views.chunkIds[i] ?? 0
        const file = views.fileOfChunk[i] ?? 0
        const fileId = views.fileIds[file] ?? 0
        this.#chunkFiles[base + i] = fileId
        if (live[s]?.[i] === 0) continue
        const place = places.get(fileId) ?? 0
        fileOfChunk[i] = place
        const length = views.lengths[i] ?? 0
        if (liveChunks[place] === 0) {
          fileOfPath[file] = place
          pathLengths[place] = views.lengths[chunkCount + file] ?? 0
        }
        liveChunks[place] = (liveChunks[place] ?? 0) + 1
        fileLengths[place] = (fileLengths[place] ?? 0) + length
        lengthTotal += length
        liveHere++
      }
      liveTotal += liveHere
      this.#parts.push({
        segment, fileOfChunk, fileOfPath, hasGone: liveHere < chunkCount, norms: new Float64Array(chunkCount), scores: this.#chunkScores.subarray(base, base + chunkCount),
      })
      base += chunkCount
    }
    this.chunkCount = liveTotal
    this.#setChunkNorms(live, lengthTotal / Math.max(1, liveTotal))
    this.#surplusPaths = liveChunks.map(count => Math.max(0, count - 1))
    this.#fileNorms = normsOf(fileLengths.subarray(0, this.fileCount).map((length, file) => length - (this.#surplusPaths[file] ?? 0) * (pathLengths[file] ?? 0)))
  }

  documentFrequency (term: string): number {
    return this.#term(term)?.chunks ?? 0
  }

  searchChunks (query: TermQuery, k: number): ChunkMatch[] {
    const scores = this.#chunkScores.fill(0)
    for (const [text, weight] of query) {
      const term = this.#term(text)
      if (term === null || !(weight > 0)) continue
      const factor = weight * inverseFrequency(term.chunks, this.chunkCount) * (K1 + 1)
      for (const [p, part] of this.#parts.entries()) {
        const id = term.ids[p] ?? -1
        if (id >= 0) addChunkScores(part, id, factor)
      }
    }
    return bestScores(scores, this.#chunkIds, k).map(i => ({ chunkId: this.#chunkIds[i] ?? 0, fileId: this.#chunkFiles[i] ?? 0, score: scores[i] ?? 0 }))
  }

  searchFiles (query: TermQuery, k: number): FileMatch[] {
    const scores = this.#fileScores.fill(0)
    for (const [text, weight] of query) {
      const term = this.#term(text)
      if (term === null || !(weight > 0)) continue
      this.#addFileScores(term, weight)
    }
    return bestScores(scores, this.#fileIds, k).map(i => ({ fileId: this.#fileIds[i] ?? 0, score: scores[i] ?? 0 }))
  }

  #addFileScores (term: Term, weight: number): void {
    const counts = this.#fileCounts.fill(0)
    for (const [p, part] of this.#parts.entries()) {
      const id = term.ids[p] ?? -1
      if (id >= 0) addFileCounts(part, id, counts, this.#surplusPaths)
    }
    let files = 0
    for (let file = 0; file < this.fileCount; file++) if ((counts[file] ?? 0) > 0) files++
    const factor = weight * inverseFrequency(files, this.fileCount) * (K1 + 1)
    const scores = this.#fileScores
    const norms = this.#fileNorms
    for (let file = 0; file < this.fileCount; file++) {
      const count = counts[file] ?? 0
      if (count > 0) scores[file] = (scores[file] ?? 0) + factor * count / (count + (norms[file] ?? 0))
    }
  }

  /** Null when no live chunk holds it. */
  #term (text: string): Term | null {
    const known = this.#terms.get(text)
    if (known !== undefined) return known
    if (this.#terms.size >= MAX_REMEMBERED) this.#terms.clear()
    const ids = Int32Array.from(this.#parts, ({ segment }) => segment.idOf(text))
    let chunks = 0
    for (const [p, part] of this.#parts.entries()) {
      const id = ids[p] ?? -1
      if (id >= 0) chunks += countLive(part, id)
    }
    const term = chunks === 0 ? null : { ids, chunks }
    this.#terms.set(text, term)
    return term
  }

  #setChunkNorms (live: Uint8Array[], average: number): void {
    for (const [p, { segment, norms }] of this.#parts.entries()) {
      const { lengths } = segment.views
      for (let i = 0; i < norms.length; i++) norms[i] = live[p]?.[i] === 0 ? Infinity : norm(lengths[i] ?? 0, average)
    }
  }
}

/** File id → place, by ascending id, for the files that have a live chunk. */
function placesOfFiles (segments: readonly LexicalSegment[], live: Uint8Array[]): Map<number, number> {
  const ids = new Set<number>()
  for (const [s, { views }] of segments.entries()) {
    views.fileOfChunk.forEach((file, i) => { if (live[s]?.[i] === 1) ids.add(views.fileIds[file] ?? 0) })
  }
  return new Map([...ids].sort((a, b) => a - b).map((id, place) => [id, place]))
}

function addChunkScores ({ segment, norms, scores }: Part, id: number, factor: number): void {
  const { documents, counts } = segment.views
  const { start, chunksEnd } = segment.postingsOf(id)
  for (let i = start; i < chunksEnd; i++) {
    const document = documents[i] ?? 0
    const count = counts[i] ?? 0
    scores[document] = (scores[document] ?? 0) + factor * count / (count + (norms[document] ?? 0))
  }
}

function addFileCounts ({ segment, fileOfChunk, fileOfPath }: Part, id: number, fileCounts: Float64Array, surplusPaths: Uint32Array): void {
  const { documents, counts } = segment.views
  const { start, chunksEnd, end } = segment.postingsOf(id)
  for (let i = start; i < chunksEnd; i++) {
    const file = fileOfChunk[documents[i] ?? 0] ?? 0
    fileCounts[file] = (fileCounts[file] ?? 0) + (counts[i] ?? 0)
  }
  for (let i = chunksEnd; i < end; i++) {
    const file = fileOfPath[(documents[i] ?? 0) - segment.chunkCount] ?? 0
    fileCounts[file] = (fileCounts[file] ?? 0) - (surplusPaths[file] ?? 0) * (counts[i] ?? 0)
  }
}

function countLive ({ segment, hasGone, norms }: Part, id: number): number {
  const { start, chunksEnd } = segment.postingsOf(id)
  if (!hasGone) return chunksEnd - start
  const { documents } = segment.views
  let live = 0
  for (let i = start; i < chunksEnd; i++) if (norms[documents[i] ?? 0] !== Infinity) live++
  return live
}

function normsOf (lengths: Float64Array): Float64Array {
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  return lengths.map(length => norm(length, average))
}

const norm = (length: number, average: number): number => K1 * (1 - B + B * length / Math.max(1, average))
const inverseFrequency = (frequency: number, total: number): number => Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
