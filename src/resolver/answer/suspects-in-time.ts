import type { LocatedCode } from '../../core/resolution.ts'
import type { FindSuspects, Suspects } from './suspects.ts'

/** What is known when an answer must not wait any longer. */
export interface SuspectsInTime {
  suspects: Suspects
  /** What the search finds after all, while it is pending; else null. */
  rest: Promise<Suspects> | null
}

/** Finds the commits that changed the lines of a trace, as far as an answer can wait for them. */
export type FindSuspectsInTime = (marked: LocatedCode['marked'], signal?: AbortSignal) => Promise<SuspectsInTime>

interface InTimeOptions {
  /** How long an answer waits while no other does. */
  aloneMs?: number
  now?: () => number
}

/** A search takes some hundred milliseconds of git, which the only user of a machine would rather wait for. */
const ALONE_MS = 1_500
/** By then the history may have been fetched, or git may have had time. */
const RETRY_MS = 1_000
const PENDING: Suspects = { suspectCommits: [], suspectsStatus: 'pending' }

/**
 * Answers that wait for git at once. With n of them each waits for the n²-th part of what one alone may: under load
 * git is the slowest part by far, and nobody should wait for it.
 */
class Waiting {
  readonly #aloneMs: number
  readonly #now: () => number
  readonly #ends = new Set<(limitMs: number) => void>()

  constructor(aloneMs: number, now: () => number) {
    this.#aloneMs = aloneMs
    this.#now = now
  }

  /** Resolves with null when the wait is over; rejects when the signal fires. */
  async for<T>(search: Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
    const over = Promise.withResolvers<null>()
    const startedAt = this.#now()
    let timer: NodeJS.Timeout | undefined
    const endAfter = (limitMs: number): void => {
      clearTimeout(timer)
      timer = setTimeout(() => over.resolve(null), Math.max(0, limitMs - (this.#now() - startedAt)))
    }
    const leave = (): void => over.reject(signal?.reason)
    signal?.addEventListener('abort', leave)
    this.#ends.add(endAfter)
    const limitMs = this.#aloneMs / this.#ends.size ** 2
    for (const shorten of this.#ends) shorten(limitMs)
    try {
      return await Promise.race([search, over.promise])
    } finally {
      this.#ends.delete(endAfter)
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
  }
}

/**
 * Looks for suspects once for as long as the located code they belong to is remembered; the key is its list of marked
 * lines, compared by identity. A search goes on when nobody waits for it any more. A result without the whole history,
 * or one that git had too little time for, is kept for a second only.
 */
export function findSuspectsInTime(
  find: FindSuspects,
  { aloneMs = ALONE_MS, now = () => performance.now() }: InTimeOptions = {},
): FindSuspectsInTime {
  const known = new WeakMap<LocatedCode['marked'], { suspects: Suspects; until: number }>()
  const searches = new WeakMap<LocatedCode['marked'], Promise<Suspects>>()
  const waiting = new Waiting(aloneMs, now)

  async function search(marked: LocatedCode['marked']): Promise<Suspects> {
    const suspects = await find(marked)
    known.set(marked, { suspects, until: suspects.suspectsStatus === 'ok' ? Infinity : now() + RETRY_MS })
    return suspects
  }

  function start(marked: LocatedCode['marked']): Promise<Suspects> {
    const searching = search(marked).finally(() => searches.delete(marked))
    searching.catch(() => {}) // whoever waits for it hears of it; nobody may
    searches.set(marked, searching)
    return searching
  }

  return async (marked, signal) => {
    signal?.throwIfAborted()
    const before = known.get(marked)
    if (before !== undefined && now() < before.until) return { suspects: before.suspects, rest: null }
    const searching = searches.get(marked) ?? start(marked)
    const suspects = await waiting.for(searching, signal)
    if (suspects !== null) return { suspects, rest: null }
    return { suspects: PENDING, rest: searching }
  }
}
