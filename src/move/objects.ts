import type { BlobStore } from '../object-store/blobs/blob-store.ts'
import { ObjectStoreError, type ObjectStore } from '../object-store/object-store.ts'
import type { Queryable } from '../postgres/database.ts'
import { obstacleOf } from './obstacle.ts'
import type { Obstacle } from './part.ts'

/** The key of what the store is tried out with. */
const PROBE = 'move/probe'
const PROBED = Buffer.from('faultline move')
/** How many objects that the database names are looked for: some may be lost, all are not. */
const LOOKED_FOR = 20

async function unlessRefused(work: () => Promise<Obstacle[]>): Promise<Obstacle[]> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ObjectStoreError) return [obstacleOf(error)]
    throw error
  }
}

async function isEmpty(objects: Pick<ObjectStore, 'list'>, signal: AbortSignal): Promise<boolean> {
  for await (const page of objects.list('', signal)) {
    if (page.some(({ key }) => key !== PROBE)) return false
  }
  return true
}

/**
 * What keeps a move from filling an object store: it is away, refuses the key, or holds the objects of something else.
 * Two clusters below one prefix delete each other's objects, as each knows only its own.
 *
 * @param mayWrite - Whether an object is put and deleted again.
 * @param isFresh - Whether no move has put anything there.
 */
export function storeToFill(
  objects: Pick<ObjectStore, 'list' | 'put' | 'delete'>,
  { mayWrite, isFresh, signal }: { mayWrite: boolean; isFresh: boolean; signal: AbortSignal },
): Promise<Obstacle[]> {
  return unlessRefused(async () => {
    if (!(await isEmpty(objects, signal)) && isFresh) {
      return [
        {
          message: 'The object store is not empty: what OBJECT_STORE_URL names holds objects already.',
          fix: 'Name another bucket, prefix or folder in OBJECT_STORE_URL, or delete what an earlier move left there.',
        },
      ]
    }
    if (mayWrite) {
      await objects.put(PROBE, PROBED, signal)
      await objects.delete(PROBE, signal)
    }
    return []
  })
}

/** What keeps a move from reading the objects of a cluster: the store is away, refuses the key, or is another one. */
export function storeToRead(
  { db, blobs }: { db: Queryable; blobs: Pick<BlobStore, 'has'> },
  signal: AbortSignal,
): Promise<Obstacle[]> {
  return unlessRefused(async () => {
    const { rows } = await db.query(
      `SELECT DISTINCT sha256 FROM blob_uses WHERE is_stored AND released_at IS NULL LIMIT ${LOOKED_FOR}`,
    )
    for (const { sha256 } of rows) if (await blobs.has({ sha256: String(sha256) }, signal)) return []
    if (rows.length === 0) return []
    return [
      {
        message: 'The object store has nothing of what the cluster keeps there.',
        fix: 'Set OBJECT_STORE_URL as the nodes have it.',
      },
    ]
  })
}
