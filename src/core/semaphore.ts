/** A counting semaphore: so many permits may be held at once; the next free one goes to the caller waiting longest. */
export class Semaphore {
  #available: number
  readonly #waiting = new Set<() => void>()

  constructor(permits: number) {
    this.#available = permits
  }

  /** Resolves when a permit is held, which `release` gives back. @throws The signal's reason when it fires first. */
  async acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#available > 0) {
      this.#available--
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      // A caller that was granted a permit a moment ago keeps it.
      if (this.#waiting.delete(resolve)) reject(signal?.reason)
    }
    this.#waiting.add(resolve)
    signal?.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  release(): void {
    const [next] = this.#available < 0 ? [] : this.#waiting
    if (next === undefined) {
      this.#available++
      return
    }
    this.#waiting.delete(next)
    next()
  }

  /** Makes so many permits more. */
  add(permits: number): void {
    for (let i = 0; i < permits; i++) this.release()
  }

  /** Takes so many permits away: those that are held count until they are given back. */
  remove(permits: number): void {
    this.#available -= permits
  }
}
