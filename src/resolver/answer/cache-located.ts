import { createHash } from 'node:crypto'
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

/** Size of an entry: the JSON, and about as much as it was written from. */
const bytesOf = ({ code, json }: WrittenCode): number =>
  json.length + BYTES_PER_CHAR * (json.length + JSON.stringify(code.marked).length)

/**
 * Remembers what was located for a text, because the same crash comes again and again: the same question to the same
 * generation of an index has the same answer. Two kinds of results are not kept: those asked for with a `ref`, which
 * may mean another commit the next time, and those found without vectors because the embedding service did not answer.
 */
export function cacheLocated(
  locate: Locate,
  { publicationOf, budget = threadCaches, maxAgeMs = MAX_AGE_MS, now = Date.now }: MemoryOptions,
): Locate {
  const known = new RecentlyUsed<string, WrittenCode>(budget, bytesOf)
  /** When each entry expires, the first to expire first. */
  const expiries = new Map<string, number>()

  function dropExpired(): void {
    const time = now()
    for (const [key, expiry] of expiries) {
      if (time < expiry) return
      expiries.delete(key)
      known.delete(key)
    }
  }

  function remember(key: string, located: WrittenCode): void {
    known.set(key, located)
    expiries.delete(key)
    expiries.set(key, now() + maxAgeMs)
  }

  return async (request, signal) => {
    if (request.ref !== undefined || request.stackTrace.length > MAX_TRACE_CHARS) return await locate(request, signal)
    const publication = await publicationOf(request.projectName)
    const key = createHash('sha256')
      .update(JSON.stringify([publication, request]))
      .digest('base64')
    dropExpired()
    const found = known.find(key)
    if (found !== undefined) return { json: found.json, code: { ...found.code, timingsMs: NO_TIME } }
    const located = await locate(request, signal)
    if (!located.code.degraded && publication !== null && publication === (await publicationOf(request.projectName))) {
      remember(key, located)
    }
    return located
  }
}
