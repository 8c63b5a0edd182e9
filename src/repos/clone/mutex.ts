/** One queue of work per key. */
export interface Mutexes {
  /**
   * Runs work after all earlier work under the same key, however that ended; work started with `runUntilNeeded` is
   * aborted. A signal that fires while the work waits drops it.
   */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * The same for work that any `run` of its key may abort, through the signal that it gets; the result is then
   * `interrupted`, once the work has ended.
   */
  runUntilNeeded<T>(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | 'interrupted'>
}

async function rejectOnAbort(signal: AbortSignal, until: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true, signal: until })
  })
}

/** Makes queues that hold within this process. */
export function createMutexes(): Mutexes {
  const tails = new Map<string, Promise<unknown>>()
  const yielding = new Map<string, Set<AbortController>>() // running or waiting

  async function enqueue<T>(key: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const waiting = new AbortController()
    const own = (tails.get(key) ?? Promise.resolve()).then(async () => {
      waiting.abort() // from here on the work itself answers to the signal, and is waited for while it cleans up
      signal?.throwIfAborted()
      return await work()
    })
    const tail = own
      .catch(() => {})
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
    tails.set(key, tail)
    return signal === undefined ? await own : await Promise.race([own, rejectOnAbort(signal, waiting.signal)])
  }

  return {
    async run(key, work, signal) {
      for (const needed of yielding.get(key) ?? []) needed.abort()
      return await enqueue(key, work, signal)
    },

    async runUntilNeeded(key, work, signal) {
      const needed = new AbortController()
      const others = yielding.get(key) ?? new Set()
      yielding.set(key, others.add(needed))
      const either = AbortSignal.any([signal, needed.signal])
      try {
        return await enqueue(key, async () => await work(either), either)
      } catch (error) {
        if (needed.signal.aborted && !signal.aborted) return 'interrupted'
        throw error
      } finally {
        others.delete(needed)
        if (others.size === 0 && yielding.get(key) === others) yielding.delete(key)
      }
    },
  }
}
