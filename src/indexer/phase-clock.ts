type Phase = 'read' | 'chunk' | 'embed' | 'store'

/** Adds up the time that goes into each phase of a run whose phases take turns. */
export class PhaseClock {
  readonly #spentMs: Record<Phase, number> = { read: 0, chunk: 0, embed: 0, store: 0 }
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  measure<T>(phase: Phase, work: () => T): T {
    const startedAt = this.#now()
    try {
      return work()
    } finally {
      this.#spentMs[phase] += this.#now() - startedAt
    }
  }

  async measureAsync<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const startedAt = this.#now()
    try {
      return await work()
    } finally {
      this.#spentMs[phase] += this.#now() - startedAt
    }
  }

  /** The items of a stream, counting the time until each of them is there. */
  async *measureEach<T>(phase: Phase, items: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = items[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.measureAsync(phase, () => iterator.next())
        if (next.done === true) return
        yield next.value
      }
    } finally {
      await iterator.return?.()
    }
  }

  /** Whole milliseconds. */
  timings(): Record<Phase, number> {
    const { read, chunk, embed, store } = this.#spentMs
    return { read: Math.round(read), chunk: Math.round(chunk), embed: Math.round(embed), store: Math.round(store) }
  }
}
