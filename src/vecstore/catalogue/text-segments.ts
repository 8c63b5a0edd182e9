import { writeSynced } from '../format/durable-files.ts'
import type { GenerationPaths } from '../format/layout.ts'
import { LexicalSegment } from '../lexical/lexical-segment.ts'
import type { CountedTerms } from '../lexical/chunk-terms.ts'
import { LexicalSegmentWriter, type ChunkPlace, type LexicalChunk } from '../lexical/lexical-segment-writer.ts'
import type { SegmentRecord } from '../format/stored-manifest.ts'
import { readChunkIds, type SegmentMemory } from '../lexical/segment-memory.ts'

/** A search looks into each segment: above so many the small ones become one. */
const MAX_SEGMENTS = 8
/** Segments of which more chunks than this share are gone are written again without them, the small ones as one. */
const MAX_GONE_SHARE = 0.25
/**
 * Larger ones stay by themselves: documents of a segment are numbered in 16 bits, and all of it is in memory while it
 * is written.
 */
const MAX_MERGED_CHUNKS = 25_000
const MAX_MERGED_BYTES = 48 * 1_048_576

/**
 * A segment of a generation that is being built; its postings are read where they are needed, as those of all may be
 * the largest part of an index.
 */
export interface TextSegment {
  record: SegmentRecord
  chunkIds: Uint32Array
}

const hasLostMuch = ({ chunks, live }: Pick<SegmentSize, 'chunks' | 'live'>): boolean =>
  chunks - live > chunks * MAX_GONE_SHARE

interface SmallSegment extends SegmentSize {
  /** Its position in the list of all. */
  i: number
}

const chunksIn = (segments: readonly SegmentSize[]): number => segments.reduce((sum, { chunks }) => sum + chunks, 0)

const liveIn = (segments: readonly SegmentSize[]): number => segments.reduce((sum, { live }) => sum + live, 0)

/** Chooses the small segments that become one. @param small - Largest first. */
function chooseMerged(small: SmallSegment[]): SmallSegment[] {
  if (hasLostMuch({ chunks: chunksIn(small), live: liveIn(small) })) return small
  if (small.length <= MAX_SEGMENTS) return []
  const [largest, ...others] = small
  const most = largest?.chunks ?? 0
  return chunksIn(others) * 2 > most ? small : others
}

/**
 * Chooses the segments to write again, each group as one: all small ones where too many of their chunks are gone or
 * there are too many of about one size; the largest is left out while the others are but a fraction of it, so that
 * adding a commit at a time costs little on average. And by itself each that has lost too much and is in no group.
 */
export function chooseRewritten(segments: readonly SegmentSize[]): number[][] {
  const small = segments
    .map((size, i) => ({ ...size, i }))
    .filter(({ live, bytes }) => live <= MAX_MERGED_CHUNKS && bytes <= MAX_MERGED_BYTES)
    .sort((a, b) => b.chunks - a.chunks)
  const merged: number[] = []
  let live = 0
  let bytes = 0
  for (const segment of chooseMerged(small).toReversed()) {
    live += segment.live
    bytes += segment.bytes
    if (live <= MAX_MERGED_CHUNKS && bytes <= MAX_MERGED_BYTES) merged.push(segment.i)
  }
  const group = merged.length > 1 ? merged.sort((a, b) => a - b) : []
  const alone = segments.flatMap((size, i) => (hasLostMuch(size) && !group.includes(i) ? [[i]] : []))
  return group.length > 0 ? [group, ...alone] : alone
}

function countLive({ chunkIds }: TextSegment, isLive: (chunkId: number) => boolean): number {
  return chunkIds.reduce((count, id) => count + (isLive(id) ? 1 : 0), 0)
}

/**
 * Writes the text index of a new generation: one more segment for the new chunks, and now and then one in place of
 * many.
 */
export class TextSegments {
  readonly #paths: GenerationPaths
  #segments: TextSegment[] = []
  readonly #createWriter: () => LexicalSegmentWriter
  #writer: LexicalSegmentWriter
  readonly #opened: SegmentMemory
  #lastNumber = 0

  constructor(paths: GenerationPaths, opened: SegmentMemory, createWriter = () => new LexicalSegmentWriter()) {
    this.#paths = paths
    this.#opened = opened
    this.#createWriter = createWriter
    this.#writer = createWriter()
  }

  /** Takes over the segments of the generation before, whose files lie in the new folder already. */
  open(records: readonly SegmentRecord[]): void {
    for (const record of records) {
      this.#segments.push({ record, chunkIds: readChunkIds(this.#paths, record) })
      this.#lastNumber = Math.max(this.#lastNumber, record.number)
    }
  }

  async add(chunk: LexicalChunk): Promise<void> {
    if (this.#writer.isFull) await this.#flush()
    this.#writer.add(chunk)
  }

  /** The same for chunk `i` of a file whose terms were counted elsewhere. */
  async addCounted(chunk: ChunkPlace, terms: CountedTerms, i: number): Promise<void> {
    if (this.#writer.isFull) await this.#flush()
    this.#writer.addCounted(chunk, terms, i)
  }

  /**
   * Writes what was added, drops what is gone, and merges. @returns The segments of the new generation, each with a
   * chunk that is not gone.
   */
  async finish(isLive: (chunkId: number) => boolean): Promise<TextSegment[]> {
    await this.#flush()
    const counted = this.#segments.map(segment => ({
      segment,
      chunks: segment.chunkIds.length,
      live: countLive(segment, isLive),
      bytes: segment.record.lexical.bytes,
    }))
    const left = counted.filter(({ live }) => live > 0)
    const rewritten = chooseRewritten(left)
    const chosen = new Set(rewritten.flat())
    this.#segments = left.flatMap(({ segment }, i) => (chosen.has(i) ? [] : [segment]))
    for (const group of rewritten) {
      for (const i of group) {
        const source = left[i]?.segment
        if (source !== undefined) {
          this.#writer.addSegment(this.#opened.open(this.#paths, source.record), id => !isLive(id))
        }
      }
      await this.#flush()
    }
    return this.#segments
  }

  async #flush(): Promise<void> {
    const writer = this.#writer
    if (writer.chunkCount === 0) return
    this.#writer = this.#createWriter()
    const number = ++this.#lastNumber
    const bytes = writer.toBytes()
    const lexical = await writeSynced(this.#paths.lexical(number), bytes)
    const record = { number, chunks: writer.chunkCount, lexical, vectors: null }
    const segment = new LexicalSegment(bytes)
    this.#opened.remember(record, segment)
    this.#segments.push({ record, chunkIds: segment.views.chunkIds.slice() })
  }
}

interface SegmentSize {
  chunks: number
  live: number
  bytes: number
}
