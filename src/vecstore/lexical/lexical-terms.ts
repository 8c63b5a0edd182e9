import type { Documents, SegmentPart } from './lexical-documents.ts'

/**
 * Terms that are remembered, and the bytes of what is remembered of them; then it begins anew. Queries repeat the names
 * of their code.
 */
const MAX_TERMS = 32_768
const MAX_BYTES = 1 << 24
/** What one term takes beside its counts, in bytes. */
const TERM_BYTES = 200
/** Words of a page that many terms share: most stand in a few files, and an array of their own is ten times that. */
const PAGE_WORDS = 32_768

/** The counts of a frequent term by place, for looking at single chunks. */
export interface DenseCounts {
  counts: Uint8Array
  /** The largest share of the term's weight that a chunk gets. */
  maxShare: number
}

/** The files that hold a term, each as its place and how often it does: pairs of words, one after the other. */
export interface FileCounts {
  readonly words: Uint32Array
  /** The place of the first pair in `words`. */
  readonly start: number
  /** The place after the last pair. */
  readonly end: number
}

/** Where a term stands: its number in each part (−1: not there) and in how many live chunks it is. */
export interface Term {
  readonly text: string
  readonly ids: readonly number[]
  readonly chunks: number
  dense: DenseCounts | null
  files: FileCounts | null
}

function countLive({ segment, hasGone, norms }: SegmentPart, id: number): number {
  if (id < 0) return 0
  const { chunks, postingStarts } = segment.views
  const start = postingStarts[id] ?? 0
  const end = postingStarts[id + 1] ?? 0
  if (!hasGone) return end - start
  let live = 0
  for (let i = start; i < end; i++) if (norms[chunks[i] ?? 0] !== Infinity) live++
  return live
}

function addFileCounts({ segment, fileOfChunk }: SegmentPart, id: number, sums: Float64Array): void {
  if (id < 0) return
  const { chunks, counts, postingStarts } = segment.views
  const end = postingStarts[id + 1] ?? 0
  for (let i = postingStarts[id] ?? 0; i < end; i++) {
    const chunk = chunks[i] ?? 0
    const file = fileOfChunk[chunk] ?? 0
    sums[file] = (sums[file] ?? 0) + (counts[i] ?? 0)
  }
}

/** Looks terms up, and remembers what it found. */
export class LexicalTerms {
  readonly #documents: Documents
  readonly #known = new Map<string, Term | null>()
  #bytes = 0
  readonly #fileCounts: Float64Array
  /** Where the next counts go, and how much of it is taken. */
  #page = { words: new Uint32Array(0), taken: 0 }

  constructor(documents: Documents) {
    this.#documents = documents
    this.#fileCounts = new Float64Array(documents.fileIds.length + 1)
  }

  /** Null when no live chunk holds it. */
  find(text: string): Term | null {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size >= MAX_TERMS || this.#bytes > MAX_BYTES) {
      this.#known.clear()
      this.#page = { words: new Uint32Array(0), taken: 0 }
      this.#bytes = 0
    }
    const { parts } = this.#documents
    const ids = parts.map(({ segment }) => segment.idOf(text))
    let chunks = 0
    for (const [p, part] of parts.entries()) chunks += countLive(part, ids[p] ?? -1)
    const term = chunks === 0 ? null : { text, ids, chunks, dense: null, files: null }
    this.#known.set(text, term)
    this.#bytes += TERM_BYTES
    return term
  }

  denseCounts(term: Term): DenseCounts {
    if (term.dense !== null) return term.dense
    const counts = new Uint8Array(this.#documents.chunkIds.length)
    let maxShare = 0
    for (const [p, part] of this.#documents.parts.entries()) {
      const id = term.ids[p] ?? -1
      if (id < 0) continue
      const { views } = part.segment
      const end = views.postingStarts[id + 1] ?? 0
      for (let i = views.postingStarts[id] ?? 0; i < end; i++) {
        const chunk = views.chunks[i] ?? 0
        const count = views.counts[i] ?? 0
        counts[part.base + chunk] = count
        maxShare = Math.max(maxShare, count / (count + (part.norms[chunk] ?? 0)))
      }
    }
    this.#bytes += counts.byteLength
    term.dense = { counts, maxShare }
    return term.dense
  }

  /** A file's counts are the sums of its chunks'. */
  fileCounts(term: Term): FileCounts {
    if (term.files !== null) return term.files
    const { parts, fileIds } = this.#documents
    const sums = this.#fileCounts.fill(0)
    for (const [p, part] of parts.entries()) addFileCounts(part, term.ids[p] ?? -1, sums)
    let size = 0
    for (let file = 0; file < fileIds.length; file++) if ((sums[file] ?? 0) > 0) size++
    term.files = this.#take(2 * size)
    const { words, start } = term.files
    for (let file = 0, i = start; file < fileIds.length; file++) {
      const count = sums[file] ?? 0
      if (count <= 0) continue
      words[i++] = file
      words[i++] = count
    }
    return term.files
  }

  /** Room for so many words; what does not fit a page has one of its own. */
  #take(size: number): FileCounts {
    if (size > PAGE_WORDS) {
      this.#bytes += size * Uint32Array.BYTES_PER_ELEMENT
      return { words: new Uint32Array(size), start: 0, end: size }
    }
    if (this.#page.taken + size > this.#page.words.length) {
      this.#page = { words: new Uint32Array(PAGE_WORDS), taken: 0 }
      this.#bytes += this.#page.words.byteLength
    }
    const { words, taken: start } = this.#page
    this.#page.taken += size
    return { words, start, end: start + size }
  }
}
