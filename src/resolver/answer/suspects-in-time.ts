import type { LocatedCode } from '../../core/resolution.ts'
import type { FindSuspects, Suspects } from './suspects.ts'

/** A search that goes on after its answer. */
export interface LateSuspects {
  /** Rejects where the search fails. */
  readonly found: Promise<Suspects>
  /** What was found by now; null until the search ends. */
  readonly known: Suspects | null
}

/** What is known when an answer must not wait any longer. */
export interface SuspectsInTime {
  suspects: Suspects
  /** The search, while it is pending; else null. */
  rest: LateSuspects | null
}

/** Finds the commits that changed the lines of a trace, as far as an answer can wait for them. */
export type FindSuspectsInTime = (marked: LocatedCode['marked'], signal?: AbortSignal) => Promise<SuspectsInTime>

interface InTimeOptions {
  /** How long an answer waits while no other does. */
  aloneMs?: number
  now?: () => number
  /** Called once for a search that fails, however many asked for it. */
  onFailed?: (error: unknown) => void
}

/** A search takes some hundred milliseconds of git, which the only user of a machine would rather wait for. */
const ALONE_MS = 1_500
/** By then the history may have been fetched, or git may have had time. */
const RETRY_MS = 1_000
const PENDING: Suspects = { suspectCommits: [], suspectsStatus: 'pending' }

/** One search, for all who ask about the same lines. */
class Search implements LateSuspects {
  readonly found: Promise<Suspects>
  readonly startedAt: number
  known: Suspects | null = null
  /** When another may be started for the same lines. */
  until = Infinity

  constructor(find: () => Promise<Suspects>, now: () => number) {
    this.startedAt = now()
    this.found = this.#run(find, now)
  }

  async #run(find: () => Promise<Suspects>, now: () => number): Promise<Suspects> {
    try {
      const suspects = await find()
      this.until = suspects.suspectsStatus === 'ok' ? Infinity : now() + RETRY_MS
      this.known = suspects
      return suspects
    } catch (error) {
      this.until = -Infinity
      throw error
    }
  }
}

/**
 * Answers that wait for git at once. With n of them each search gets the n²-th part of what one alone may take: under
 * load git is the slowest part by far, and nobody should wait for it. The time counts from the start of the search: who
 * asks about the same lines once it is over waits for nothing.
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
  async for({ found, startedAt }: Search, signal: AbortSignal | undefined): Promise<Suspects | null> {
    const spentMs = this.#now() - startedAt
    if (spentMs > 0 && spentMs >= this.#aloneMs / (this.#ends.size + 1) ** 2) return null
    const over = Promise.withResolvers<null>()
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
      return await Promise.race([found, over.promise])
    } finally {
      this.#ends.delete(endAfter)
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
  }
}

/**
 * Looks for suspects once for as long as the located code they belong to is remembered; the key is its list of marked
 * lines, compared by identity. While a search is under way, nobody starts another for equal lines. It goes on when
 * nobody waits for it any more. A result without the whole history, or one that git had too little time for, is kept
 * for a second only.
 */
export function findSuspectsInTime(
  find: FindSuspects,
  { aloneMs = ALONE_MS, now = () => performance.now(), onFailed }: InTimeOptions = {},
): FindSuspectsInTime {
  const searches = new WeakMap<LocatedCode['marked'], Search>()
  const underWay = new Map<string, Search>()
  const waiting = new Waiting(aloneMs, now)

  function start(marked: LocatedCode['marked'], key: string): Search {
    const search = new Search(() => find(marked), now)
    underWay.set(key, search)
    search.found.catch(error => onFailed?.(error)).finally(() => underWay.delete(key))
    return search
  }

  function searchFor(marked: LocatedCode['marked']): Search {
    const before = searches.get(marked)
    if (before !== undefined && now() < before.until) return before
    const key = JSON.stringify(marked)
    const search = underWay.get(key) ?? start(marked, key)
    searches.set(marked, search)
    return search
  }

  return async (marked, signal) => {
    signal?.throwIfAborted()
    const search = searchFor(marked)
    const suspects = search.known ?? (await waiting.for(search, signal))
    return suspects === null ? { suspects: PENDING, rest: search } : { suspects, rest: null }
  }
}
