import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { LexicalSegment } from './lexical-segment.ts'
import type { GenerationPaths } from '../format/layout.ts'
import type { SegmentRecord } from '../format/stored-manifest.ts'
import { threadCaches, type CacheBudget } from '../../core/cache-budget.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'

/** Where `chunkIds` begins in a file: see `lexical-format.ts`. */
const CHUNK_IDS_AT = 32

/**
 * Keeps segments open from one generation to the next: most of their files are the same, and reading one costs about 5
 * ms a megabyte. Those that are still in use elsewhere in the thread are shared, whatever their size.
 */
export class SegmentMemory {
  readonly #segments: RecentlyUsed<string, LexicalSegment>

  readonly #inUse = new Map<string, WeakRef<LexicalSegment>>()

  /** @param budget - For segments that are kept although nobody uses them. */
  constructor(budget: CacheBudget = threadCaches) {
    this.#segments = new RecentlyUsed(budget, ({ views }) => views.chunkIds.buffer.byteLength)
  }

  open(paths: GenerationPaths, { number, lexical: { sha256 } }: SegmentRecord): LexicalSegment {
    return this.#segments.get(
      sha256,
      () => this.#inUse.get(sha256)?.deref() ?? this.#read(paths.lexical(number), sha256),
    )
  }

  /** Keeps a segment that was just written: its bytes need not be read again. */
  remember({ lexical: { sha256 } }: SegmentRecord, segment: LexicalSegment): void {
    this.#segments.set(sha256, segment)
  }

  #read(path: string, sha256: string): LexicalSegment {
    for (const [key, segment] of this.#inUse) if (segment.deref() === undefined) this.#inUse.delete(key)
    const segment = new LexicalSegment(readFileSync(path))
    this.#inUse.set(sha256, new WeakRef(segment))
    return segment
  }
}

/** The ids of a whole segment's chunks, ascending, which are read alone. */
export function readChunkIds(paths: GenerationPaths, { number, chunks }: SegmentRecord): Uint32Array {
  const ids = new Uint32Array(chunks)
  const file = openSync(paths.lexical(number), 'r')
  try {
    if (readSync(file, ids, 0, ids.byteLength, CHUNK_IDS_AT) !== ids.byteLength) {
      throw new RangeError(`Segment ${number} of the text index is cut off.`)
    }
  } finally {
    closeSync(file)
  }
  return ids
}
