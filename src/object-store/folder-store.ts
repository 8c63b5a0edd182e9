import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { namingFullDisk } from '../core/full-disk.ts'
import {
  checkedKey,
  checkedPrefix,
  ObjectStoreError,
  ofLength,
  piecesOf,
  type ObjectInfo,
  type ObjectStore,
} from './object-store.ts'

const PAGE = 1_000
/** What a put that was cut off leaves, which no key may end in. */
const UNFINISHED = '.put~'
const OWNER_ONLY = 0o600
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])
const UNFINISHED_KEPT_MS = 24 * 3_600_000

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

function unavailable(what: string, cause: unknown): unknown {
  const named = namingFullDisk(cause)
  if (named !== cause) return named
  const code = codeOf(cause)
  if (typeof code !== 'string') return cause
  return new ObjectStoreError(`The folder of the object store cannot ${what} (${code}).`, { isTransient: true, cause })
}

/** What is not there is null; whatever else the file system says is that the store is away. */
async function orNull<T>(work: Promise<T>, what: string): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (MISSING.has(codeOf(error))) return null
    throw unavailable(what, error)
  }
}

/** Objects are files below one folder, which may be a mount that several machines share. */
export function openFolderStore(root: string): ObjectStore {
  const pathOf = (key: string): string => join(root, checkedKey(key))

  async function put(...[key, content, signal]: Parameters<ObjectStore['put']>): Promise<void> {
    signal.throwIfAborted()
    const path = pathOf(key)
    const fresh = `${path}.${randomUUID()}${UNFINISHED}`
    let isOurs = false // a fault of the folder, not of the content
    const own = async <T>(work: () => Promise<T>): Promise<T> => {
      isOurs = true
      const done = await work()
      isOurs = false
      return done
    }
    try {
      await own(() => mkdir(dirname(path), { recursive: true, mode: 0o700 }))
      const file = await own(() => open(fresh, 'wx', OWNER_ONLY))
      try {
        for await (const piece of piecesOf(content)) {
          signal.throwIfAborted()
          await own(() => file.writeFile(piece))
        }
        await own(() => file.datasync())
      } finally {
        await file.close()
      }
      signal.throwIfAborted()
      await own(() => rename(fresh, path))
    } catch (error) {
      await rm(fresh, { force: true }).catch(() => {}) // on a full disk it would be in its own way
      throw isOurs ? unavailable(`take the object ${key}`, error) : error
    }
  }

  async function head(key: string, signal: AbortSignal): Promise<ObjectInfo | null> {
    signal.throwIfAborted()
    const found = await orNull(stat(pathOf(key)), `show the object ${key}`)
    return found?.isFile() === true ? { key, bytes: found.size, changedAt: found.mtime } : null
  }

  async function* readFrom(path: string, key: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const stream = createReadStream(path, { highWaterMark: 1_048_576 })
    const stop = (): void => {
      stream.destroy(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      for await (const piece of stream) yield piece as Uint8Array
    } catch (error) {
      throw signal.aborted ? signal.reason : unavailable(`give the object ${key}`, error)
    } finally {
      signal.removeEventListener('abort', stop)
      stream.destroy()
    }
  }

  /** Removes what was cut off long ago; a younger one may still be written. */
  async function dropUnfinished(path: string): Promise<void> {
    const found = await orNull(stat(path), 'be listed')
    if (found !== null && Date.now() - found.mtimeMs > UNFINISHED_KEPT_MS) await rm(path, { force: true })
  }

  /** Files below a folder; none where there is no such folder. */
  async function* filesBelow(folder: string): AsyncIterable<string> {
    try {
      for await (const entry of await opendir(folder, { recursive: true, bufferSize: PAGE })) {
        if (entry.isFile()) yield join(entry.parentPath, entry.name)
      }
    } catch (error) {
      if (!MISSING.has(codeOf(error))) throw unavailable('be listed', error)
    }
  }

  async function* list(prefix: string, signal: AbortSignal): AsyncIterable<ObjectInfo[]> {
    const below = checkedPrefix(prefix)
    let page: ObjectInfo[] = []
    for await (const path of filesBelow(join(root, below.slice(0, below.lastIndexOf('/') + 1)))) {
      signal.throwIfAborted()
      const key = relative(root, path).split(sep).join('/')
      if (!key.startsWith(below)) continue
      if (key.endsWith(UNFINISHED)) {
        await dropUnfinished(path)
        continue
      }
      const info = await head(key, signal)
      if (info === null) continue // it went meanwhile
      page.push(info)
      if (page.length < PAGE) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  }

  return {
    name: 'a folder',
    put,
    async get(key, signal) {
      const info = await head(key, signal)
      if (info === null) return null
      return { bytes: info.bytes, content: ofLength(readFrom(pathOf(key), key, signal), info.bytes, key) }
    },
    head,
    async delete(key, signal) {
      signal.throwIfAborted()
      await orNull(unlink(pathOf(key)), `give up the object ${key}`)
    },
    list,
    async [Symbol.asyncDispose]() {},
  }
}
