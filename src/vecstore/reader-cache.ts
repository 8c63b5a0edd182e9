import { threadCaches, type BudgetEntry, type CacheBudget } from '../core/cache-budget.ts'
import { FaultlineError } from '../core/errors.ts'
import { memoryBytes } from '../core/memory.ts'
import { openFileLimit } from '../core/open-files.ts'
import { LARGE_CHUNKS } from '../core/project.ts'
import type { GenerationReader } from './generation-reader.ts'
import type { Store } from './store.ts'

const MAX_OPEN = 8
/** Files that a process may have open for each index that stays open: there are several threads, and other work. */
const FILES_AN_INDEX = 128
/** The share of the memory that the process may use, for large indexes that are open beside the one used last. */
const OPEN_SHARE = 0.25
/** What a chunk of an open index takes: 750 MB were measured for 412,725. */
const CHUNK_BYTES = 2_000

/**
 * The most that large indexes may take which stay open beside the one used last, where so many bytes can be used. Each
 * is larger than all caches may be together, and takes seconds to open.
 */
export const largeIndexBytes = (memory = memoryBytes()): number => memory * OPEN_SHARE

/** How many indexes a thread keeps open in a process that may open so many files. */
const openIndexes = (files: number): number => Math.max(1, Math.min(MAX_OPEN, Math.floor(files / FILES_AN_INDEX)))

/** Codes of SQLite for a file that the disk fails to read, that is damaged, or that is no database. */
const DAMAGES = new Set([10, 11, 26])

/** The error of an index that was damaged while it was open, in place of the one of SQLite; any other as it is. */
function namingDamage(error: unknown, project: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || !DAMAGES.has(Number(error.errcode) % 256)) return error
  return new FaultlineError(
    'INDEX_INCOMPATIBLE',
    `The index of project ${project} was damaged while it was in use.`,
    `DELETE /projects/${project}, then POST /clone each of its repositories again.`,
    { cause: error },
  )
}

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
  /** In the budget; null while it is the one used last. */
  counted: BudgetEntry | null
}

interface ReaderCacheOptions {
  maxOpen?: number
  /** For what is open beside the generation used last. */
  budget?: CacheBudget
  /** Chunks from which on a generation is closed before its successor is opened, unless it is in use. */
  largeChunks?: number
}

/**
 * Keeps the generations of the projects used last open, so that not every query pays for opening one (checksums, about
 * 1 ms a megabyte). Each use looks at `CURRENT` first and so sees what was published meanwhile; a generation in use is
 * never closed under its user. One that is large and not in use is closed before its successor is opened. Lives as long
 * as its thread; disposing of it closes what nobody uses, and the rest with its last use.
 */
export class ReaderCache implements AsyncDisposable {
  readonly #store: Pick<Store, 'openReader' | 'publication'>
  readonly #maxOpen: number
  readonly #budget: CacheBudget
  readonly #largeChunks: number
  /** By project, in the order of last use. Two uses that open at once share the promise. */
  readonly #entries = new Map<string, Opening>()
  #last: string | null = null
  /** Of what went out of the budget. */
  readonly #closing: Array<Promise<void>> = []

  constructor(store: Pick<Store, 'openReader' | 'publication'>, options: ReaderCacheOptions = {}) {
    const { maxOpen = openIndexes(openFileLimit()), budget = threadCaches, largeChunks = LARGE_CHUNKS } = options
    this.#store = store
    this.#maxOpen = maxOpen
    this.#budget = budget
    this.#largeChunks = largeChunks
  }

  /**
   * Runs `work` on the published generation of a project.
   *
   * @throws {FaultlineError} What `Store.openReader` throws, and INDEX_INCOMPATIBLE for damage met meanwhile.
   */
  async use<T>(project: string, work: (reader: GenerationReader) => T | Promise<T>): Promise<T> {
    const entry = await this.#acquire(project)
    try {
      await this.#retireOldest()
      return await work(entry.reader)
    } catch (error) {
      throw namingDamage(error, project)
    } finally {
      await this.#release(entry)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [...this.#entries]
    for (const [project, entry] of open) this.#forget(project, entry)
    for (const [, { opening }] of open) await this.#retire(opening)
  }

  async #retire(opening: Promise<Entry>): Promise<void> {
    const entry = await opening.catch(() => null) // whoever opened it has the error
    if (entry === null || entry.isRetired) return
    entry.isRetired = true
    if (entry.users === 0) await entry.reader[Symbol.asyncDispose]()
  }

  async #open(project: string, previous: Opening | undefined): Promise<Entry> {
    await previous?.opening.catch(() => null)
    if (previous !== undefined && previous.chunks >= this.#largeChunks) await this.#retire(previous.opening)
    return { reader: await this.#store.openReader(project), users: 0, isRetired: false }
  }

  async #acquire(project: string): Promise<Entry> {
    const publication = await this.#store.publication(project)
    const known = this.#entries.get(project)
    const isFresh = known !== undefined && known.publication === publication
    const current = isFresh ? known : { publication, opening: this.#open(project, known), chunks: 0, counted: null }
    if (known !== undefined) this.#forget(project, known)
    this.#entries.set(project, current)
    this.#becomesLast(project)
    try {
      const entry = await current.opening
      if (entry.isRetired) return await this.#acquire(project) // it was closed while we waited
      current.chunks = entry.reader.manifest.chunksTotal
      entry.users++
      return entry
    } catch (error) {
      if (this.#entries.get(project) === current) this.#forget(project, current)
      throw error
    } finally {
      if (known !== undefined && !isFresh) await this.#retire(known.opening)
    }
  }

  async #release(entry: Entry): Promise<void> {
    entry.users--
    if (entry.isRetired && entry.users === 0) await entry.reader[Symbol.asyncDispose]()
  }

  #forget(project: string, entry: Opening): void {
    this.#entries.delete(project)
    if (entry.counted !== null) this.#budget.remove(entry.counted)
    entry.counted = null
  }

  /** The one that was the last until now counts against the budget. */
  #becomesLast(project: string): void {
    const previous = this.#last
    this.#last = project
    const entry = previous === null || previous === project ? undefined : this.#entries.get(previous)
    if (previous === null || entry === undefined || entry.counted !== null) return
    entry.counted = {
      bytes: entry.chunks * CHUNK_BYTES,
      drop: () => {
        entry.counted = null
        this.#entries.delete(previous)
        this.#closing.push(this.#retire(entry.opening))
      },
      newer: null,
      older: null,
    }
    this.#budget.add(entry.counted)
  }

  async #retireOldest(): Promise<void> {
    for (const [project, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxOpen) break
      this.#forget(project, entry)
      await this.#retire(entry.opening)
    }
    await Promise.all(this.#closing.splice(0))
  }
}
