import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline, type Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createZstdCompress, createZstdDecompress, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { ObjectStoreError, readAll, type ObjectInfo, type ObjectStore } from '../object-store.ts'

/** Names a content: its SHA-256 in hexadecimal digits, and how many bytes it has. */
export interface BlobRef {
  sha256: string
  bytes: number
}

/** Where blobs lie in an object store. */
const BLOBS = 'blobs/'
const SHA256 = /^[0-9a-f]{64}$/
const READ_BYTES = 1_048_576
/** What packing may add to bytes that cannot be packed, at the most. */
const MAX_OVERHEAD_BYTES = 65_536
/** The smallest that zlib takes. */
const MIN_CHUNK = 64
/** Below this size it takes longer to hand bytes to another thread than to unpack them: 0.04 ms for 16 KiB. */
const UNPACKED_HERE_BYTES = 65_536

const unpack = promisify<Uint8Array, { chunkSize: number; maxOutputLength: number }, Buffer>(zstdDecompress)

function keyOf(sha256: string): string {
  if (!SHA256.test(sha256)) throw new Error(`${JSON.stringify(sha256.slice(0, 80))} is no SHA-256.`)
  return BLOBS + sha256
}

/** The content is not the one that its name stands for. */
export class BlobDamagedError extends ObjectStoreError {
  constructor(sha256: string, cause?: unknown) {
    super(`The object store has other bytes for blob ${sha256.slice(0, 12)} than were put.`, {
      isTransient: false,
      fix: 'Send the request again; what made the blob puts it anew.',
      cause,
    })
  }
}

/** What was to be put is not what its name says; nothing was. */
class ChangedContentError extends Error {
  constructor(sha256: string) {
    super(`The content of blob ${sha256.slice(0, 12)} changed before it was put.`)
  }
}

/** No object has the name. */
export class BlobMissingError extends ObjectStoreError {
  constructor(sha256: string) {
    super(`The object store has no blob ${sha256.slice(0, 12)}.`, { isTransient: false })
  }
}

/** The digest and the number of bytes of all that passed through. */
interface Passed {
  digest(): string
  bytes(): number
}

/** Passes pieces on, and counts them. */
function counting(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): {
  pieces: AsyncIterable<Uint8Array>
  passed: Passed
} {
  const hash = createHash('sha256')
  let bytes = 0
  async function* pass(): AsyncIterable<Uint8Array> {
    for await (const piece of pieces) {
      hash.update(piece)
      bytes += piece.length
      yield piece
    }
  }
  return { pieces: pass(), passed: { digest: () => hash.digest('hex'), bytes: () => bytes } }
}

/** What packed bytes hold, in one call. @throws {BlobDamagedError} */
async function unpacked(packed: Uint8Array, { sha256, bytes }: BlobRef): Promise<Buffer> {
  // one byte more than there should be, so that zlib sees the end without a second chunk
  const limits = { chunkSize: Math.max(bytes + 1, MIN_CHUNK), maxOutputLength: Math.max(bytes + 1, MIN_CHUNK) }
  try {
    return bytes <= UNPACKED_HERE_BYTES ? zstdDecompressSync(packed, limits) : await unpack(packed, limits)
  } catch (error) {
    throw new BlobDamagedError(sha256, error)
  }
}

/** Opened when it is first asked for: before, nobody would hear that it cannot be. */
async function* contentOf(path: string): AsyncIterable<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>
}

/** What a stream makes of pieces. To stop early, stop iterating. */
function through(pieces: AsyncIterable<Uint8Array>, stream: Duplex): AsyncIterable<Uint8Array> {
  return pipeline(pieces, stream, () => {}) // whoever reads the stream gets its error
}

/** Name and size of some bytes. */
export const blobOf = (bytes: Uint8Array): BlobRef => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  bytes: bytes.length,
})

/**
 * Immutable contents by their SHA-256, compressed, in an object store. The same content is kept once, whoever put it.
 */
export class BlobStore {
  readonly #objects: ObjectStore

  constructor(objects: ObjectStore) {
    this.#objects = objects
  }

