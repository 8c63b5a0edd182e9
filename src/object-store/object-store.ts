import { FaultlineError } from '../core/errors.ts'

/** Key, size and time of the last change of one object. */
export interface ObjectInfo {
  /** Without the prefix of the store. */
  key: string
  bytes: number
  /** By the clock of the store. */
  changedAt: Date
}

/** What is put: bytes, or pieces of them in any sizes. What the pieces throw ends the put, and nothing is stored. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>

/** Size and bytes of one object. */
export interface ObjectBody {
  bytes: number
  /**
   * Goes over the bytes once. Throws when fewer or more than `bytes` come, or when the store stays silent. To stop
   * early, stop iterating.
   */
  content: AsyncIterable<Uint8Array>
}

/**
 * Objects by key, in a folder, in a database or in S3. An object is there whole or not at all, and a put is seen by
 * each later get. Every call throws the signal's reason once it fires; else only `ObjectStoreError`, VALIDATION_FAILED
 * for a bad key, and what the content of a put throws.
 */
export interface ObjectStore extends AsyncDisposable {
  /** What it is for people: its address without credentials. */
  readonly name: string
  /** Stores an object, in place of one that had the key. */
  put(key: string, content: Content, signal: AbortSignal): Promise<void>
  /** Null: there is none. */
  get(key: string, signal: AbortSignal): Promise<ObjectBody | null>
  /** Null: there is none. */
  head(key: string, signal: AbortSignal): Promise<ObjectInfo | null>
  /** Nothing happens where there is none. */
  delete(key: string, signal: AbortSignal): Promise<void>
  /** All objects whose keys begin with a prefix, in pages of up to 1,000, in any order. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<ObjectInfo[]>
}

/** The store did not do what was asked, after all tries. */
export class ObjectStoreError extends FaultlineError {
  /** Whether the same call may succeed later: no answer, 5xx, 429, a body that was cut off. */
  readonly isTransient: boolean

  constructor(message: string, { isTransient, fix, cause }: { isTransient: boolean; fix?: string; cause?: unknown }) {
    super('OBJECT_STORE_UNAVAILABLE', message, fix ?? 'Check OBJECT_STORE_URL and the store that it names.', { cause })
    this.isTransient = isTransient
  }
}

/** Segments that every store, every file system and every URL spells alike. */
const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*(?:[A-Za-z0-9_-][A-Za-z0-9._-]*)?$/
const MAX_KEY_CHARS = 512

function refuseKey(key: string): never {
  throw new FaultlineError('VALIDATION_FAILED', `${JSON.stringify(key.slice(0, 80))} is no key of an object.`)
}

/** The key itself. @throws {FaultlineError} VALIDATION_FAILED: it is not made of plain segments, or too long. */
export function checkedKey(key: string): string {
  return key.length <= MAX_KEY_CHARS && KEY.test(key) ? key : refuseKey(key)
}

/** As `checkedKey`, for the beginning of keys, which may be empty. */
export function checkedPrefix(prefix: string): string {
  return prefix.length <= MAX_KEY_CHARS && PREFIX.test(prefix) ? prefix : refuseKey(prefix)
}

/** The pieces of a content; bytes are one piece. */
export async function* piecesOf(content: Content): AsyncIterable<Uint8Array> {
  if (content instanceof Uint8Array) yield content
  else yield* content
}

/** All bytes of a body in one piece. @throws as the body does. */
export async function readAll({ content }: Pick<ObjectBody, 'content'>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}

/**
 * Cuts a content into parts of a size each, the last one smaller; an empty content is one empty part.
 *
 * @param partBytes - Is asked before each part, with its number from 1.
 */
export async function* partsOf(content: Content, partBytes: (part: number) => number): AsyncIterable<Buffer> {
  let part = 1
  let limit = partBytes(part)
  let pieces: Uint8Array[] = []
  let size = 0
  for await (let piece of piecesOf(content)) {
    while (size + piece.length > limit) {
      pieces.push(piece.subarray(0, limit - size))
      piece = piece.subarray(limit - size)
      yield Buffer.concat(pieces)
      pieces = []
      size = 0
      limit = partBytes(++part)
    }
    pieces.push(piece)
    size += piece.length
  }
  if (size > 0 || part === 1) yield Buffer.concat(pieces)
}

/** Passes a body on, and sees to it that it has the length that it should. */
export async function* ofLength(content: AsyncIterable<Uint8Array>, bytes: number, key: string) {
  let seen = 0
  const refuse = (): ObjectStoreError =>
    new ObjectStoreError(`The object ${key} came with ${seen} bytes in place of ${bytes}.`, { isTransient: true })
  for await (const piece of content) {
    seen += piece.length
    if (seen > bytes) throw refuse()
    yield piece
  }
  if (seen !== bytes) throw refuse()
}
