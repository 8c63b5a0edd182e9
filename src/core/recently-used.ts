interface Entry<K, V> {
  key: K
  value: V
  newer: Entry<K, V> | null
  older: Entry<K, V> | null
}

/**
 * Keeps values that were costly to make, those used last, up to a total weight. Looking up what is there costs one look
 * into a map.
 */
export class RecentlyUsed<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>()
  readonly #maxWeight: number
  readonly #weightOf: (value: V) => number
  #newest: Entry<K, V> | null = null
  #oldest: Entry<K, V> | null = null
  #weight = 0

  constructor(maxWeight: number, weightOf: (value: V) => number) {
    this.#maxWeight = maxWeight
    this.#weightOf = weightOf
  }

  get(key: K, make: () => V): V {
    const known = this.#entries.get(key)
    if (known === undefined) return this.#add(key, make())
    this.#touch(known)
    return known.value
  }

  find(key: K): V | undefined {
    const known = this.#entries.get(key)
    if (known !== undefined) this.#touch(known)
    return known?.value
  }

  /** In place of what was kept for the key. */
  set(key: K, value: V): void {
    const known = this.#entries.get(key)
    if (known !== undefined) this.#drop(known)
    this.#add(key, value)
  }

  /** Nothing happens where nothing is kept for the key. */
  delete(key: K): void {
    const known = this.#entries.get(key)
    if (known !== undefined) this.#drop(known)
  }

  #add(key: K, value: V): V {
    const entry: Entry<K, V> = { key, value, newer: null, older: null }
    this.#entries.set(key, entry)
    this.#link(entry)
    this.#weight += this.#weightOf(value)
    while (this.#weight > this.#maxWeight && this.#oldest !== null) this.#drop(this.#oldest)
    return value
  }

  #drop(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key)
    this.#unlink(entry)
    this.#weight -= this.#weightOf(entry.value)
  }

  #touch(entry: Entry<K, V>): void {
    if (entry === this.#newest) return
    this.#unlink(entry)
    this.#link(entry)
  }

  #link(entry: Entry<K, V>): void {
    entry.older = this.#newest
    entry.newer = null
    if (this.#newest === null) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink(entry: Entry<K, V>): void {
    if (entry.newer === null) this.#newest = entry.older
    else entry.newer.older = entry.older
    if (entry.older === null) this.#oldest = entry.newer
    else entry.older.newer = entry.newer
  }
}
