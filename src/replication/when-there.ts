import { setTimeout as delay } from 'node:timers/promises'
import { ObjectStoreError } from '../object-store/object-store.ts'

interface WaitOptions {
  signal: AbortSignal
  onAway: (error: unknown) => void
}

const PATIENCE_MS = 1_800_000
const AGAIN_MS = 1_000
const SELDOM_MS = 60_000

/** Waits for an object store that is away, for half an hour at most, as the steps of jobs wait for a full disk. */
export async function whenThere<T>(work: () => Promise<T>, { signal, onAway }: WaitOptions): Promise<T> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ObjectStoreError && error.isTransient) || performance.now() >= until) throw error
      onAway(error)
    }
    await delay(AGAIN_MS, undefined, { signal })
  }
}

/** Reports that something is away, at most once a minute. */
export function seldom(report: (error: unknown) => void): (error: unknown) => void {
  let last = -Infinity
  return error => {
    if (performance.now() - last < SELDOM_MS) return
    last = performance.now()
    report(error)
  }
}
