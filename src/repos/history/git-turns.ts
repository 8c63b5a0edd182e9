import { setTimeout as wait } from 'node:timers/promises'
import { Semaphore } from '../../core/semaphore.ts'

interface GitTurnsOptions {
  /** How long a search may wait for git. */
  queueMs?: number
  /** Searches that may wait at once. */
  maxWaiting?: number
  /** Pauses between searches. */
  rest?: (ms: number) => Promise<unknown>
}

/** No answer waits so long, but streams and jobs do for the suspects that their answer said to be pending. */
const QUEUE_MS = 30_000
/** More than get their turn in that time where lines are old; one that waits is a list of lines. */
const MAX_WAITING = 300
/**
 * While searches wait, git rests after each of them for so many times as long as it took: an old line takes it a tenth
 * of a second of processor time, which answers need more.
 */
const REST_SHARE = 3
const MAX_REST_MS = 1_000

/** Searches of the history, one at a time. */
export class GitTurns {
  readonly #queueMs: number
  readonly #maxWaiting: number
  readonly #rest: (ms: number) => Promise<unknown>
  readonly #turn = new Semaphore(1)
  /** The search at work, or the rest after it, and those that wait. */
  #inLine = 0

  constructor({
    queueMs = QUEUE_MS,
    maxWaiting = MAX_WAITING,
    rest = ms => wait(ms, undefined, { ref: false }),
  }: GitTurnsOptions = {}) {
    this.#queueMs = queueMs
    this.#maxWaiting = maxWaiting
    this.#rest = rest
  }

  /**
   * Does a search when its turn has come.
   *
   * @returns False where it would have to wait for too long: nothing was done then.
   * @throws The signal's reason, and what the work throws.
   */
  async run(work: () => Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
    if (!(await this.#take(signal))) return false
    const startedAt = performance.now()
    try {
      await work()
      return true
    } finally {
      this.#end(performance.now() - startedAt).catch(() => {}) // it only waits
    }
  }

  async #take(signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#inLine > this.#maxWaiting) return false
    const limit = AbortSignal.timeout(this.#queueMs)
    this.#inLine++
    try {
      await this.#turn.acquire(signal === undefined ? limit : AbortSignal.any([limit, signal]))
      return true
    } catch {
      this.#inLine--
      signal?.throwIfAborted()
      return false
    }
  }

  async #end(tookMs: number): Promise<void> {
    if (this.#inLine > 1) await this.#rest(Math.min(MAX_REST_MS, REST_SHARE * tookMs))
    this.#inLine--
    this.#turn.release()
  }
}
