import type { LocatedCode } from '../../core/resolution.ts'
import type { FindSuspects, Suspects } from './suspects.ts'

/** By then the history may have been fetched, or git may have had time. */
const RETRY_MS = 1_000

/**
 * Remembers suspects for as long as the located code they belong to is remembered; the key is its list of marked lines,
 * compared by identity. A result without the whole history, or one that git had too little time for, is kept for a
 * second only.
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
