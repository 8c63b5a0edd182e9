import { LostBytesError, type FileBytes } from '../jobs/files/file-bytes.ts'
import type { BlobCache } from '../object-store/blobs/blob-cache.ts'
import { BlobDamagedError, BlobMissingError, type BlobRef, type BlobStore } from '../object-store/blobs/blob-store.ts'
import type { Database } from '../postgres/database.ts'
import { sideBySide, type BlobUses } from './blob-uses.ts'

const PUTS_AT_ONCE = 8

/** The owner of what a job keeps, in `blob_uses`. */
const ownerOf = (id: string): string => `job/${id}`

/** For names alone: how large they are does not matter. */
const refsOf = (checksums: readonly string[]): BlobRef[] => checksums.map(sha256 => ({ sha256, bytes: 0 }))

/**
 * Bytes of kept files as blobs, which every node reaches. What this node has read is answered from its cache.
 *
 * @param signal - Of the server: fires when it stops.
 */
export function sharedFileBytes(
  { db, blobs, cache, uses }: { db: Database; blobs: BlobStore; cache: BlobCache; uses: BlobUses },
  signal: AbortSignal,
): FileBytes {
  return {
    async put(id, contents) {
      const refs = [...contents].map(([sha256, content]) => ({ sha256, bytes: content.byteLength }))
      const missing = await uses.need(ownerOf(id), refs, signal)
      await sideBySide(missing, PUTS_AT_ONCE, async ref => {
        const content = contents.get(ref.sha256)
        if (content !== undefined) await blobs.putKnown(ref, content, signal)
      })
      await uses.stored(ownerOf(id), missing)
    },

    async read(_id, { sha256, bytes }) {
      try {
        return await cache.read({ sha256, bytes }, signal)
      } catch (error) {
        if (!(error instanceof BlobDamagedError || error instanceof BlobMissingError)) throw error
        await uses.lost(sha256)
        return null
      }
    },

    async share(id, _from, checksums) {
      const missing = await uses.need(ownerOf(id), refsOf(checksums), signal)
      for (const { sha256 } of missing) {
        if (!(await blobs.has({ sha256 }, signal))) throw new LostBytesError(sha256)
      }
      await uses.stored(ownerOf(id), refsOf(checksums))
    },

    async remove(id) {
      await uses.keepOnly(db, ownerOf(id), [])
    },
  }
}
