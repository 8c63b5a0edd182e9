/** Lets a few calls run at once; the others wait in the order in which they came. */
export function createTurns(atOnce: number) {
  let free = atOnce
  const waiting: Array<() => void> = []

  const release = () => {
    const next = waiting.shift()
    if (next === undefined) free++
    else next()
  }

  return {
    /** @returns what gives the turn back; null when the signal fired before there was one. */
    async take(signal: AbortSignal): Promise<(() => void) | null> {
      if (signal.aborted) return null
      if (free > 0) {
        free--
        return release
      }
      const { promise, resolve } = Promise.withResolvers<(() => void) | null>()
      const grant = () => {
        signal.removeEventListener('abort', giveUp)
        resolve(release)
      }
      const giveUp = () => {
        waiting.splice(waiting.indexOf(grant), 1)
        resolve(null)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      waiting.push(grant)
      return promise
    },
  }
}
