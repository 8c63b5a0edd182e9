import { countChunk, type CountedTerms } from './chunk-terms.ts'
import { TermCounter } from './term-counter.ts'
import { allocateSegment, MAX_CHUNKS, MAX_COUNT, type SegmentViews } from './lexical-format.ts'
import type { LexicalSegment, TermRows } from './lexical-segment.ts'
import { orderOfTerms } from './term-order.ts'

const MAX_ID = 0xffff_ffff
/**
 * More is not collected at once: 40 MB of postings, or 100 bytes for each of so many different terms. Of common code,
 * 65,536 chunks stay below.
 */
const MAX_POSTINGS = 1 << 23
const MAX_TERMS = 1 << 19

/** A chunk to index. Ids are of the catalogue, whole numbers below 2³². */
export interface LexicalChunk {
  chunkId: number
  fileId: number
  path: string
  text: string
}

/** A chunk without its text. */
export type ChunkPlace = Pick<LexicalChunk, 'chunkId' | 'fileId'>

/** A chunk whose terms lie from `start` to `end` in the writer's columns. */
interface Row {
  chunkId: number
  fileId: number
  start: number
  end: number
  length: number
}

function copied<T extends Uint8Array | Uint32Array>(into: T, values: T): T {
  into.set(values)
  return into
}

function requireId(id: number): void {
  if (!Number.isInteger(id) || id < 0 || id > MAX_ID) throw new RangeError(`${id} is no id for the text index.`)
}

/**
 * Collects the chunks of a new segment: from their texts, or from older segments that are merged. The same chunks give
 * the same bytes, whichever way and in whichever order they came. Memory: about 6 bytes a posting and 100 an
 * identifier, at most some 150 MB and what one chunk holds.
 */
export class LexicalSegmentWriter {
  readonly #counter = new TermCounter()
  readonly #rows: Row[] = []
  #termIds = new Uint32Array(1 << 16)
  #counts = new Uint8Array(1 << 16)
  #size = 0
  #counted: { vocabulary: readonly string[]; numbers: Int32Array } = { vocabulary: [], numbers: new Int32Array(0) }
  readonly #maxTerms: number

  constructor({ maxTerms = MAX_TERMS }: { maxTerms?: number } = {}) {
    this.#maxTerms = maxTerms
  }

  /**
   * Whether it holds as many chunks or words as it should: begin another segment then. The chunks of a file may lie in
   * several.
   */
  get isFull(): boolean {
    return this.#rows.length >= MAX_CHUNKS || this.#size >= MAX_POSTINGS || this.#counter.terms.length >= this.#maxTerms
  }

  get chunkCount(): number {
    return this.#rows.length
  }

