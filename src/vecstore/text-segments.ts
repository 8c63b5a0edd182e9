import { writeSynced } from './disk.ts'
import type { GenerationPaths } from './layout.ts'
import { LexicalSegment } from './lexical-segment.ts'
import { LexicalSegmentWriter, type LexicalChunk } from './lexical-segment-writer.ts'
import type { SegmentRecord } from './manifest.ts'
import type { SegmentMemory } from './segment-memory.ts'

/** A search looks into each segment: above so many the small ones become one. */
const MAX_SEGMENTS = 8
/** Segments of which more chunks than this share are gone become one without them. */
const MAX_GONE_SHARE = 0.25
/** A larger one stays by itself: documents of a segment are numbered in 16 bits. */
const MAX_MERGED_CHUNKS = 25_000

/** A segment of a generation that is being built. */
export interface TextSegment { record: SegmentRecord, lexical: LexicalSegment }

/** Writes the text index of a new generation: one more segment for the new chunks, and now and then one in place of many. */
export class TextSegments {
  readonly #paths: GenerationPaths
  #segments: TextSegment[] = []
  #writer = new LexicalSegmentWriter()
  #lastNumber = 0

  constructor (paths: GenerationPaths) {
    this.#paths = paths
  }

  /** Takes over the segments of the generation before, whose files lie in the new folder already. */
  open (records: readonly SegmentRecord[], opened: SegmentMemory): void {
    for (const record of records) {
      this.#segments.push({ record, lexical: opened.open(this.#paths, record) })
      this.#lastNumber = Math.max(this.#lastNumber, record.number)
    }
  }

  async add (chunk: LexicalChunk): Promise<void> {
    if (this.#writer.isFull) await this.#flush()
    this.#writer.add(chunk)
  }

  /** Writes what was added, and merges. @returns The segments of the new generation. */
  async finish (isLive: (chunkId: number) => boolean): Promise<TextSegment[]> {
    await this.#flush()
    const merged = chooseMerged(this.#segments.map(({ lexical }) => ({ chunks: lexical.chunkCount, live: countLive(lexical, isLive) })))
    const sources = this.#segments.filter((_, i) => merged.has(i))
    if (sources.length > 0) {
      this.#segments = this.#segments.filter((_, i) => !merged.has(i))
      for (const { lexical } of sources) this.#writer.addSegment(lexical, id => !isLive(id))
      await this.#flush()
    }
    return this.#segments
  }

  async #flush (): Promise<void> {
    const writer = this.#writer
    if (writer.chunkCount === 0) return
    this.#writer = new LexicalSegmentWriter()
    const number = ++this.#lastNumber
    const bytes = writer.toBytes()
    const lexical = await writeSynced(this.#paths.lexical(number), bytes)
    this.#segments.push({ record: { number, chunks: writer.chunkCount, lexical, vectors: null }, lexical: new LexicalSegment(bytes) })
  }
}

/**
 * Which segments to put into one: all small ones where too many of their chunks are gone or there are too many of about one size; the largest is
 * left out while the others are but a fraction of it, so that adding a commit at a time costs little on average.
 */
export function chooseMerged (segments: ReadonlyArray<{ chunks: number, live: number }>): Set<number> {
  const small = segments.map(({ chunks, live }, i) => ({ i, chunks, live })).filter(({ live }) => live <= MAX_MERGED_CHUNKS).sort((a, b) => b.chunks - a.chunks)
  const sum = (of: typeof small, key: 'chunks' | 'live') => of.reduce((total, segment) => total + segment[key], 0)
  const chosen = sum(small, 'chunks') - sum(small, 'live') > sum(small, 'chunks') * MAX_GONE_SHARE
    ? small
    : small.length <= MAX_SEGMENTS ? [] : sum(small.slice(1), 'chunks') * 2 > (small[0]?.chunks ?? 0) ? small : small.slice(1)
  const merged = new Set<number>()
  let total = 0
  for (const { i, live } of chosen.toReversed()) {
    total += live
    if (total <= MAX_MERGED_CHUNKS) merged.add(i)
  }
  return merged
}

function countLive ({ views }: LexicalSegment, isLive: (chunkId: number) => boolean): number {
  return views.chunkIds.reduce((count, id) => count + (isLive(id) ? 1 : 0), 0)
}
