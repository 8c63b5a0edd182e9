import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

// Little-endian: 16 bytes of header, chunk ids as 32-bit numbers, vectors as 32-bit floats, row after row.

const MAGIC = 0x31564c46 // "FLV1"; in another byte order it reads as something else
const HEADER_BYTES = 16

/** Vectors of chunks, by ascending id. */
export interface VectorRows { dimensions: number, ids: Uint32Array, values: Float32Array }

export function vectorFileBytes ({ dimensions, ids, values }: VectorRows): Uint8Array {
  if (values.length !== ids.length * dimensions) throw new RangeError(`${values.length} numbers are no ${ids.length} vectors of ${dimensions} dimensions.`)
  if (!values.every(Number.isFinite)) throw new RangeError('A vector holds a number that is not finite.')
  const bytes = new Uint8Array(HEADER_BYTES + ids.byteLength + values.byteLength)
  new Uint32Array(bytes.buffer, 0, 3).set([MAGIC, dimensions, ids.length])
  new Uint32Array(bytes.buffer, HEADER_BYTES, ids.length).set(ids)
  new Float32Array(bytes.buffer, HEADER_BYTES + ids.byteLength).set(values)
  return bytes
}

/** A file of vectors that stays readable after its folder was removed. Its checksum is the caller's business. */
export class VectorFile implements Disposable {
  #descriptor: number | null

  constructor (path: string) {
    this.#descriptor = openSync(path, 'r')
  }

  /** Whether it holds vectors of so many dimensions, by its header and its size. */
  isOf (dimensions: number): boolean {
    try {
      return this.#header().dimensions === dimensions
    } catch (error) {
      if (error instanceof RangeError) return false
      throw error
    }
  }

  /** Reads the whole file, about 1 ms for 2,000 vectors of 128 dimensions. @throws {RangeError} When it is no such file. */
  read (): VectorRows {
    const { descriptor, dimensions, count } = this.#header()
    const ids = this.readIds()
    const values = new Float32Array(count * dimensions)
    readFully(descriptor, new Uint8Array(values.buffer), HEADER_BYTES + ids.byteLength)
    return { dimensions, ids, values }
  }

  /** Ascending. @throws {RangeError} */
  readIds (): Uint32Array {
    const { descriptor, count } = this.#header()
    const ids = new Uint32Array(count)
    readFully(descriptor, new Uint8Array(ids.buffer), HEADER_BYTES)
    return ids
  }

  /** One vector, some microseconds. @throws {RangeError} */
  readRow (row: number): Float32Array {
    const { descriptor, dimensions, count } = this.#header()
    if (row >= count) throw new RangeError(`The file of vectors has no row ${row}.`)
    const values = new Float32Array(dimensions)
    readFully(descriptor, new Uint8Array(values.buffer), HEADER_BYTES + (count + row * dimensions) * 4)
    return values
  }

  #header (): { descriptor: number, dimensions: number, count: number } {
    const descriptor = this.#descriptor
    if (descriptor === null) throw new RangeError('The file of vectors was closed.')
    const header = new Uint32Array(HEADER_BYTES / 4)
    readFully(descriptor, new Uint8Array(header.buffer), 0)
    const [magic, dimensions = 0, count = 0] = header
    if (magic !== MAGIC) throw new RangeError('This is no file of vectors.')
    if (fstatSync(descriptor).size !== HEADER_BYTES + count * (1 + dimensions) * 4) throw new RangeError('The file of vectors has another length than its header says.')
    return { descriptor, dimensions, count }
  }

  [Symbol.dispose] (): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }
}

function readFully (descriptor: number, into: Uint8Array, position: number): void {
  for (let done = 0; done < into.length;) {
    const count = readSync(descriptor, into, done, into.length - done, position + done)
    if (count === 0) throw new RangeError('The file of vectors is cut off.')
    done += count
  }
}
