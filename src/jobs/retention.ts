import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NewAuditEntry } from '../core/audit.ts'
import type { AuditStore } from './store/audit-store.ts'
import type { JobKey, RetentionStore } from './store/job-store.ts'

/** What a store keeps, and for how long. */
interface RetentionOptions {
  store: RetentionStore
  audit: Pick<AuditStore, 'forget'>
  days: number
  bytes: number
  removeFolder: (id: string) => Promise<void>
  /** Whether a body of the ended job still puts its tools down. */
  isInUse: (job: JobKey) => boolean
}

const DAY_MS = 86_400_000
/** Jobs forgotten in one transaction, which takes about 40 ms. */
const BATCH = 200
/** Jobs deleted at once to save space; few, so that hardly more go than have to. */
const SIZE_BATCH = 10

/** Forgets ended jobs that are too old, and the oldest ones while jobs take too much. */
export class Retention {
  readonly #options: RetentionOptions

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  usedBytes(): Promise<number> {
    return this.#options.store.usedBytes()
  }

  remove(job: JobKey, audit: NewAuditEntry): Promise<void> {
    return this.#forget([job], audit)
  }

  /** Forgets all ended jobs of a project; `settled` waits for what a cancelled one still puts down. */
  async purge(projectName: string, settled: (job: JobKey) => Promise<undefined> | undefined): Promise<void> {
    const { store, removeFolder } = this.#options
    for (;;) {
      const jobs = await store.endedOf(projectName, SIZE_BATCH)
      if (jobs.length === 0) break
      for (const job of jobs) await settled(job)
      for (const { id } of jobs) await removeFolder(id) // first: a purge that was cut off finds the jobs again
      await store.purge(jobs)
    }
    await store.scrub()
  }

  /** Works a batch at a time, requests in between, until nothing is too old or too much, or `isStopping`. */
  async prune(isStopping: () => boolean): Promise<void> {
    const { store, audit, days } = this.#options
    await store.forgetKeys()
    await audit.forget(days * DAY_MS)
    while (!isStopping()) {
      const jobs = await this.#due()
      if (jobs.length === 0) return
      await this.#forget(jobs)
      await nextTurn()
    }
  }

  async #forget(jobs: readonly JobKey[], audit?: NewAuditEntry): Promise<void> {
    await this.#options.store.remove(
      jobs.map(({ seq }) => seq),
      audit,
    )
    for (const { id } of jobs) await this.#options.removeFolder(id)
  }

  /** The next jobs that have to go. */
  async #due(): Promise<JobKey[]> {
    const { store, days, bytes, isInUse } = this.#options
    const tooOld = await store.endedFor(days * DAY_MS, BATCH)
    const removable = tooOld.filter(job => !isInUse(job))
    if (removable.length > 0 || (await store.usedBytes()) <= bytes) return removable
    const oldest = await store.oldestEnded(SIZE_BATCH)
    return oldest.filter(job => !isInUse(job))
  }
}
