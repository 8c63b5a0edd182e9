import type { FileHandle } from 'node:fs/promises'
import { readRun } from './read-run.ts'

// As `vectors/vector-file.ts` has it: a header of 16 bytes, ids of 32 bits, then the rows.

const MAGIC = 0x31564c46
export const HEADER_BYTES = 16

/** Where the rows of a file of vectors are. */
export interface RowsShape {
  count: number
  rowBytes: number
  /** Of the first row. */
  rowsAt: number
}

/** @throws {RangeError} It is no file of vectors. */
export async function rowsShapeOf(handle: FileHandle): Promise<RowsShape> {
  const header = await readRun(handle, 0, HEADER_BYTES)
  const [magic, dimensions, count] = [0, 4, 8].map(at => header.readUInt32LE(at))
  const shape = { count: count ?? 0, rowBytes: (dimensions ?? 0) * 4, rowsAt: HEADER_BYTES + (count ?? 0) * 4 }
  const { size } = await handle.stat()
  if (magic !== MAGIC || dimensions === 0 || size !== shape.rowsAt + shape.count * shape.rowBytes) {
    throw new RangeError('This is no file of vectors.')
  }
  return shape
}

/** The header of a file of vectors. */
export function rowsHeader(dimensions: number, count: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  for (const [i, word] of [MAGIC, dimensions, count].entries()) header.writeUInt32LE(word, i * 4)
  return header
}
