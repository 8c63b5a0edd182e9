import { setTimeout as delay } from 'node:timers/promises'
import { FaultlineError } from '../../../core/errors.ts'

/** How long work is repeated that the database did not answer. */
export interface Patience {
  /** Milliseconds after which the error is passed on; 0: at once. */
  forMs: number
  /** Ends all waits. */
  signal?: AbortSignal
}

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

const isUnavailable = (error: unknown): boolean =>
  error instanceof FaultlineError && error.code === 'DATABASE_UNAVAILABLE'

/** Resolves after a time; false where nobody waits any more. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal })
    return true
  } catch {
    return false
  }
}

/**
 * Does work again for as long as the database cannot be used and patience lasts. The work has to be safe to repeat: a
 * try that failed may have been carried out, or be carried out yet.
 *
 * @param work - Gets whether it was tried before.
 * @throws {FaultlineError} DATABASE_UNAVAILABLE
 */
export async function persist<T>({ forMs, signal }: Patience, work: (isRepeated: boolean) => Promise<T>): Promise<T> {
  const until = performance.now() + forMs
  for (let tries = 0; ; tries++) {
    try {
      return await work(tries > 0)
    } catch (error) {
      const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
      if (!isUnavailable(error) || performance.now() + ms > until || !(await pause(ms, signal))) throw error
    }
  }
}
