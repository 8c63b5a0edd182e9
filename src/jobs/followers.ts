import { EventEmitter } from 'node:events'
import { isTerminal, type JobEvent } from '../core/job.ts'
import { jobNotFound } from '../core/not-found.ts'
import type { JobStore, StoredJob } from './store/job-store.ts'

const EVENTS_AT_ONCE = 200
/** Time after which a job that is followed is looked at though no change of it was announced. */
const FOLLOW_TURN_MS = 60_000

/** @throws {FaultlineError} JOB_NOT_FOUND */
export async function needJob(store: Pick<JobStore, 'find'>, id: string): Promise<StoredJob> {
  const job = await store.find(id)
  if (job === null) throw jobNotFound(id)
  return job
}

/** The changes of one job since `reset`, so that none is missed between a look at the job and the wait for the next. */
class Watch implements Disposable {
  readonly #changes: EventEmitter
  readonly #id: string
  readonly #noticed = () => this.#change.resolve(undefined)
  #change = Promise.withResolvers<undefined>()

  constructor(changes: EventEmitter, id: string) {
    this.#changes = changes
    this.#id = id
    changes.on(id, this.#noticed)
  }

  reset(): void {
    this.#change = Promise.withResolvers()
  }

  /** Resolves when the job changed, at the time limit, or when the caller has gone. */
  async next(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const over = this.#noticed
    // not AbortSignal.timeout: that one does not keep a CLI process alive
    const timer = setTimeout(over, Math.max(0, timeoutMs))
    signal?.addEventListener('abort', over)
    if (signal?.aborted === true) over()
    await this.#change.promise
    clearTimeout(timer)
    signal?.removeEventListener('abort', over)
  }

  [Symbol.dispose](): void {
    this.#changes.off(this.#id, this.#noticed)
  }
}

/** Lets callers wait for something to happen in a job. */
export class Followers {
  readonly #store: Pick<JobStore, 'find' | 'events'>
  readonly #turnMs: number
  readonly #changes = new EventEmitter().setMaxListeners(0)

  constructor(store: Pick<JobStore, 'find' | 'events'>, turnMs = FOLLOW_TURN_MS) {
    this.#store = store
    this.#turnMs = turnMs
  }

  /** Wakes those who wait for a change of this job. */
  announce(id: string): void {
    this.#changes.emit(id)
  }

  /** Wakes all, as when changes may have been missed. */
  announceAll(): void {
    for (const id of this.#changes.eventNames()) this.#changes.emit(id)
  }

  /** Resolves when `isReached` holds, at the time limit, or when the caller has gone. */
  async waitUntil(
    id: string,
    isReached: (job: StoredJob) => boolean,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<StoredJob> {
    const deadline = performance.now() + timeoutMs
    using watch = new Watch(this.#changes, id)
    for (;;) {
      watch.reset()
      const job = await needJob(this.#store, id)
      const leftMs = deadline - performance.now()
      if (isReached(job) || leftMs <= 0 || signal?.aborted === true) return job
      await watch.next(Math.min(leftMs, this.#turnMs), signal)
    }
  }

  /**
   * The events after `after`, then the live ones, until the job is terminal and all were given, or the signal fires.
   */
  async *follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
    using watch = new Watch(this.#changes, id)
    let last = after
    while (!signal.aborted) {
      watch.reset()
      const job = await this.#store.find(id)
      if (job === null) return
      const events = await this.#store.events.list(job.seq, last, EVENTS_AT_ONCE)
      for (const event of events) {
        yield event
        last = event.id
      }
      if (events.length > 0) continue
      if (isTerminal(job.status)) return
      await watch.next(this.#turnMs, signal)
    }
  }
}
