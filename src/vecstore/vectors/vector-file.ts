import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { FileChecksum } from '../format/durable-files.ts'

// Little-endian: 16 bytes of header, chunk ids as 32-bit numbers, vectors as 32-bit floats, row after row.

const MAGIC = 0x31564c46 // "FLV1"; in another byte order it reads as something else
const HEADER_BYTES = 16

/** Vectors of chunks, by ascending id. */
export interface VectorRows {
  dimensions: number
  ids: Uint32Array
  values: Float32Array
}

/**
 * Writes a file of vectors as they come, so that they need not be in memory together. Disposing of it before `finish`
 * leaves a file to be deleted.
 */
export interface VectorWriter extends AsyncDisposable {
  /** The next rows, one or more. @throws {RangeError} They are no vectors of these dimensions, or not finite. */
  append(values: Float32Array): Promise<void>
  /** Syncs the file. @throws {RangeError} Not each id has its vector. */
  finish(): Promise<FileChecksum>
}

/** Begins the file for these ids. What was there is unlinked first: other generations may share it. */
export async function createVectorFile(
  path: string,
  { dimensions, ids }: Pick<VectorRows, 'dimensions' | 'ids'>,
): Promise<VectorWriter> {
  await rm(path, { force: true })
  const handle = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  const write = async (part: Uint32Array | Float32Array) => {
    const view = new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
    hash.update(view)
    await handle.writeFile(view) // goes on where the last one ended
    bytes += view.length
  }
  const header = new Uint32Array(HEADER_BYTES / 4)
  header.set([MAGIC, dimensions, ids.length])
  await write(header)
  await write(ids)
  const end = bytes + ids.length * dimensions * 4
  return {
    async append(values) {
      if (values.length % dimensions !== 0 || bytes + values.byteLength > end) {
        throw new RangeError(`${values.length} numbers are no vectors of ${dimensions} dimensions, or too many.`)
      }
      if (!values.every(Number.isFinite)) throw new RangeError('A vector holds a number that is not finite.')
      await write(values)
    },
    async finish() {
      if (bytes !== end) throw new RangeError(`${(end - bytes) / 4 / dimensions} of ${ids.length} vectors are missing.`)
      await handle.sync()
      return { bytes, sha256: hash.digest('hex') }
    },
    async [Symbol.asyncDispose]() {
      await handle.close()
    },
  }
}

function readFully(descriptor: number, into: Uint8Array, position: number): void {
  for (let done = 0; done < into.length;) {
    const count = readSync(descriptor, into, done, into.length - done, position + done)
    if (count === 0) throw new RangeError('The file of vectors is cut off.')
    done += count
  }
}

/** A file of vectors that stays readable after its folder was removed. Its checksum is the caller's business. */
export class VectorFile implements Disposable {
  #descriptor: number | null

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r')
  }

  /** Whether it holds vectors of so many dimensions, by its header and its size. */
  isOf(dimensions: number): boolean {
    try {
      return this.#header().dimensions === dimensions
    } catch (error) {
      if (error instanceof RangeError) return false
      throw error
    }
  }

  /**
   * Reads the whole file, about 1 ms for 2,000 vectors of 128 dimensions. @throws {RangeError} When it is no such file.
   */
  read(): VectorRows {
    const { descriptor, dimensions, count } = this.#header()
    const ids = this.readIds()
    const values = new Float32Array(count * dimensions)
    readFully(descriptor, new Uint8Array(values.buffer), HEADER_BYTES + ids.byteLength)
    return { dimensions, ids, values }
  }

  /** Ascending. @throws {RangeError} */
  readIds(): Uint32Array {
    const { descriptor, count } = this.#header()
    const ids = new Uint32Array(count)
    readFully(descriptor, new Uint8Array(ids.buffer), HEADER_BYTES)
    return ids
  }

  /** One vector, some microseconds. @throws {RangeError} */
  readRow(row: number): Float32Array {
    const { descriptor, dimensions, count } = this.#header()
    if (row >= count) throw new RangeError(`The file of vectors has no row ${row}.`)
    const values = new Float32Array(dimensions)
    readFully(descriptor, new Uint8Array(values.buffer), HEADER_BYTES + (count + row * dimensions) * 4)
    return values
  }

  #header(): { descriptor: number; dimensions: number; count: number } {
    const descriptor = this.#descriptor
    if (descriptor === null) throw new RangeError('The file of vectors was closed.')
    const header = new Uint32Array(HEADER_BYTES / 4)
    readFully(descriptor, new Uint8Array(header.buffer), 0)
    const [magic, dimensions = 0, count = 0] = header
    if (magic !== MAGIC) throw new RangeError('This is no file of vectors.')
    if (fstatSync(descriptor).size !== HEADER_BYTES + count * (1 + dimensions) * 4) {
      throw new RangeError('The file of vectors has another length than its header says.')
    }
    return { descriptor, dimensions, count }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }
}
