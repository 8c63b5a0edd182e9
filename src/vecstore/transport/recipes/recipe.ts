import type { FileHandle } from 'node:fs/promises'
import type { FileChecksum } from '../../format/durable-files.ts'
import type { TermRows } from '../../lexical/lexical-segment.ts'

/** No part is larger. */
export const PART_BYTES = 4 * 1_048_576

/**
 * The vectors of documents in a space that was learned, as the index has them: the same numbers bit for bit, or it is
 * no use.
 *
 * @param fit - What was learned. @throws {RangeError} It is nothing that this release knows.
 */
export type FoldVectors = (fit: Uint8Array, rows: TermRows) => { dimensions: number; vectors: Float32Array }

/**
 * The bytes of what was learned from a sample, as the index has them. Takes about a second, in another thread.
 *
 * @throws {RangeError} The sample is damaged, or none that this release knows.
 */
export type LearnAgain = (sample: Uint8Array) => Promise<Uint8Array>

/** A file that is to be made, or was: its path below the folder of the generation. */
export interface RecipeFile extends FileChecksum {
  path: string
}

/** Other files of the same generation, which a recipe may count on. */
export interface Ingredients {
  /** Paths of all files of vectors, in the order of their segments. */
  readonly vectorPaths: readonly string[]
  /** Null where vectors of learned spaces cannot be made here. */
  readonly fold: FoldVectors | null
  /** Null where nothing can be learned here. */
  readonly learn: LearnAgain | null
  /** Also of the files that stay beside it. @returns null where the generation has no such file. */
  open(path: string): Promise<FileHandle | null>
}

/**
 * How a file of a generation is made of fewer bytes than it has. What was made counts only if it has the checksum of
 * the file: a recipe can fail, but not deceive. A change of what it makes, or is made of, is another recipe with
 * another name, as a release that knows this one would fail with it.
 */
export interface Recipe {
  readonly name: string
  /** Whether its parts one after the other are the file as it is. */
  readonly isWhole: boolean
  /**
   * The name below the folder of a file that is no part of the generation, and holds the parts one after the other:
   * what travels of the next generation is read from it. Null where the parts follow from files of the generation.
   */
  readonly keptAs: string | null
  /**
   * What has to travel of a file; equal files beside equal others have equal parts. None is empty or larger than
   * `PART_BYTES`.
   *
   * @throws {RangeError} The file is none that it can make.
   */
  parts(file: RecipeFile, handle: FileHandle, others: Ingredients): AsyncIterable<Uint8Array>
  /**
   * The bytes of the file, in order.
   *
   * @param parts - Those that `parts` gave, unless somebody errs. @throws {RangeError} It cannot be made of them here.
   */
  make(file: RecipeFile, parts: PartReader, others: Ingredients): AsyncIterable<Uint8Array>
}

/** Reads parts as one run of bytes. */
export class PartReader {
  readonly #parts: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(parts: AsyncIterable<Uint8Array>) {
    this.#parts = parts[Symbol.asyncIterator]()
  }

  /** What is left of the part that was begun, or the next one; null: there is none. */
  async next(): Promise<Uint8Array | null> {
    const rest = this.#rest
    this.#rest = new Uint8Array()
    if (rest.length > 0) return rest
    const { done, value } = await this.#parts.next()
    return done === true ? null : value
  }

  /** Exactly so many bytes. @throws {RangeError} There are fewer. */
  async take(bytes: number): Promise<Buffer> {
    const taken: Uint8Array[] = []
    for (let left = bytes; left > 0;) {
      const part = await this.next()
      if (part === null) throw new RangeError('The parts of a file end early.')
      const piece = part.subarray(0, left)
      taken.push(piece)
      this.#rest = part.subarray(left)
      left -= piece.length
    }
    return Buffer.concat(taken)
  }
}
