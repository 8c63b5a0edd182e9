import type { FileHandle } from 'node:fs/promises'
import type { Ingredients } from './recipe.ts'
import { readRun } from './read-run.ts'
import { HEADER_BYTES, rowsShapeOf, type RowsShape } from './vector-rows.ts'

const WINDOW_BYTES = 262_144
const FILE = 2 ** 32

interface RowFile extends RowsShape {
  handle: FileHandle
  /** Rows that were read last. */
  window: { first: number; bytes: Buffer }
}

/** The vectors of a generation by the ids of their chunks, quick where they are asked for in their order. */
export class RowFinder {
  readonly #files: RowFile[]
  /** By id: the number of a file times `FILE`, and the row in it. */
  readonly #places: ReadonlyMap<number, number>

  private constructor(files: RowFile[], places: ReadonlyMap<number, number>) {
    this.#files = files
    this.#places = places
  }

  /** Reads the ids of all. @param rowBytes - Files of other vectors are left out. */
  static async of({ vectorPaths, open }: Ingredients, rowBytes: number): Promise<RowFinder> {
    const files: RowFile[] = []
    const places = new Map<number, number>()
    for (const path of vectorPaths) {
      const handle = await open(path)
      if (handle === null) continue
      const shape = await rowsShapeOf(handle)
      if (shape.rowBytes !== rowBytes) continue
      const ids = await readRun(handle, HEADER_BYTES, shape.count * 4)
      for (let row = 0; row < shape.count; row++) places.set(ids.readUInt32LE(row * 4), files.length * FILE + row)
      files.push({ ...shape, handle, window: { first: 0, bytes: Buffer.alloc(0) } })
    }
    return new RowFinder(files, places)
  }

  /** A view that the next call may change; null where no file has a vector of this chunk. */
  async find(id: number): Promise<Buffer | null> {
    const place = this.#places.get(id) ?? -1
    const file = this.#files[Math.floor(place / FILE)]
    return file === undefined ? null : await this.#read(file, place % FILE)
  }

  async #read(file: RowFile, row: number): Promise<Buffer> {
    const { handle, rowBytes, rowsAt, count } = file
    let at = (row - file.window.first) * rowBytes
    if (at < 0 || at >= file.window.bytes.length) {
      const rows = Math.min(count - row, Math.max(1, Math.floor(WINDOW_BYTES / rowBytes)))
      file.window = { first: row, bytes: await readRun(handle, rowsAt + row * rowBytes, rows * rowBytes) }
      at = 0
    }
    return file.window.bytes.subarray(at, at + rowBytes)
  }
}
