/** What counts against a budget: one kept value of one cache. */
export interface BudgetEntry {
  readonly bytes: number
  /** Takes it out of its cache; the budget has forgotten it by then. */
  drop(): void
  newer: BudgetEntry | null
  older: BudgetEntry | null
}

/**
 * One limit for all caches that share it: when their values together take too much, those used longest ago go, in
 * whichever cache they stand.
 */
export class CacheBudget {
  #maxBytes: number
  #newest: BudgetEntry | null = null
  #oldest: BudgetEntry | null = null
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** What the values of all caches take now. */
  get bytes(): number {
    return this.#bytes
  }

  /** Sets another limit; what is then too much goes at once. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes
    this.#dropOldest()
  }

  /**
   * Counts a value as the one used last, and drops what is then too much. One that is larger than the budget is dropped
   * itself, and nothing else for it.
   */
  add(entry: BudgetEntry): void {
    if (entry.bytes > this.#maxBytes) {
      entry.drop()
      return
    }
    this.#link(entry)
    this.#bytes += entry.bytes
    this.#dropOldest()
  }

  /** Says that a value was used. */
  touch(entry: BudgetEntry): void {
    if (entry === this.#newest) return
    this.#unlink(entry)
    this.#link(entry)
  }

  /** For a value that its cache does not keep any more; it is not dropped once more. */
  remove(entry: BudgetEntry): void {
    this.#unlink(entry)
    this.#bytes -= entry.bytes
  }

  #dropOldest(): void {
    while (this.#bytes > this.#maxBytes && this.#oldest !== null) {
      const oldest = this.#oldest
      this.remove(oldest)
      oldest.drop()
    }
  }

  #link(entry: BudgetEntry): void {
    entry.older = this.#newest
    entry.newer = null
    if (this.#newest === null) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink(entry: BudgetEntry): void {
    if (entry.newer === null) this.#newest = entry.older
    else entry.newer.older = entry.older
    if (entry.older === null) this.#oldest = entry.newer
    else entry.older.newer = entry.newer
  }
}

/** Until the thread is told its share of `CACHE_MB`: enough for a command and for tests. */
const DEFAULT_BYTES = 64 * 1_048_576

/**
 * The budget of all caches in this thread. The thread's entry file, or the services in the main thread, give it its
 * share of `CACHE_MB`.
 */
export const threadCaches = new CacheBudget(DEFAULT_BYTES)
