import { createHash } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { threadCaches, type CacheBudget } from '../../core/cache-budget.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import type { WrittenCode } from '../../core/resolution.ts'
import type { LocateRequest } from '../locate.ts'

type Locate = (request: LocateRequest, signal?: AbortSignal) => Promise<WrittenCode>

interface MemoryOptions {
  /** A value that changes with each published generation of a project; null while there is none. */
  publicationOf: (project: string) => Promise<string | null>
  budget?: CacheBudget
  maxAgeMs?: number
  now?: () => number
}

/** The history and the tags of a clone arrive without a new generation, so entries expire. */
const MAX_AGE_MS = 60_000
const MAX_TRACE_CHARS = 262_144
const BYTES_PER_CHAR = 2
const NO_TIME = { parse: 0, map: 0, retrieve: 0, context: 0 }
/** A quarter of the size for a fifth of a millisecond: many more answers are remembered. */
const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** The most that answers take which are asked for all the time and so are kept unpacked, beside the budget. */
const UNPACKED_BYTES = 2 * 1_048_576

/** An answer as it is remembered: its JSON is packed. */
type Packed = WrittenCode

/** Size of an entry: the packed JSON, and about what stands beside it. */
const bytesOf = ({ json, marked, unwritten }: Packed): number =>
  json.length + BYTES_PER_CHAR * JSON.stringify([marked, unwritten]).length

/** The packed JSON is copied: zstd gives a view of a buffer of 64 KiB, which would stay as long as the view. */
const pack = (located: WrittenCode): Packed => ({
  ...located,
  json: Uint8Array.from(zstdCompressSync(located.json, PACKING)),
  timingsMs: NO_TIME,
})

/**
 * Remembers what was located for a text, because the same crash comes again and again: the same question to the same
 * generation of an index has the same answer. Two kinds of results are not kept: those asked for with a `ref`, which
 * may mean another commit the next time, and those found without vectors because the embedding service did not answer.
 */
export function cacheLocated(
  locate: Locate,
  { publicationOf, budget = threadCaches, maxAgeMs = MAX_AGE_MS, now = Date.now }: MemoryOptions,
): Locate {
  const unpacked = new RecentlyUsed<Packed, Uint8Array>(UNPACKED_BYTES, ({ length }) => length)
  const known = new RecentlyUsed<string, Packed>(budget, bytesOf, packed => unpacked.delete(packed))
  /** When each entry expires, the first to expire first. */
  const expiries = new Map<string, number>()
  let timer: NodeJS.Timeout | null = null

  function dropExpired(): void {
    const time = now()
    for (const [key, expiry] of expiries) {
      if (time < expiry) return
      expiries.delete(key)
      known.delete(key)
    }
  }

  /** Nobody may ask any more, and then memory goes back all the same. */
  function dropLater(): void {
    timer ??= setTimeout(() => {
      timer = null
      dropExpired()
      if (expiries.size > 0) dropLater()
    }, maxAgeMs).unref()
  }

  function remember(key: string, located: WrittenCode): void {
    known.set(key, pack(located))
    expiries.delete(key)
    expiries.set(key, now() + maxAgeMs)
    dropLater()
  }

  return async (request, signal) => {
    if (request.ref !== undefined || request.stackTrace.length > MAX_TRACE_CHARS) return await locate(request, signal)
    const publication = await publicationOf(request.projectName)
    const key = createHash('sha256')
      .update(JSON.stringify([publication, request]))
      .digest('base64')
    dropExpired()
    const found = known.find(key)
    if (found !== undefined) return { ...found, json: unpacked.get(found, () => zstdDecompressSync(found.json)) }
    const located = await locate(request, signal)
    if (!located.degraded && publication !== null && publication === (await publicationOf(request.projectName))) {
      remember(key, located)
    }
    return located
  }
}
