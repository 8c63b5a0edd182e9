export interface Mutexes {
  /** Runs work when all earlier work under the same key has ended, however it ended. A signal that fires while it waits drops it. */
  run<T> (key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** One queue per key, in this process. */
export function createMutexes (): Mutexes {
  const tails = new Map<string, Promise<unknown>>()
  return {
    async run (key, work, signal) {
      const before = tails.get(key) ?? Promise.resolve()
      const own = before.then(async () => {
        signal?.throwIfAborted()
        return await work()
      })
      const tail = own.catch(() => {}).then(() => { if (tails.get(key) === tail) tails.delete(key) })
      tails.set(key, tail)
      return await Promise.race([own, whenAborted(signal, own)])
    },
  }
}

/** Rejects when the signal fires while the work still waits or runs; the work itself must stop by the signal, too. */
async function whenAborted (signal: AbortSignal | undefined, work: Promise<unknown>): Promise<never> {
  return await new Promise((_resolve, reject) => {
    if (signal === undefined) return
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const done = () => signal.removeEventListener('abort', abort)
    work.then(done, done)
  })
}
