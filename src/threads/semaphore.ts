/** Places for so many at once; whoever finds none waits for his turn. */
export interface Slots {
  /** Resolves with a place, which is to be released. @throws The signal's reason, when it fires first. */
  take(signal?: AbortSignal): Promise<void>
  release(): void
}

export function createSlots(count: number): Slots {
  let free = count
  /** In the order in which they came. */
  const waiting = new Set<() => void>()

  return {
    async take(signal) {
      signal?.throwIfAborted()
      if (free > 0) {
        free--
        return
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = (): void => {
        // Who has a place already takes it.
        if (waiting.delete(resolve)) reject(signal?.reason)
      }
      waiting.add(resolve)
      signal?.addEventListener('abort', leave)
      try {
        await promise
      } finally {
        signal?.removeEventListener('abort', leave)
      }
    },
    release() {
      const [next] = waiting
      if (next === undefined) {
        free++
        return
      }
      waiting.delete(next)
      next()
    },
  }
}
