import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, open, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'

const SQLITE_FULL = 13
const SEAL_BUFFER_BYTES = 1_048_576
const FULL_DISK_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** What identifies the content of a file. */
export interface FileSeal {
  bytes: number
  sha256: string
}

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

export function diskFull(cause?: unknown): FaultlineError {
  return new FaultlineError(
    'DISK_FULL',
    'The disk became full while the index was being written; the published index is unchanged.',
    FREE_SPACE_FIX,
    { cause },
  )
}

function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && FULL_DISK_CODES.has(error.code)) || ('errcode' in error && error.errcode === SQLITE_FULL)
}

/** The error to throw in place of one that writing met. */
export function asDiskFull(error: unknown): unknown {
  return isFullDisk(error) ? diskFull(error) : error
}

/** Runs a piece of work that writes; a full disk, met by the file system or by SQLite, becomes DISK_FULL. */
export async function reportingFullDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asDiskFull(error)
  }
}

/** Makes the content of a file, or the entries of a folder, survive a loss of power. */
export async function sync(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

/** Replaces a small file so that at any instant either the old content or the new one is there. */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const temporary = `${path}.tmp`
  {
    await using handle = await open(temporary, 'w', 0o600)
    await handle.writeFile(content)
    await handle.sync()
  }
  await rename(temporary, path)
  await sync(dirname(path))
}

/** Writes a file and syncs it. What was there is unlinked first: other generations may share it. */
export async function writeSynced(path: string, bytes: Uint8Array): Promise<FileSeal> {
  await rm(path, { force: true })
  await writeFile(path, bytes, { mode: 0o600, flush: true, flag: 'wx' })
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/**
 * Puts an existing file into another folder without copying it, where the file system can. Neither may ever be changed.
 */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NO_LINKS.has(error.code))) throw error
    await copyFile(from, to, constants.COPYFILE_FICLONE)
    await sync(to)
  }
}

/** Reads the whole file once, about 1 GB/s, and into one buffer: many would have the memory searched for garbage. */
export async function sealOf(path: string): Promise<FileSeal> {
  await using handle = await open(path, 'r')
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(SEAL_BUFFER_BYTES)
  for (let bytes = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, bytes)
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
    bytes += bytesRead
    hash.update(buffer.subarray(0, bytesRead))
  }
}
