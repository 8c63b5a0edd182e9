import { constants, type Dirent } from 'node:fs'
import { lstat, open, opendir, type FileHandle } from 'node:fs/promises'
import { safePath } from '../../core/safe-path.ts'
import { showLine } from '../../core/visible-text.ts'
import { dropSetId } from './workspace.ts'

export interface CollectedFile {
  path: string
  content: Buffer
}

export type SkipReason =
  | 'link'
  | 'fifo'
  | 'socket'
  | 'device'
  | 'too_large'
  | 'too_deep'
  | 'too_many'
  | 'total_too_large'
  | 'bad_name'
  | 'unreadable'
/** `path` is made to be shown, not to be opened: names may hold anything. */
export interface SkippedFile {
  path: string
  reason: SkipReason
}

export interface Collected {
  files: CollectedFile[]
  skipped: SkippedFile[]
}

export interface CollectLimits {
  entries: number
  depth: number
  fileBytes: number
  totalBytes: number
}

const LIMITS: CollectLimits = { entries: 10_000, depth: 64, fileBytes: 10 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 }
const BLOCK_BYTES = 512
/**
 * A FIFO would wait for a writer, and four of them would stop all file access of this process; a terminal would become
 * ours.
 */
const OPEN_SAFELY = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/** null when it is not UTF-8. */
function textOf(name: Buffer): string | null {
  const text = name.toString()
  return Buffer.from(text).equals(name) ? text : null
}

/** The entries of a folder, one by one, their names as bytes. */
async function listFolder(folder: Buffer): Promise<AsyncIterable<Dirent<Buffer>>> {
  // The types know of text alone; Node takes and gives bytes.
  return (await opendir(folder as unknown as string, {
    encoding: 'buffer' as BufferEncoding,
  })) as AsyncIterable<unknown> as AsyncIterable<Dirent<Buffer>>
}

/**
 * What a program's files answer that it closed, or put something else in the place of; all else is a failure of this
 * machine.
 */
const CLOSED = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENODEV'])

/** null for one that may not be opened. */
async function openUnlessClosed(at: Buffer, flags: number): Promise<FileHandle | null> {
  try {
    return await open(at, flags)
  } catch (error) {
    if (!CLOSED.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return null
  }
}

function kindOf(entry: Dirent<Buffer>): SkipReason {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFIFO()) return 'fifo'
  return entry.isSocket() ? 'socket' : 'device'
}

async function readRegular(
  at: Buffer,
  { fileBytes, roomBytes }: { fileBytes: number; roomBytes: number },
): Promise<Buffer | SkipReason> {
  await using file = await openUnlessClosed(at, OPEN_SAFELY)
  if (file === null) return 'unreadable'
  const found = await file.stat()
  if (!found.isFile()) return 'device'
  await dropSetId(file, found.mode)
  if (found.size > fileBytes || found.blocks * BLOCK_BYTES > fileBytes) return 'too_large'
  if (found.size > roomBytes) return 'total_too_large'
  const content = Buffer.alloc(found.size)
  let filled = 0
  while (filled < content.length) {
    const { bytesRead } = await file.read(content, filled, content.length - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return content.subarray(0, filled)
}

/**
 * Reads the regular files of a workspace in which nothing runs any more; follows no link, and takes no set-id bit
 * along. Everything else is listed with the reason. At most `totalBytes` of memory.
 *
 * Each folder is opened once and what it holds is reached through that, so that no link that took a folder's place is
 * followed either.
 *
 * @param ignore - Names of files and folders, wherever they lie, that are left out without being counted.
 */
export async function collectFiles(
  dir: string,
  { ignore = [], limits = LIMITS }: { ignore?: readonly string[]; limits?: CollectLimits } = {},
): Promise<Collected> {
  const files: CollectedFile[] = []
  const skipped: SkippedFile[] = []
  const ignored = new Set(ignore)
  let entries = 0
  let totalBytes = 0
  const skip = (path: string, reason: SkipReason) => {
    skipped.push({ path: showLine(path), reason })
  }

  /** @returns false when there are too many entries. */
  async function walk(place: Buffer, path: string, depth: number): Promise<boolean> {
    await using folder = await openUnlessClosed(place, OPEN_SAFELY | constants.O_DIRECTORY)
    if (folder === null || depth > limits.depth) {
      skip(path, folder === null ? 'unreadable' : 'too_deep')
      return true
    }
    const within = Buffer.from(`/proc/self/fd/${folder.fd}/`)
    const below: Array<{ at: Buffer; path: string }> = []
    for await (const entry of await listFolder(within)) {
      const name = textOf(entry.name)
      if (name !== null && ignored.has(name)) continue
      if (entries >= limits.entries) return false
      entries++
      const entryPath = `${path === '' ? '' : `${path}/`}${name ?? entry.name.toString()}`
      const at = Buffer.concat([within, entry.name])
      if (name === null || safePath(entryPath) !== entryPath) skip(entryPath, 'bad_name')
      else if (entry.isDirectory()) below.push({ at, path: entryPath })
      else if (!entry.isFile()) skip(entryPath, kindOf(entry))
      else await take(at, entryPath)
    }
    for (const { at, path: folderPath } of below) if (!(await walk(at, folderPath, depth + 1))) return false
    return true
  }

  async function take(at: Buffer, path: string): Promise<void> {
    const read = await readRegular(at, { fileBytes: limits.fileBytes, roomBytes: limits.totalBytes - totalBytes })
    if (typeof read === 'string') return skip(path, read)
    totalBytes += read.length
    files.push({ path, content: read })
  }

  if ((await lstat(dir)).isDirectory() && !(await walk(Buffer.from(dir), '', 0))) skip('', 'too_many')
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), skipped }
}