  /** About 30 MB of code a second. @throws {RangeError} When there is no place for another chunk. */
  add({ chunkId, fileId, path, text }: LexicalChunk): void {
    this.#requirePlace(chunkId, fileId)
    countChunk(this.#counter, path, text)
    const start = this.#size
    let length = 0
    this.#counter.take((term, count) => {
      length += count
      this.#push(term, count)
    })
    this.#rows.push({ chunkId, fileId, start, end: this.#size, length })
  }

  /** Takes over chunk `i` of a file whose terms were counted elsewhere. Otherwise as `add`. */
  addCounted({ chunkId, fileId }: ChunkPlace, terms: CountedTerms, i: number): void {
    this.#requirePlace(chunkId, fileId)
    const { vocabulary, ends, lengths } = terms
    const numbers = this.#numbersIn(vocabulary)
    const span = { from: ends[i - 1] ?? 0, to: ends[i] ?? 0 }
    const row = this.#copy(terms, span, numbers, id => vocabulary[id] ?? '')
    this.#rows.push({ chunkId, fileId, ...row, length: lengths[i] ?? 0 })
  }

  /**
   * Takes over the chunks of a segment that are not gone, without their texts. @throws {RangeError} When the writer
   * becomes full.
   */
  addSegment(segment: LexicalSegment, isGone: (chunkId: number) => boolean): void {
    const { chunkIds, fileIds, fileOfChunk, lengths } = segment.views
    const terms = segment.chunkRows()
    const numbers = new Int32Array(segment.termCount).fill(-1)
    for (const [chunk, chunkId] of chunkIds.entries()) {
      if (isGone(chunkId)) continue
      const file = fileOfChunk[chunk] ?? 0
      const fileId = fileIds[file] ?? 0
      this.#requirePlace(chunkId, fileId)
      const span = { from: terms.offsets[chunk] ?? 0, to: terms.offsets[chunk + 1] ?? 0 }
      const row = this.#copy(terms, span, numbers, terms.termAt)
      this.#rows.push({ chunkId, fileId, ...row, length: lengths[chunk] ?? 0 })
    }
  }

  /**
   * The segment, to be stored as it is. The writer can go on being filled. @throws {RangeError} When a chunk was added
   * twice.
   */
  toBytes(): Uint8Array {
    const rows = this.#rows.toSorted((a, b) => a.chunkId - b.chunkId)
    const twice = rows.find(({ chunkId }, i) => i > 0 && chunkId === rows[i - 1]?.chunkId)
    if (twice !== undefined) throw new RangeError(`Chunk ${twice.chunkId} was added to the text index twice.`)
    const files = [...new Set(rows.map(({ fileId }) => fileId))].sort((a, b) => a - b)
    const fileNumbers = new Map(files.map((fileId, i) => [fileId, i]))

    const { terms } = this.#counter
    const { order, hashes } = orderOfTerms(terms)
    const text = Array.from(order, term => terms[term] ?? '')
    const vocabulary = Buffer.from(text.join(''))
    const { bytes, views } = allocateSegment({
      chunks: rows.length,
      files: files.length,
      terms: terms.length,
      postings: this.#size,
      vocabularyBytes: vocabulary.length,
    })
    views.chunkIds.set(rows.map(({ chunkId }) => chunkId))
    views.fileIds.set(files)
    views.fileOfChunk.set(rows.map(({ fileId }) => fileNumbers.get(fileId) ?? 0))
    views.termHashes.set(order.map(term => hashes[term] ?? 0))
    views.vocabulary.set(vocabulary)
    let end = 0
    for (const [i, term] of text.entries()) views.termStarts[i + 1] = end += Buffer.byteLength(term)
    views.lengths.set(rows.map(({ length }) => length))
    this.#writePostings(views, rows, order)
    return bytes
  }

  #writePostings(views: SegmentViews, rows: Row[], order: Uint32Array): void {
    const { postingStarts, chunks, counts } = views
    const frequencies = new Uint32Array(order.length)
    for (let i = 0; i < this.#size; i++) {
      const term = this.#termIds[i] ?? 0
      frequencies[term] = (frequencies[term] ?? 0) + 1
    }
    const free = new Uint32Array(order.length)
    for (let i = 0, start = 0; i < order.length; i++) {
      const term = order[i] ?? 0
      free[term] = start
      start += frequencies[term] ?? 0
      postingStarts[i + 1] = start
    }
    for (const [chunk, { start, end }] of rows.entries()) {
      for (let i = start; i < end; i++) {
        const term = this.#termIds[i] ?? 0
        const at = free[term] ?? 0
        free[term] = at + 1
        chunks[at] = chunk
        counts[at] = this.#counts[i] ?? 0
      }
    }
  }

  #requirePlace(chunkId: number, fileId: number): void {
    requireId(chunkId)
    requireId(fileId)
    if (this.#rows.length >= MAX_CHUNKS) {
      throw new RangeError(`A segment of the text index holds at most ${MAX_CHUNKS} chunks.`)
    }
  }

  /** @param numbers - Of those terms in this writer, −1 for those not met so far. */
  #copy(
    { termIds, counts }: Pick<TermRows, 'termIds' | 'counts'>,
    { from, to }: { from: number; to: number },
    numbers: Int32Array,
    termAt: (id: number) => string,
  ): { start: number; end: number } {
    const start = this.#size
    for (let i = from; i < to; i++) {
      const id = termIds[i] ?? 0
      let term = numbers[id] ?? -1
      if (term < 0) numbers[id] = term = this.#counter.numberOf(termAt(id))
      this.#push(term, counts[i] ?? 0)
    }
    return { start, end: this.#size }
  }

  /** The numbers of a vocabulary's terms in this writer, −1 for those not met so far. */
  #numbersIn(vocabulary: readonly string[]): Int32Array {
    if (this.#counted.vocabulary !== vocabulary) this.#counted = { vocabulary, numbers: new Int32Array(0) }
    const { numbers } = this.#counted
    if (numbers.length >= vocabulary.length) return numbers
    const longer = new Int32Array(vocabulary.length * 2).fill(-1)
    longer.set(numbers)
    this.#counted = { vocabulary, numbers: longer }
    return longer
  }

  #push(term: number, count: number): void {
    if (this.#size === this.#termIds.length) {
      this.#termIds = copied(new Uint32Array(this.#size * 2), this.#termIds)
      this.#counts = copied(new Uint8Array(this.#size * 2), this.#counts)
    }
    this.#termIds[this.#size] = term
    this.#counts[this.#size++] = Math.min(count, MAX_COUNT)
  }
}
