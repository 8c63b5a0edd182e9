import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, constants, link, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BlobMissingError, blobOf, type BlobRef, type BlobStore } from './blob-store.ts'

/** Where blobs are kept, and how much of them. */
interface BlobCacheOptions {
  /** Holds nothing else. Processes may share it. */
  folder: string
  /** What all blobs together may take; those used longest ago go first. */
  maxBytes: number
  /** Hears of blobs that the disk did not keep whole; they are fetched again. */
  onDamage?: (sha256: string) => void
  now?: () => number
}

const UNFINISHED = '.tmp'
const OWNER_ONLY = 0o600
/** When too much is kept, this much less than the limit is left, so that not each download has to look. */
const KEPT_SHARE = 0.9
/** How long a download may take that another process left behind. */
const UNFINISHED_KEPT_MS = 6 * 3_600_000
/** Errors of file systems that cannot give a file a second name. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])
const READ_BYTES = 1_048_576

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** A download that several wait for. */
interface Download {
  done: Promise<void>
  waiting: number
  stop: AbortController
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  }
}

async function isWhole(path: string, { sha256, bytes }: BlobRef): Promise<boolean> {
  const hash = createHash('sha256')
  let seen = 0
  for await (const piece of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    seen += piece.length
    hash.update(piece)
  }
  return seen === bytes && hash.digest('hex') === sha256
}

/** Null: there is no such file. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/**
 * Blobs on the disk of this machine, as many as there is room for: what is here is answered from here, checked by its
 * digest, whether the store answers or not.
 */
export class BlobCache {
  readonly #store: BlobStore
  readonly #options: BlobCacheOptions
  readonly #now: () => number
  readonly #downloads = new Map<string, Download>()
  /** Names that are being handed out, which must not go meanwhile. */
  readonly #inUse = new Map<string, number>()
  /** Estimated between two looks at the folder; not known before the first. */
  #bytes: number | null = null
  #trimming: Promise<void> | null = null

