import { statfs } from 'node:fs/promises'
import { FaultlineError } from '../../core/errors.ts'
import { isFullDisk } from '../../core/full-disk.ts'

const FREE_SPACE_FIX = 'Free disk space, or move VECTOR_STORE_DIR to a larger disk, then send the request again.'
const mebibytes = (bytes: number): number => Math.floor(bytes / 1_048_576)

/** @throws {FaultlineError} DISK_FULL when fewer than `minFreeBytes` are free where `path` (which must exist) lies. */
export async function requireFreeSpace(path: string, minFreeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(path)
  const freeBytes = bavail * bsize
  if (freeBytes < minFreeBytes) {
    throw new FaultlineError(
      'DISK_FULL',
      `Only ${mebibytes(freeBytes)} MiB are free for the index; ${mebibytes(minFreeBytes)} MiB are needed.`,
      FREE_SPACE_FIX,
    )
  }
}

/** The error for a disk that filled up while an index was written. */
export function diskFull(cause?: unknown): FaultlineError {
  return new FaultlineError(
    'DISK_FULL',
    'The disk became full while the index was being written; the published index is unchanged.',
    FREE_SPACE_FIX,
    { cause },
  )
}

/** The error to throw in place of one that writing met. */
export function asDiskFull(error: unknown): unknown {
  return !(error instanceof FaultlineError) && isFullDisk(error) ? diskFull(error) : error
}

/** Runs a piece of work that writes; a full disk, met by the file system or by SQLite, becomes DISK_FULL. */
export async function reportingFullDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asDiskFull(error)
  }
}
