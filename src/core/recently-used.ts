import { CacheBudget, type BudgetEntry } from './cache-budget.ts'

interface Entry<V> extends BudgetEntry {
  value: V
}

/**
 * Keeps values that were costly to make, those used last, up to a total weight, or as long as a budget in bytes has
 * room for them that other caches share. Looking up what is there costs one look into a map.
 */
export class RecentlyUsed<K, V> {
  readonly #entries = new Map<K, Entry<V>>()
  readonly #budget: CacheBudget
  readonly #weightOf: (value: V) => number
  readonly #onGone: (value: V) => void

  /**
   * @param limit - The most that the values may weigh together; or the budget that they count against, whose unit is
   * the byte. Whoever gives a budget that outlives this cache calls `clear` at its end.
   * @param weightOf - Is asked once, when a value is added.
   * @param onGone - Called with each value that is kept no longer, whatever the reason.
   */
  constructor(limit: number | CacheBudget, weightOf: (value: V) => number, onGone: (value: V) => void = () => {}) {
    this.#budget = typeof limit === 'number' ? new CacheBudget(limit) : limit
    this.#weightOf = weightOf
    this.#onGone = onGone
  }

  get(key: K, make: () => V): V {
    const known = this.#entries.get(key)
    if (known === undefined) return this.#add(key, make())
    this.#budget.touch(known)
    return known.value
  }

  find(key: K): V | undefined {
    const known = this.#entries.get(key)
    if (known !== undefined) this.#budget.touch(known)
    return known?.value
  }

  /** In place of what was kept for the key. */
  set(key: K, value: V): void {
    this.delete(key)
    this.#add(key, value)
  }

  /** Nothing happens where nothing is kept for the key. */
  delete(key: K): void {
    const known = this.#entries.get(key)
    if (known === undefined) return
    this.#entries.delete(key)
    this.#budget.remove(known)
    this.#onGone(known.value)
  }

  /** Keeps nothing any more. */
  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key)
  }

  #add(key: K, value: V): V {
    const entry: Entry<V> = {
      value,
      bytes: this.#weightOf(value),
      drop: () => {
        this.#entries.delete(key)
        this.#onGone(value)
      },
      newer: null,
      older: null,
    }
    this.#entries.set(key, entry)
    this.#budget.add(entry)
    return value
  }
}
