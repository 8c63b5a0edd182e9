import type { JobStore, QueueHead } from '../store/job-store.ts'
import { createTurns } from './fair-turn.ts'
import {
  MAX_BESIDE,
  MAX_RETRY_AFTER_S,
  RETRY_MS,
  type Begin,
  type BegunRun,
  type HandOut,
  type HandOutOptions,
} from './hand-out.ts'

interface EmbeddedOptions extends HandOutOptions {
  store: Pick<JobStore, 'queueHeads' | 'queued' | 'queueVersion'>
}

/** How much the latest job counts in the mean duration. */
const LATEST_SHARE = 0.1

/** Hands out the jobs of a store that no other process works on, in fair turns between projects. */
export class EmbeddedHandOut implements HandOut {
  readonly redelivers = false
  readonly #options: EmbeddedOptions
  readonly #running = new Set<QueueHead>()
  readonly #turns = createTurns()
  #meanMs = 0
  #begin: Begin | null = null
  #isStopped = false
  /** Whoever asks while it is made waits for it: a page of jobs takes one look at the queue. */
  #forecast: { version: number; positions: Promise<ReadonlyMap<number, number>> } | null = null
  #filling: Promise<void> | null = null
  #isAskedAgain = false
  #later: NodeJS.Timeout | undefined

  constructor(options: EmbeddedOptions) {
    this.#options = options
  }

  start(begin: Begin): Promise<void> {
    this.#begin = begin
    return this.wake()
  }

  wake(): Promise<void> {
    this.#isAskedAgain = true
    this.#filling ??= this.#fill()
    return this.#filling
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#later)
  }

  async positionOf(seq: number): Promise<number> {
    const version = await this.#options.store.queueVersion()
    if (this.#forecast?.version !== version) this.#forecast = { version, positions: this.#forecastNow() }
    const { positions } = this.#forecast
    return (await positions).get(seq) ?? 0 // it has just been started
  }

  retryAfterS(): number {
    const seconds = Math.ceil(this.#meanMs / this.#options.concurrency / 1000)
    return Math.min(MAX_RETRY_AFTER_S, Math.max(1, seconds))
  }

  async #forecastNow(): Promise<ReadonlyMap<number, number>> {
    try {
      const queued = await this.#options.store.queued()
      return this.#turns.forecast(queued, this.#running, this.#options.concurrency)
    } catch (error) {
      this.#forecast = null // the next one asks the store again
      throw error
    }
  }

  /** One at a time, so that no two looks at the queue choose the same job. */
  async #fill(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false
      try {
        for (let next = await this.#next(); next !== null; next = await this.#next()) await this.#give(next)
      } catch (error) {
        this.#tryLater(error)
      }
    }
    this.#filling = null // with the last look at the flag: nobody can ask in between
  }

  #tryLater(error: unknown): void {
    if (this.#isStopped) return
    this.#options.onError(error)
    this.#wakeLater()
  }

  #wakeLater(): void {
    clearTimeout(this.#later)
    this.#later = setTimeout(() => this.wake(), RETRY_MS).unref()
  }

  #isBeside({ type }: QueueHead): boolean {
    return this.#options.isBeside?.(type) ?? false
  }

  /** Whether a job may begin, of those that count or of those beside. */
  #hasRoomFor(isBeside: boolean): boolean {
    if (this.#begin === null || this.#isStopped) return false
    const running = [...this.#running].filter(head => this.#isBeside(head) === isBeside)
    return running.length < (isBeside ? MAX_BESIDE : this.#options.concurrency)
  }

  async #next(): Promise<QueueHead | null> {
    const kinds = [false, true].filter(isBeside => this.#hasRoomFor(isBeside))
    if (kinds.length === 0) return null
    const heads = (await this.#options.store.queueHeads()).filter(head => kinds.includes(this.#isBeside(head)))
    const chosen = this.#turns.choose(heads, this.#running)
    const next = heads.find(({ seq }) => seq === chosen?.seq) ?? null
    if (next === null || (await this.#options.mayBegin?.()) !== false) return next
    this.#wakeLater()
    return null
  }

  async #give(head: QueueHead): Promise<void> {
    if (this.#begin === null || !this.#hasRoomFor(this.#isBeside(head))) return
    const startedAt = performance.now()
    this.#running.add(head)
    let run: BegunRun | null = null
    try {
      run = await this.#begin(head)
    } finally {
      if (run === null) this.#running.delete(head)
    }
    if (run === null) return
    this.#turns.took(head.projectName)
    this.#forecast = null // one that was made since the claim knows nothing of this turn
    run.over.then(() => this.#ended(head, performance.now() - startedAt))
  }

  #ended(head: QueueHead, ms: number): Promise<void> {
    this.#meanMs = this.#meanMs === 0 ? ms : this.#meanMs + LATEST_SHARE * (ms - this.#meanMs)
    this.#running.delete(head)
    return this.wake()
  }
}
