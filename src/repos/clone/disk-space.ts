import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'

const GIB = 1_073_741_824

/** The error for a disk without room for clones. */
export function diskFull(what: string, cause?: unknown): FaultlineError {
  return new FaultlineError('DISK_FULL', `${what}.`, 'Free some space on the disk that holds CLONED_REPOS_DIR.', {
    cause,
  })
}

/** A size for a person, in GiB or MiB. */
export const formatBytes = (bytes: number): string =>
  bytes >= GIB ? `${Math.round((bytes / GIB) * 10) / 10} GiB` : `${Math.round(bytes / 1_048_576)} MiB`

/**
 * Checks the free space on the disk of a folder.
 *
 * @throws {FaultlineError} DISK_FULL when it is less than `minBytes`.
 */
export async function requireFreeSpace(folder: string, minBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < minBytes) throw diskFull(`Less than ${formatBytes(minBytes)} is free on the disk`)
}

/** Every file below a folder, without following links; a folder that disappears meanwhile ends it quietly. */
export async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(() => null)
  if (entries === null) return
  try {
    for await (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) yield* filesBelow(path)
      else yield path
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The sum of the sizes of the files in a folder, in bytes. Files that disappear meanwhile do not count. */
export async function folderBytes(folder: string): Promise<number> {
  let total = 0
  for await (const path of filesBelow(folder)) {
    const stats = await lstat(path).catch(() => null)
    total += stats?.size ?? 0
  }
  return total
}
