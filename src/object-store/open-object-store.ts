import { FaultlineError } from '../core/errors.ts'
import type { ObjectStoreSettings } from '../core/object-store-url.ts'
import type { Queryable } from '../postgres/database.ts'
import { openFolderStore } from './folder-store.ts'
import type { ObjectStore } from './object-store.ts'
import { openPostgresStore } from './postgres-store.ts'

/**
 * Opens the store that `OBJECT_STORE_URL` names. Nothing is asked of it yet.
 *
 * @param db - The database of `DATABASE_URL`; null: there is none.
 * @throws {FaultlineError} CONFIG_INVALID: what it needs is not set.
 */
export async function openObjectStore(
  { address, credentials }: Omit<ObjectStoreSettings, 'cacheBytes'>,
  db: Queryable | null,
): Promise<ObjectStore> {
  if (address.kind === 'folder') return openFolderStore(address.path)
  if (address.kind === 'postgres') {
    if (db !== null) return openPostgresStore(db)
    throw new FaultlineError(
      'CONFIG_INVALID',
      'OBJECT_STORE_URL keeps objects in the database, and there is none.',
      'Set DATABASE_URL, too.',
    )
  }
  if (credentials === null) {
    throw new FaultlineError(
      'CONFIG_INVALID',
      'OBJECT_STORE_URL names a bucket in S3, and no key for it is set.',
      'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
    )
  }
  const { openS3Store } = await import('./s3/s3-store.ts')
  return await openS3Store(address, credentials)
}
