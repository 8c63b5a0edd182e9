import type { BlobStore } from '../object-store/blobs/blob-store.ts'
import type { BlobUses } from './blob-uses.ts'

/** How long a blob is kept that nobody names: readers of an older generation may still fetch it. */
export const BLOB_GRACE_MS = 24 * 3_600_000

interface CollectOptions {
  blobs: BlobStore
  uses: BlobUses
  graceMs?: number
  now?: () => Date
  signal: AbortSignal
}

/** What a collection found and did. */
interface Collected {
  blobs: number
  deleted: number
}

/**
 * Deletes the blobs that nothing named for a day. Nodes read from copies of their own: the day is for downloads that
 * are under way, and for nodes that have not heard yet of what is newer. May run on several nodes at once.
 */
export async function collectBlobs({
  blobs,
  uses,
  graceMs = BLOB_GRACE_MS,
  now = () => new Date(),
  signal,
}: CollectOptions): Promise<Collected> {
  const collected: Collected = { blobs: 0, deleted: 0 }
  for await (const page of blobs.list(signal)) {
    const before = now().getTime() - graceMs
    // one that was put a moment ago is not named yet where a release before this one put it
    const old = page.filter(({ changedAt }) => changedAt.getTime() < before)
    collected.blobs += page.length
    collected.deleted += await uses.collect(
      old.map(({ sha256 }) => sha256),
      signal,
    )
  }
  await uses.forgetReleased()
  return collected
}
