import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway, repeatable } from '../../core/database-away.ts'
import { isFullDisk } from '../../core/full-disk.ts'

/** How a run waits while the disk is full or the database is away. */
export interface Patience {
  /** Time between two tries. */
  retryMs: number
  /** Time after which the run fails with DISK_FULL; for the database it waits as long as the job is its own. */
  waitMs: number
}

/** Long enough for somebody to be woken and to delete something. */
export const PATIENCE: Patience = { retryMs: 1_000, waitMs: 1_800_000 }

/**
 * Tries again while the disk is full or the database is away, so that what was paid for is not lost.
 *
 * @param onFull - Called with the first of those errors.
 * @throws The signal's reason when it fires; what `work` throws otherwise, at the end also that the disk is full.
 */
export async function waitForRoom<T>(
  work: () => Promise<T>,
  { retryMs, waitMs, signal, onFull }: Patience & { signal: AbortSignal; onFull: (error: unknown) => void },
): Promise<T> {
  const deadline = performance.now() + waitMs
  const attempt = repeatable(work)
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const isPassing = isDatabaseAway(error) || (isFullDisk(error) && performance.now() < deadline)
      if (!isPassing) throw error
      if (tries === 1) onFull(error)
    }
    await delay(retryMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
