import type { JsonObject } from '../core/job.ts'
import type { JobFolders } from './files/job-folders.ts'
import type { Retention } from './retention.ts'
import type { HandOut } from './hand-out/hand-out.ts'
import type { Runner } from './run/runner.ts'
import type { JobStore } from './store/job-store.ts'
import type { Expired } from './waiting.ts'

/** What is tidied up, and by whom. */
interface UpkeepDeps {
  store: Pick<JobStore, 'unanswered' | 'answer'>
  /** Whether there is such a job, or one is being made. */
  isKnown: (id: string) => Promise<boolean>
  runner: Pick<Runner, 'isStopping'>
  handOut: Pick<HandOut, 'wake'>
  folders: Pick<JobFolders, 'sweep'>
  retention: Pick<Retention, 'prune'>
  announce: (id: string) => void
  replyTimeoutDays: number
  onError: (error: unknown) => void
}

const DAY_MS = 86_400_000
const PRUNE_INTERVAL_MS = 3_600_000
const EXPIRY_INTERVAL_MS = 60_000

/**
 * The work that is done at the start and from time to time: sweeping what a dead process left, forgetting old jobs,
 * ending waits that nobody answers.
 */
export class Upkeep {
  readonly #deps: UpkeepDeps
  readonly #timers: NodeJS.Timeout[] = []
  #swept: Promise<void> | undefined

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
  }

  /** Resolves when nothing is left of a dead process; undefined before the start. */
  get swept(): Promise<void> | undefined {
    return this.#swept
  }

  /** Resolves when the waits that are over have ended; the rest goes on beside the jobs. */
  async start(): Promise<void> {
    const { folders, isKnown } = this.#deps
    const whenBroken = (error: unknown) => this.#whenBroken(error)
    this.#swept = folders.sweep(isKnown).then(() => this.#prune(), whenBroken)
    this.#every(PRUNE_INTERVAL_MS, () => this.#prune())
    this.#every(EXPIRY_INTERVAL_MS, () => this.#expire().catch(whenBroken))
    await this.#expire()
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  #every(intervalMs: number, work: () => void): void {
    this.#timers.push(setInterval(work, intervalMs).unref())
  }

  #whenBroken(error: unknown): void {
    if (!this.#deps.runner.isStopping) this.#deps.onError(error)
  }

  #prune(): void {
    const { retention, runner } = this.#deps
    retention.prune(() => runner.isStopping).catch(error => this.#whenBroken(error))
  }

  /**
   * Lets jobs that nobody answered go on to their end: it goes through their bodies, so that whoever waits for a
   * callback gets it.
   */
  async #expire(): Promise<void> {
    const { store, announce, handOut, replyTimeoutDays } = this.#deps
    for (const { job, since } of await store.unanswered(replyTimeoutDays * DAY_MS)) {
      const reply: Expired & JsonObject = { expired: true, since }
      await store.answer(job, { reply, budget: null, note: 'nobody replied in time', entries: [] })
      announce(job.id)
    }
    await handOut.wake()
  }
}
