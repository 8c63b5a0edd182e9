import type { LocatedCode } from '../../core/resolution.ts'
import type { FindSuspects, Suspects } from './suspects.ts'

/** History that is being fetched, and time for git, may have come by then. */
const RETRY_MS = 1_000

/**
 * Remembers the suspects of what was located for as long as that is remembered itself: they belong to its marked lines,
 * the object and not its content. Without all of the history, or when git had no time for all of it, they are looked
 * for again, but not for each of many requests.
 */
export function cacheSuspects(find: FindSuspects, { now = Date.now }: { now?: () => number } = {}): FindSuspects {
  const known = new WeakMap<LocatedCode['marked'], { suspects: Suspects; until: number }>()

  return async (marked, signal) => {
    const before = known.get(marked)
    if (before !== undefined && now() < before.until) return before.suspects
    const suspects = await find(marked, signal)
    if (known.get(marked)?.until === Infinity) return suspects // asked at the same time, another found all of them
    known.set(marked, { suspects, until: suspects.suspectsStatus === 'ok' ? Infinity : now() + RETRY_MS })
    return suspects
  }
}
