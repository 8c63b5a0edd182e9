import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isFullDisk } from '../../core/full-disk.ts'
import type { JobFile } from '../../core/job.ts'

/** Where the bytes of kept files are: by job and checksum. */
export interface FileBytes {
  /** Keeps contents by their SHA-256: they are there, whole, when it resolves. */
  put(id: string, contents: ReadonlyMap<string, Uint8Array>): Promise<void>
  /** Null: they are not the ones that were kept. @throws They are gone, or cannot be reached. */
  read(id: string, file: JobFile): Promise<Buffer | null>
  /**
   * Gives a job the bytes that another one keeps.
   *
   * @throws {LostBytesError} Those of a checksum are gone.
   */
  share(id: string, from: string, checksums: readonly string[]): Promise<void>
  /** Gives up what a job keeps, which has ended or was never made. */
  remove(id: string): Promise<void>
}

/** The bytes of a checksum are gone. */
export class LostBytesError extends Error {
  readonly sha256: string

  constructor(sha256: string, cause?: unknown) {
    super(`The bytes of ${sha256.slice(0, 12)} are gone.`, { cause })
    this.sha256 = sha256
  }
}

/** Each waits for the disk, which takes several together as quickly as one. */
const WRITES_AT_ONCE = 8
const OWNER_ONLY = 0o600
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const STORED_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const checksumOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Writes a file under a fresh name, then renames it to its checksum: it is there whole or not at all. */
async function writeContent(folder: string, sha256: string, content: Uint8Array): Promise<void> {
  const fresh = join(folder, `${randomUUID()}.tmp`)
  const file = await open(fresh, NEW_FILE, OWNER_ONLY)
  try {
    await file.writeFile(content)
    await file.datasync()
    await rename(fresh, join(folder, sha256))
  } catch (error) {
    await rm(fresh, { force: true }) // on a full disk it would be in its own way
    throw error
  } finally {
    await file.close()
  }
}

/** The content of a stored file; null when it is not the one that was kept. */
async function readWhole(stored: string, { bytes, sha256 }: JobFile): Promise<Buffer | null> {
  await using file = await open(stored, STORED_FILE)
  const stat = await file.stat()
  const content = stat.isFile() && stat.size === bytes ? await file.readFile() : null
  return content !== null && checksumOf(content) === sha256 ? content : null
}

/**
 * Bytes in the folders of jobs, under the names of their checksums.
 *
 * @param folderOf - The server's own folder of a job, which whoever forgets the job removes.
 */
export function localFileBytes(folderOf: (id: string) => string): FileBytes {
  const bytesFolder = (id: string): string => join(folderOf(id), 'files')

  return {
    async put(id, contents) {
      const folder = bytesFolder(id)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const left = contents.entries()
      await Promise.all(
        Array.from({ length: WRITES_AT_ONCE }, async () => {
          for (const [sha256, content] of left) await writeContent(folder, sha256, content)
        }),
      )
    },
    read: (id, file) => readWhole(join(bytesFolder(id), file.sha256), file),
    async share(id, from, checksums) {
      await mkdir(bytesFolder(id), { recursive: true, mode: 0o700 })
      for (const sha256 of checksums) {
        await link(join(bytesFolder(from), sha256), join(bytesFolder(id), sha256)).catch((cause: unknown) => {
          throw isFullDisk(cause) ? cause : new LostBytesError(sha256, cause)
        })
      }
    },
    async remove() {}, // the folder goes as a whole
  }
}