  /** Whether a blob is there, by its name alone. */
  async has({ sha256 }: Pick<BlobRef, 'sha256'>, signal: AbortSignal): Promise<boolean> {
    return (await this.#objects.head(keyOf(sha256), signal)) !== null
  }

  /**
   * Puts a file unless its content is there already.
   *
   * @param ref - What the file must hold.
   * @returns Whether it was sent. @throws {ChangedContentError} It holds something else; then nothing is put.
   */
  async putFile(ref: BlobRef, path: string, signal: AbortSignal): Promise<boolean> {
    if (await this.has(ref, signal)) return false
    await this.#put(ref, contentOf(path), signal)
    return true
  }

  /** Puts bytes unless they are there already. */
  async putBytes(bytes: Uint8Array, signal: AbortSignal): Promise<BlobRef> {
    const ref = blobOf(bytes)
    await this.putKnown(ref, bytes, signal)
    return ref
  }

  /**
   * As `putBytes`, for bytes whose name is known. @returns Whether they were sent. @throws {ChangedContentError} They
   * have another name; then nothing is put.
   */
  async putKnown(ref: BlobRef, bytes: Uint8Array, signal: AbortSignal): Promise<boolean> {
    if (await this.has(ref, signal)) return false
    await this.#put(ref, [bytes], signal)
    return true
  }

  /**
   * Goes over the content of a blob. What came is only known to be whole when the last piece was given.
   *
   * @throws {BlobMissingError} There is none. {BlobDamagedError} It holds something else. {ObjectStoreError}
   */
  async *get(ref: BlobRef, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const body = await this.#objects.get(keyOf(ref.sha256), signal)
    if (body === null) throw new BlobMissingError(ref.sha256)
    let failure: unknown // of the store; what else goes wrong is that the bytes are no compressed content
    async function* watched(): AsyncIterable<Uint8Array> {
      try {
        if (body !== null) yield* body.content
      } catch (error) {
        failure = error
        throw error
      }
    }
    const unpacked = through(watched(), createZstdDecompress())
    const { pieces, passed } = counting(unpacked)
    try {
      for await (const piece of pieces) {
        if (passed.bytes() > ref.bytes) throw new BlobDamagedError(ref.sha256)
        yield piece
      }
    } catch (error) {
      signal.throwIfAborted()
      if (failure !== undefined) throw failure
      throw error instanceof BlobDamagedError ? error : new BlobDamagedError(ref.sha256, error)
    }
    if (passed.bytes() !== ref.bytes || passed.digest() !== ref.sha256) throw new BlobDamagedError(ref.sha256)
  }

  /** All bytes of a small blob: a stream of its own for each would take most of the time. @throws as `get`. */
  async read(ref: BlobRef, signal: AbortSignal): Promise<Buffer> {
    const body = await this.#objects.get(keyOf(ref.sha256), signal)
    if (body === null) throw new BlobMissingError(ref.sha256)
    if (body.bytes > 2 * ref.bytes + MAX_OVERHEAD_BYTES) throw new BlobDamagedError(ref.sha256)
    const content = await unpacked(await readAll(body), ref)
    signal.throwIfAborted()
    if (content.length === ref.bytes && hash('sha256', content) === ref.sha256) return content
    throw new BlobDamagedError(ref.sha256)
  }

  /** Nothing happens where there is none. */
  async delete({ sha256 }: Pick<BlobRef, 'sha256'>, signal: AbortSignal): Promise<void> {
    await this.#objects.delete(keyOf(sha256), signal)
  }

  /** Names and times of all blobs, in pages; `bytes` is what each takes in the store. */
  async *list(signal: AbortSignal): AsyncIterable<Array<Omit<ObjectInfo, 'key'> & { sha256: string }>> {
    for await (const page of this.#objects.list(BLOBS, signal)) {
      yield page.flatMap(({ key, ...info }) => {
        const sha256 = key.slice(BLOBS.length)
        return SHA256.test(sha256) ? [{ sha256, ...info }] : []
      })
    }
  }

  async #put(ref: BlobRef, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, signal: AbortSignal) {
    const { pieces, passed } = counting(content)
    const packing = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    async function* whole(): AsyncIterable<Uint8Array> {
      yield* through(pieces, packing)
      // before the last piece is sent, after which the object would be there
      if (passed.bytes() !== ref.bytes || passed.digest() !== ref.sha256) throw new ChangedContentError(ref.sha256)
    }
    await this.#objects.put(keyOf(ref.sha256), whole(), signal)
  }
}
