import { readFileSync } from 'node:fs'
import { LexicalSegment } from './lexical-segment.ts'
import type { GenerationPaths } from './layout.ts'
import type { SegmentRecord } from './manifest.ts'
import { RecentlyUsed } from '../core/recently-used.ts'

/** Those of some projects of common size. */
const MAX_BYTES = 48 * 1_048_576

/** Keeps segments open from one generation to the next: most of their files are the same, and reading one costs about 5 ms a megabyte. */
export class SegmentMemory {
  readonly #segments = new RecentlyUsed<string, LexicalSegment>(MAX_BYTES, ({ views }) => views.chunkIds.buffer.byteLength)

  open (paths: GenerationPaths, { number, lexical: { sha256 } }: SegmentRecord): LexicalSegment {
    return this.#segments.get(sha256, () => new LexicalSegment(readFileSync(paths.lexical(number))))
  }
}
