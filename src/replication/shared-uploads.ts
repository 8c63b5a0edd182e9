import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ObjectStore } from '../object-store/object-store.ts'

/** Files that clients sent to one node, for the node that runs their jobs. */
export interface SharedUploads {
  /** Keeps a file that was received here. @throws {ObjectStoreError} */
  keep(upload: string, signal: AbortSignal): Promise<void>
  /** Has the file here, if it is anywhere. @throws {ObjectStoreError} */
  bring(upload: string, signal: AbortSignal): Promise<void>
  discard(upload: string, signal: AbortSignal): Promise<void>
  /** Deletes those that no job can need any more. */
  collect(signal: AbortSignal): Promise<void>
}

const PREFIX = 'uploads/'
/** A job may have been queued, or have waited to be tried again, for as long. */
const MAX_AGE_MS = 14 * 86_400_000

/** @param folder - Where this node has such files. */
export function shareUploads(objects: ObjectStore, folder: string, now = Date.now): SharedUploads {
  const keyOf = (upload: string): string => PREFIX + upload

  return {
    async keep(upload, signal) {
      await objects.put(keyOf(upload), createReadStream(join(folder, upload)), signal)
    },

    async bring(upload, signal) {
      const file = join(folder, upload)
      const isHere = await stat(file).then(
        () => true,
        () => false,
      )
      const found = isHere ? null : await objects.get(keyOf(upload), signal)
      if (found === null) return
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const fresh = join(folder, `.${randomUUID()}.tmp`)
      try {
        await pipeline(found.content, createWriteStream(fresh, { flags: 'wx', mode: 0o600 }), { signal })
        await rename(fresh, file)
      } finally {
        await rm(fresh, { force: true })
      }
    },

    discard: (upload, signal) => objects.delete(keyOf(upload), signal),

    async collect(signal) {
      for await (const page of objects.list(PREFIX, signal)) {
        for (const { key, changedAt } of page) {
          if (now() - changedAt.getTime() > MAX_AGE_MS) await objects.delete(key, signal)
        }
      }
    },
  }
}
