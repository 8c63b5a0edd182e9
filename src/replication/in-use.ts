/** What is being used on this node, and when each thing was used last, by names in any case. */
export interface InUse {
  /** Does work during which a thing is not given up. */
  during<T>(name: string, work: () => Promise<T>): Promise<T>
  isHeld(name: string): boolean
  /** Says that somebody asked for it: it is given up after those that nobody asks for. */
  touch(name: string): void
  /** When it was used last, by `now`; null: not since this process began, nor since `forget`. */
  lastUse(name: string): number | null
  /** What was used since the call before. */
  used(): string[]
  forget(name: string): void
}

/** Counts users in memory: nothing is written when something is used. */
export function createInUse(now: () => number = Date.now): InUse {
  const held = new Map<string, number>()
  const lastUses = new Map<string, number>()
  const fresh = new Set<string>()
  const keyOf = (name: string): string => name.toLowerCase()

  return {
    async during(name, work) {
      const key = keyOf(name)
      held.set(key, (held.get(key) ?? 0) + 1)
      try {
        return await work()
      } finally {
        const users = (held.get(key) ?? 1) - 1
        if (users === 0) held.delete(key)
        else held.set(key, users)
      }
    },
    isHeld: name => held.has(keyOf(name)),
    touch(name) {
      const key = keyOf(name)
      lastUses.set(key, now())
      fresh.add(key)
    },
    lastUse: name => lastUses.get(keyOf(name)) ?? null,
    used() {
      const names = [...fresh]
      fresh.clear()
      return names
    },
    forget(name) {
      lastUses.delete(keyOf(name))
      fresh.delete(keyOf(name))
    },
  }
}
