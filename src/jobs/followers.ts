import { EventEmitter } from 'node:events'
import { isTerminal, type JobEvent } from '../core/job.ts'
import type { JobStore } from './store/job-store.ts'
import type { StoredJob } from './store/rows.ts'

const EVENT_PAGE = 200
/** After which a job that is followed is looked at though nothing told of a change. */
const FOLLOW_TURN_MS = 60_000

/** Those who wait for something to happen in a job. `need` gives the job or throws. */
export function createFollowers(store: JobStore, need: (id: string) => StoredJob) {
  const changes = new EventEmitter().setMaxListeners(0)

  /** Resolves when something of the job changed, at the time limit, or when the caller has gone. */
  function nextChange(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        changes.off(id, end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      // not AbortSignal.timeout: that one does not keep a CLI process alive
      const timer = setTimeout(end, Math.max(0, timeoutMs))
      changes.on(id, end)
      signal?.addEventListener('abort', end)
    })
  }

  return {
    announce: (id: string): void => {
      changes.emit(id)
    },

    async waitUntil(
      id: string,
      isReached: (job: StoredJob) => boolean,
      timeoutMs: number,
      signal?: AbortSignal,
    ): Promise<StoredJob> {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const job = need(id)
        const leftMs = deadline - performance.now()
        if (isReached(job) || leftMs <= 0 || signal?.aborted === true) return job
        await nextChange(id, leftMs, signal)
      }
    },

    /**
     * The events after `after`, then the live ones, until the job is terminal and all were given, or the signal fires.
     */
    async *follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
      let last = after
      while (!signal.aborted) {
        const job = store.find(id)
        if (job === null) return
        const events = store.events(job.seq, last, EVENT_PAGE)
        for (const event of events) {
          yield event
          last = event.id
        }
        if (events.length > 0) continue
        if (isTerminal(job.status)) return
        await nextChange(id, FOLLOW_TURN_MS, signal)
      }
    },
  }
}