  constructor(store: BlobStore, options: BlobCacheOptions) {
    this.#store = store
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /**
   * The content of a small blob.
   *
   * @throws {BlobMissingError} {BlobDamagedError} {ObjectStoreError} It is not here, and cannot be fetched.
   */
  async read(ref: BlobRef, signal: AbortSignal): Promise<Buffer> {
    return await this.#using(ref, signal, async path => {
      const content = await readFile(path)
      const { sha256, bytes } = blobOf(content)
      return sha256 === ref.sha256 && bytes === ref.bytes ? content : null
    })
  }

  /**
   * Puts the content of a blob at a path where nothing is yet: as another name of the cached file where the disk allows
   * it, so that it must not be changed. @throws as `read`.
   */
  async place(ref: BlobRef, target: string, signal: AbortSignal): Promise<void> {
    await this.#using(ref, signal, async path => {
      if (!(await isWhole(path, ref))) return null
      await linkOrCopy(path, target)
      return true
    })
  }

  /** Keeps a file that this machine made, so that it need not be fetched. Its content must match. */
  async add(ref: BlobRef, path: string): Promise<void> {
    const kept = this.#pathOf(ref.sha256)
    await mkdir(dirname(kept), { recursive: true, mode: 0o700 })
    try {
      await linkOrCopy(path, kept)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      return
    }
    await this.#grew(ref.bytes)
  }

  /** Every blob that is here, with the time of its last use in milliseconds since 1970. */
  async list(): Promise<Array<{ sha256: string; bytes: number; usedAt: number }>> {
    return (await this.#kept()).map(({ sha256, bytes, usedAt }) => ({ sha256, bytes, usedAt }))
  }

  /** Removes a blob, unless it is being read. @returns Whether it is gone. */
  async drop(sha256: string): Promise<boolean> {
    if (this.#inUse.has(sha256)) return false
    await rm(this.#pathOf(sha256), { force: true })
    return true
  }

  /** Removes what is over the limit, and what processes that were killed left. */
  async trim(): Promise<void> {
    this.#trimming ??= this.#trim().finally(() => {
      this.#trimming = null
    })
    await this.#trimming
  }

  #pathOf(sha256: string): string {
    return join(this.#options.folder, sha256.slice(0, 2), sha256)
  }

  /**
   * Lets `use` work with the file of a blob, which is fetched where it is not here.
   *
   * @param use - Gives null for a file that is damaged: it is fetched again, once.
   */
  async #using<T>(ref: BlobRef, signal: AbortSignal, use: (path: string) => Promise<T | null>): Promise<T> {
    const path = this.#pathOf(ref.sha256)
    this.#inUse.set(ref.sha256, (this.#inUse.get(ref.sha256) ?? 0) + 1)
    try {
      for (let fetched = 0; fetched <= 2; fetched++) {
        signal.throwIfAborted()
        const found = await orNull(use(path)) // another process may take it away at any time
        if (found !== null) {
          await this.#touch(path)
          return found
        }
        if ((await orNull(stat(path))) !== null) {
          this.#options.onDamage?.(ref.sha256)
          await rm(path, { force: true })
        }
        await this.#fetch(ref, signal)
      }
      throw new BlobMissingError(ref.sha256)
    } finally {
      const users = (this.#inUse.get(ref.sha256) ?? 1) - 1
      if (users === 0) this.#inUse.delete(ref.sha256)
      else this.#inUse.set(ref.sha256, users)
    }
  }

  /** The time of the last change of a file is when it was used last. */
  async #touch(path: string): Promise<void> {
    const at = this.#now() / 1_000
    await orNull(utimes(path, at, at))
  }

  /** Joins the download that is under way; the last one who leaves stops it. */
  async #fetch(ref: BlobRef, signal: AbortSignal): Promise<void> {
    const download = this.#downloads.get(ref.sha256) ?? this.#begin(ref)
    download.waiting++
    const left = Promise.withResolvers<never>()
    const leave = (): void => left.reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    try {
      signal.throwIfAborted()
      await Promise.race([download.done, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      left.promise.catch(() => {})
      download.waiting--
      if (download.waiting === 0) download.stop.abort(signal.reason)
    }
  }

  #begin(ref: BlobRef): Download {
    const stop = new AbortController()
    const download: Download = { done: this.#download(ref, stop.signal), waiting: 0, stop }
    const forget = (): void => {
      if (this.#downloads.get(ref.sha256) === download) this.#downloads.delete(ref.sha256)
    }
    download.done.then(forget, forget) // whoever waits for it hears of it
    stop.signal.addEventListener('abort', forget) // who comes now begins another one
    this.#downloads.set(ref.sha256, download)
    return download
  }

  async #download(ref: BlobRef, signal: AbortSignal): Promise<void> {
    const path = this.#pathOf(ref.sha256)
    const fresh = join(this.#options.folder, `${randomUUID()}${UNFINISHED}`)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      await using file = await open(fresh, 'wx', OWNER_ONLY)
      for await (const piece of this.#store.get(ref, signal)) await file.writeFile(piece)
      await file.datasync()
      await rename(fresh, path)
    } catch (error) {
      await rm(fresh, { force: true })
      throw error
    }
    await this.#grew(ref.bytes)
  }

  async #grew(bytes: number): Promise<void> {
    if (this.#bytes !== null) this.#bytes += bytes
    if (this.#bytes === null || this.#bytes > this.#options.maxBytes) await this.trim()
  }

  /** Everything that lies in the folder, the downloads that were cut off long ago removed. */
  async #kept(): Promise<Array<{ sha256: string; path: string; bytes: number; usedAt: number }>> {
    const found = []
    const entries = (await orNull(readdir(this.#options.folder, { recursive: true, withFileTypes: true }))) ?? []
    for (const entry of entries) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const file = await orNull(stat(path))
      if (file === null) continue
      if (!entry.name.endsWith(UNFINISHED)) {
        found.push({ sha256: entry.name, path, bytes: file.size, usedAt: file.mtimeMs })
      } else if (this.#now() - file.mtimeMs > UNFINISHED_KEPT_MS) {
        await rm(path, { force: true })
      }
    }
    return found
  }

  async #trim(): Promise<void> {
    const kept = await this.#kept()
    let bytes = kept.reduce((sum, file) => sum + file.bytes, 0)
    const { maxBytes } = this.#options
    if (bytes > maxBytes) {
      for (const file of kept.sort((a, b) => a.usedAt - b.usedAt)) {
        if (bytes <= maxBytes * KEPT_SHARE) break
        if (this.#inUse.has(file.sha256)) continue
        await rm(file.path, { force: true })
        bytes -= file.bytes
      }
    }
    this.#bytes = bytes
  }
}
