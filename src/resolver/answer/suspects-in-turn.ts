import { setTimeout as wait } from 'node:timers/promises'
import type { LocatedCode } from '../../core/resolution.ts'
import type { FindSuspects, Suspects } from './suspects.ts'

interface InTurnOptions {
  /**
   * Resolves when answers need the processors less; null while they do not need them more than usual. The signal says
   * that nobody waits any more.
   */
  untilCalm: (signal: AbortSignal) => Promise<void> | null
  /** Searches that may wait. */
  maxWaiting?: number
  maxAgeMs?: number
  now?: () => number
  rest?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

interface Waiting {
  marked: LocatedCode['marked']
  since: number
  end: (suspects: Suspects | Promise<Suspects>) => void
}

/** A search that waits is a list of lines. */
const MAX_WAITING = 300
/** Who asked so long ago asks again, or not at all. */
const MAX_AGE_MS = 600_000
/** In a rush git rests after each search for so many times as long as it took. */
const REST_SHARE = 9
const LATE: Suspects = { suspectCommits: [], suspectsStatus: 'timed_out' }

/**
 * Searches one after the other, those asked for last first: somebody waits for them. In a rush git has a tenth of the
 * time, and afterwards all of it, until what was asked meanwhile is found out. Of more than may wait the oldest end as
 * `timed_out`.
 */
export function suspectsInTurn(
  find: FindSuspects,
  {
    untilCalm,
    maxWaiting = MAX_WAITING,
    maxAgeMs = MAX_AGE_MS,
    now = () => performance.now(),
    rest = (ms, signal) => wait(ms, undefined, { ref: false, signal }),
  }: InTurnOptions,
): FindSuspects {
  const waiting: Waiting[] = []
  let isAtWork = false
  let timer: NodeJS.Timeout | undefined

  function dropOldest(): void {
    while (waiting.length > maxWaiting || now() - (waiting[0]?.since ?? Infinity) >= maxAgeMs) {
      waiting.shift()?.end(LATE)
    }
    const [oldest] = waiting
    clearTimeout(timer)
    // a search may take as long as it likes, and nobody else may ask
    if (oldest !== undefined) timer = setTimeout(dropOldest, maxAgeMs - (now() - oldest.since)).unref()
  }

  /** In a rush, resolves when git may work again after a search that began then. */
  async function restSince(startedAt: number): Promise<void> {
    if (waiting.length === 0) return
    const over = new AbortController()
    const calm = untilCalm(over.signal)
    if (calm === null) return
    await Promise.race([calm, rest(REST_SHARE * (now() - startedAt), over.signal)])
    over.abort()
  }

  async function work(): Promise<void> {
    for (;;) {
      dropOldest()
      const next = waiting.pop()
      if (next === undefined) break
      const startedAt = now()
      const found = (async () => await find(next.marked))() // it may throw at once
      next.end(found)
      await found.catch(() => {}) // who asked hears of it
      await restSince(startedAt)
    }
    isAtWork = false
  }

  return marked =>
    new Promise(resolve => {
      waiting.push({ marked, since: now(), end: resolve })
      dropOldest()
      if (isAtWork) return
      isAtWork = true
      work().catch(() => {}) // it never rejects
    })
}
