export interface Mutexes {
  /** Runs work when all earlier work under the same key has ended, however it ended. A signal that fires while it waits drops it. */
  run<T> (key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** One queue per key, in this process. */
export function createMutexes (): Mutexes {
  const tails = new Map<string, Promise<unknown>>()
  return {
    async run (key, work, signal) {
      const waiting = new AbortController()
      const own = (tails.get(key) ?? Promise.resolve()).then(async () => {
        waiting.abort() // from here on the work itself answers to the signal, and is waited for while it cleans up
        signal?.throwIfAborted()
        return await work()
      })
      const tail = own.catch(() => {}).then(() => { if (tails.get(key) === tail) tails.delete(key) })
      tails.set(key, tail)
      return signal === undefined ? await own : await Promise.race([own, rejectOnAbort(signal, waiting.signal)])
    },
  }
}

async function rejectOnAbort (signal: AbortSignal, until: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true, signal: until })
  })
}
