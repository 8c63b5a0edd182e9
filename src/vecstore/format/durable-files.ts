import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const BUFFER_BYTES = 1_048_576
/** Errors of file systems that cannot give a file a second name. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Size and SHA-256 of a file. */
export interface FileChecksum {
  bytes: number
  sha256: string
}

/** Makes the content of a file, or the entries of a folder, survive a loss of power. */
export async function sync(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

/** Puts a file in the place of another, or of a folder that somebody left there. */
async function renameOver(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EISDIR')) throw error
    await rm(to, { recursive: true })
    await rename(from, to)
  }
}

/** Replaces a small file so that at any instant either the old content or the new one is there. */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const temporary = `${path}.tmp`
  {
    await using handle = await open(temporary, 'w', 0o600)
    await handle.writeFile(content)
    await handle.sync()
  }
  await renameOver(temporary, path)
  await sync(dirname(path))
}

/** Writes a file and syncs it. What was there is unlinked first: other generations may share it. */
export async function writeSynced(path: string, bytes: Uint8Array): Promise<FileChecksum> {
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

/** As `linkOrCopy`. @returns Whether there is such a file. */
export async function linkIfThere(from: string, to: string): Promise<boolean> {
  try {
    await linkOrCopy(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** Makes a file one's own that was put into a folder by `linkOrCopy`, so that it can be changed. */
export async function unshare(path: string): Promise<void> {
  if ((await stat(path)).nlink === 1) return
  const own = `${path}.tmp`
  await copyFile(path, own, constants.COPYFILE_FICLONE)
  await rename(own, path)
}

/** Reads the whole file once, about 1 GB/s, and into one buffer: many would have the memory searched for garbage. */
export async function checksumOf(path: string): Promise<FileChecksum> {
  await using handle = await open(path, 'r')
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  for (let bytes = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, bytes)
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
    bytes += bytesRead
    hash.update(buffer.subarray(0, bytesRead))
  }
}
