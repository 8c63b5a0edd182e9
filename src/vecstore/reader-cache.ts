import { memoryBytes } from '../core/memory.ts'
import { LARGE_CHUNKS } from '../core/project.ts'
import type { GenerationReader } from './generation-reader.ts'
import type { Store } from './store.ts'

const MAX_OPEN = 8
/** The share of the memory that the process may use, for indexes that are open beside the one used last. */
const OPEN_SHARE = 0.25
/** What a chunk of an open index takes: 750 MB were measured for 412,725. */
const CHUNK_BYTES = 2_000

/** The most chunks of indexes that stay open beside the one used last, where so many bytes can be used. */
export const openChunks = (memory = memoryBytes()): number => Math.floor((memory * OPEN_SHARE) / CHUNK_BYTES)

interface Entry {
  reader: GenerationReader
  /** Uses under way; a retired entry is closed by the last of them. */
  users: number
  isRetired: boolean
}

interface Opening {
  publication: string | null
  opening: Promise<Entry>
  chunks: number
}

/**
 * Keeps the generations of the projects used last open, so that not every query pays for opening one (checksums, about
 * 1 ms a megabyte). Each use looks at `CURRENT` first and so sees what was published meanwhile; a generation in use is
 * never closed under its user. One that is large and not in use is closed before its successor is opened.
 */
interface ReaderCache extends AsyncDisposable {
  /** Runs `work` on the published generation of a project. @throws {FaultlineError} what `Store.openReader` throws. */
  use<T>(project: string, work: (reader: GenerationReader) => T | Promise<T>): Promise<T>
}

/** A cache over a store, for one thread. */
export function createReaderCache(
  store: Pick<Store, 'openReader' | 'publication'>,
  {
    maxOpen = MAX_OPEN,
    maxChunks = openChunks(),
    largeChunks = LARGE_CHUNKS,
  }: { maxOpen?: number; maxChunks?: number; largeChunks?: number } = {},
): ReaderCache {
  /** By project, in the order of last use. Two uses that open at once share the promise. */
  const entries = new Map<string, Opening>()

  async function retire(opening: Promise<Entry>): Promise<void> {
    const entry = await opening.catch(() => null) // whoever opened it has the error
    if (entry === null || entry.isRetired) return
    entry.isRetired = true
    if (entry.users === 0) await entry.reader[Symbol.asyncDispose]()
  }

  async function open(project: string, previous: Opening | undefined): Promise<Entry> {
    await previous?.opening.catch(() => null)
    if (previous !== undefined && previous.chunks >= largeChunks) await retire(previous.opening)
    return { reader: await store.openReader(project), users: 0, isRetired: false }
  }

  async function acquire(project: string): Promise<Entry> {
    const publication = await store.publication(project)
    const known = entries.get(project)
    const isFresh = known !== undefined && known.publication === publication
    const current = isFresh ? known : { publication, opening: open(project, known), chunks: 0 }
    entries.delete(project)
    entries.set(project, current)
    try {
      const entry = await current.opening
      if (entry.isRetired) return await acquire(project) // it was closed while we waited
      current.chunks = entry.reader.manifest.chunksTotal
      entry.users++
      return entry
    } catch (error) {
      if (entries.get(project) === current) entries.delete(project)
      throw error
    } finally {
      if (known !== undefined && !isFresh) await retire(known.opening)
    }
  }

  async function release(entry: Entry): Promise<void> {
    entry.users--
    if (entry.isRetired && entry.users === 0) await entry.reader[Symbol.asyncDispose]()
  }

  async function retireOldest(): Promise<void> {
    for (const [project, { opening }] of entries) {
      const chunks = [...entries.values()].slice(0, -1).reduce((sum, entry) => sum + entry.chunks, 0)
      if (entries.size <= maxOpen && chunks <= maxChunks) return
      entries.delete(project)
      await retire(opening)
    }
  }

  return {
    async use(project, work) {
      const entry = await acquire(project)
      try {
        await retireOldest()
        return await work(entry.reader)
      } finally {
        await release(entry)
      }
    },
    async [Symbol.asyncDispose]() {
      const open = [...entries.values()]
      entries.clear()
      for (const { opening } of open) await retire(opening)
    },
  }
}
