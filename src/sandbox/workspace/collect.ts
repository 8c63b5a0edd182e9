import { constants, type Dirent } from 'node:fs'
import { lstat, open, opendir, type FileHandle } from 'node:fs/promises'
import { folderOf } from '../../core/path-names.ts'
import { safePath } from '../../core/safe-path.ts'
import { showLine } from '../../core/visible-text.ts'
import { dropSetId } from './workspace.ts'

/** A regular file of a workspace, with its content. */
export interface CollectedFile {
  path: string
  content: Buffer
}

/** Why a file was left out. */
type SkipReason =
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
/** A file that was left out. `path` is made to be shown, not to be opened: names may hold anything. */
export interface SkippedFile {
  path: string
  reason: SkipReason
}

/** The files of a workspace, and those that were left out. */
export interface Collected {
  files: CollectedFile[]
  skipped: SkippedFile[]
}

/** How much is collected at most. */
interface CollectLimits {
  entries: number
  depth: number
  fileBytes: number
  totalBytes: number
}

const LIMITS: CollectLimits = { entries: 10_000, depth: 64, fileBytes: 10 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 }
/** A search for some files passes by all others, which cost little. */
const SEARCHED_ENTRIES = 100_000
const BLOCK_BYTES = 512
/**
 * Opening a FIFO would wait for a writer, and four of them would stop all file access of this process; a terminal would
 * become ours.
 */
const OPEN_SAFELY = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/** A name as text; null when it is not UTF-8. */
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

/** Errors for files that a program closed or replaced; any other error is a failure of this machine. */
const CLOSED = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENODEV'])

/** Opens a file; null for one that may not be opened. */
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
 * Whether a file is among those that are wanted: by its path, by its name wherever it lies (`.../name`), or as XML in a
 * folder whose path ends so (`folder/`).
 */
function isWanted(path: string, only: readonly string[]): boolean {
  return only.some(wanted => {
    if (wanted.startsWith('.../')) return `/${path}`.endsWith(wanted.slice(3))
    return wanted.endsWith('/') ? path.endsWith('.xml') && `/${folderOf(path)}`.endsWith(`/${wanted}`) : path === wanted
  })
}

interface Found {
  /** Where it can be opened: below the handle of its folder. */
  at: Buffer
  path: string
}

/** What is collected. */
interface CollectOptions {
  /** Names of files and folders that are left out wherever they lie, without being counted. */
  ignore?: readonly string[]
  /**
   * The files that are wanted: `a/b.xml`, `.../b.xml` wherever it lies, `target/reports/` for the XML in each such
   * folder. Default: all.
   */
  only?: readonly string[]
  /** The folder whose files are wanted. Default: all. */
  below?: string
  limits?: CollectLimits
}

/** One collection: what was read and left out so far, and how much of the limits is used up. */
class Collector {
  readonly files: CollectedFile[] = []
  readonly skipped: SkippedFile[] = []
  readonly #limits: CollectLimits
  readonly #ignored: ReadonlySet<string>
  readonly #only: readonly string[] | undefined
  readonly #below: string | undefined
  #entries = 0
  #totalBytes = 0

  constructor({ ignore = [], only, below, limits = LIMITS }: CollectOptions) {
    const isSearch = only !== undefined || below !== undefined
    this.#limits = isSearch ? { ...limits, entries: Math.max(limits.entries, SEARCHED_ENTRIES) } : limits
    this.#ignored = new Set(ignore)
    this.#only = only
    this.#below = below
  }

  /** Whether a folder is on the way to the one that is wanted, or in it. */
  #leadsThere(path: string): boolean {
    const wanted = this.#below
    return wanted === undefined || `${wanted}/`.startsWith(`${path}/`) || path.startsWith(`${wanted}/`)
  }

  skip(path: string, reason: SkipReason): void {
    this.skipped.push({ path: showLine(path), reason })
  }

  /**
   * Reads a folder and everything below it.
   *
   * @returns False when there are too many entries.
   */
  async walk({ at: place, path }: Found, depth = 0): Promise<boolean> {
    await using folder = await openUnlessClosed(place, OPEN_SAFELY | constants.O_DIRECTORY)
    if (folder === null || depth > this.#limits.depth) {
      this.skip(path, folder === null ? 'unreadable' : 'too_deep')
      return true
    }
    const within = Buffer.from(`/proc/self/fd/${folder.fd}/`)
    const below: Found[] = []
    for await (const entry of await listFolder(within)) {
      const name = textOf(entry.name)
      if (this.#ignored.has(name ?? '')) continue
      if (this.#entries >= this.#limits.entries) return false
      this.#entries++
      const shownName = name ?? entry.name.toString()
      const found = { at: Buffer.concat([within, entry.name]), path: path === '' ? shownName : `${path}/${shownName}` }
      if (name === null || safePath(found.path) !== found.path) this.skip(found.path, 'bad_name')
      else if (entry.isDirectory()) below.push(...(this.#leadsThere(found.path) ? [found] : []))
      else await this.#take(entry, found)
    }
    return await this.#walkAll(below, depth + 1)
  }

  async #walkAll(folders: readonly Found[], depth: number): Promise<boolean> {
    for (const folder of folders) if (!(await this.walk(folder, depth))) return false
    return true
  }

  async #take(entry: Dirent<Buffer>, { at, path }: Found): Promise<void> {
    if (this.#only !== undefined && !isWanted(path, this.#only)) return
    if (this.#below !== undefined && !path.startsWith(`${this.#below}/`)) return
    if (!entry.isFile()) return this.skip(path, kindOf(entry))
    const { fileBytes, totalBytes } = this.#limits
    const read = await readRegular(at, { fileBytes, roomBytes: totalBytes - this.#totalBytes })
    if (typeof read === 'string') return this.skip(path, read)
    this.#totalBytes += read.length
    this.files.push({ path, content: read })
  }
}

/**
 * Reads the regular files of a workspace in which nothing runs any more; follows no link, and takes no set-id bit
 * along. Everything else is listed with the reason. At most `totalBytes` of memory.
 *
 * Each folder is opened once and its entries are reached through that handle, so that a link that replaced a folder is
 * not followed either.
 */
export async function collectFiles(dir: string, options: CollectOptions = {}): Promise<Collected> {
  const collector = new Collector(options)
  if ((await lstat(dir)).isDirectory()) {
    const isWhole = await collector.walk({ at: Buffer.from(dir), path: '' })
    if (!isWhole) collector.skip('', 'too_many')
  }
  return { files: collector.files.sort((a, b) => (a.path < b.path ? -1 : 1)), skipped: collector.skipped }
}
