import type { ChunkLines } from './chunk-lines.ts'

const WORDS = 2

/**
 * The first and the last line of each chunk of a generation, eight bytes a chunk: a search asks for those of some
 * hundred chunks in as many files. A file's are read when one of them is first asked for.
 */
export class ChunkLineTable {
  /** Where the lines of each file begin in `#lines`. */
  readonly #starts: Uint32Array
  /** First and last line by chunk; zeros where they were not read. */
  readonly #lines: Uint32Array
  readonly #read: (file: number) => readonly ChunkLines[]

  /** @param read - The chunks of the file at a position of the list, in order. */
  constructor(files: ReadonlyArray<{ chunks: number }>, read: (file: number) => readonly ChunkLines[]) {
    this.#starts = new Uint32Array(files.length + 1)
    for (const [file, { chunks }] of files.entries()) {
      this.#starts[file + 1] = (this.#starts[file] ?? 0) + WORDS * chunks
    }
    this.#lines = new Uint32Array(this.#starts[files.length] ?? 0)
    this.#read = read
  }

  /** 1-based; 1 for a chunk that the file does not have. */
  firstLine(file: number, chunkIndex: number): number {
    return this.#lineAt(file, WORDS * chunkIndex)
  }

  /** 1-based and inclusive; 1 for a chunk that the file does not have. */
  lastLine(file: number, chunkIndex: number): number {
    return this.#lineAt(file, WORDS * chunkIndex + 1)
  }

  #lineAt(file: number, offset: number): number {
    const start = this.#starts[file] ?? 0
    if (start + offset >= (this.#starts[file + 1] ?? 0)) return 1
    if (this.#lines[start] === 0) this.#fill(file, start)
    return this.#lines[start + offset] ?? 1
  }

  #fill(file: number, start: number): void {
    for (const [i, { startLine, endLine }] of this.#read(file).entries()) {
      this.#lines[start + WORDS * i] = startLine
      this.#lines[start + WORDS * i + 1] = endLine
    }
  }
}
