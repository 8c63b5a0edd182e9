/** Keeps values that were costly to make, those used last, up to a total weight. */
export class RecentlyUsed<K, V> {
  readonly #values = new Map<K, V>()
  readonly #maxWeight: number
  readonly #weightOf: (value: V) => number
  #weight = 0

  constructor (maxWeight: number, weightOf: (value: V) => number) {
    this.#maxWeight = maxWeight
    this.#weightOf = weightOf
  }

  get (key: K, make: () => V): V {
    const known = this.#values.get(key)
    const value = known ?? make()
    this.#values.delete(key)
    this.#values.set(key, value)
    if (known !== undefined) return value
    this.#weight += this.#weightOf(value)
    for (const [oldest, dropped] of this.#values) {
      if (this.#weight <= this.#maxWeight) break
      this.#values.delete(oldest)
      this.#weight -= this.#weightOf(dropped)
    }
    return value
  }
}
