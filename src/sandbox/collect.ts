import { constants, type Dirent } from 'node:fs'
import { lstat, open, opendir, type FileHandle } from 'node:fs/promises'
import { safePath } from '../core/safe-path.ts'
import { showLine } from '../core/visible-text.ts'
import { dropSetId } from './workspace.ts'

export interface CollectedFile { path: string, content: Buffer }

export type SkipReason = 'link' | 'fifo' | 'socket' | 'device' | 'too_large' | 'too_deep' | 'too_many' | 'total_too_large' | 'bad_name' | 'unreadable'
/** `path` is made to be shown, not to be opened: names may hold anything. */
export interface SkippedFile { path: string, reason: SkipReason }

export interface Collected { files: CollectedFile[], skipped: SkippedFile[] }

export interface CollectLimits { entries: number, depth: number, fileBytes: number, totalBytes: number }

const LIMITS: CollectLimits = { entries: 10_000, depth: 64, fileBytes: 10 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 }
const BLOCK_BYTES = 512
/** A FIFO would wait for a writer, and four of them would stop all file access of this process; a terminal would become ours. */
const OPEN_SAFELY = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/**
 * Reads the regular files of a workspace in which nothing runs any more; follows no link, and takes no set-id bit along. Everything else is
 * listed with the reason. At most `totalBytes` of memory.
 *
 * @param ignore - Paths, of folders too, that are left out without being counted.
 */
export async function collectFiles (dir: string, { ignore = () => false, limits = LIMITS }: { ignore?: (path: string) => boolean, limits?: CollectLimits } = {}): Promise<Collected> {
  const files: CollectedFile[] = []
  const skipped: SkippedFile[] = []
  let entries = 0
  let totalBytes = 0
  const skip = (path: string, reason: SkipReason) => { skipped.push({ path: showLine(path), reason }) }

  /** @returns false when there are too many entries. */
  async function walk (folder: Buffer, prefix: string, depth: number): Promise<boolean> {
    if (depth > limits.depth) {
      skip(prefix.slice(0, -1), 'too_deep')
      return true
    }
    const below: Array<{ at: Buffer, path: string }> = []
    const listed = await listFolder(folder, limits.entries - entries)
    if (listed === null) {
      skip(prefix.slice(0, -1), 'unreadable')
      return true
    }
    entries += listed.length
    for (const entry of listed) {
      const name = textOf(entry.name)
      const path = prefix + (name ?? entry.name.toString())
      if (ignore(path)) continue
      const at = Buffer.concat([folder, SLASH, entry.name])
      if (name === null || safePath(path) !== path) skip(path, 'bad_name')
      else if (entry.isDirectory()) below.push({ at, path })
      else if (!entry.isFile()) skip(path, kindOf(entry))
      else await take(at, path)
    }
    if (entries >= limits.entries) return false
    for (const { at, path } of below) if (!await walk(at, `${path}/`, depth + 1)) return false
    return true
  }

  async function take (at: Buffer, path: string): Promise<void> {
    const read = await readRegular(at, { fileBytes: limits.fileBytes, roomBytes: limits.totalBytes - totalBytes })
    if (typeof read === 'string') return skip(path, read)
    totalBytes += read.length
    files.push({ path, content: read })
  }

  if ((await lstat(dir)).isDirectory() && !await walk(Buffer.from(dir), '', 0)) skip('', 'too_many')
  return { files: files.sort((a, b) => a.path < b.path ? -1 : 1), skipped }
}

const SLASH = Buffer.from('/')

/** null when it is not UTF-8. */
function textOf (name: Buffer): string | null {
  const text = name.toString()
  return Buffer.from(text).equals(name) ? text : null
}

/** The first entries of a folder; null when it may not be read. */
async function listFolder (folder: Buffer, most: number): Promise<Array<Dirent<Buffer>> | null> {
  try {
    const found: Array<Dirent<Buffer>> = []
    // The types know of text alone; Node takes and gives bytes.
    for await (const entry of await opendir(folder as unknown as string, { encoding: 'buffer' as BufferEncoding }) as AsyncIterable<unknown>) {
      if (found.length >= most) break
      found.push(entry as Dirent<Buffer>)
    }
    return found
  } catch {
    return null
  }
}

function kindOf (entry: Dirent<Buffer>): SkipReason {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFIFO()) return 'fifo'
  return entry.isSocket() ? 'socket' : 'device'
}

async function readRegular (at: Buffer, { fileBytes, roomBytes }: { fileBytes: number, roomBytes: number }): Promise<Buffer | SkipReason> {
  let file: FileHandle
  try {
    file = await open(at, OPEN_SAFELY)
  } catch {
    return 'unreadable'
  }
  try {
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
  } finally {
    await file.close()
  }
}
