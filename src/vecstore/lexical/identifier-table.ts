const INITIAL_SLOTS = 1 << 12
/**
 * Places that are looked at before an identifier counts as unknown: with a table at most half full nothing honest needs
 * as many, and code that was written to collide costs no more than this.
 */
const MAX_PROBES = 32

function twice(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(values.length * 2)
  larger.set(values)
  return larger
}

/** Spreads what differs in the high bits of a multiplicative hash to the low ones, which choose the place. */
function mix(hash: number): number {
  let h = hash ^ (hash >>> 15)
  h = Math.imul(h, 0x2c1b3c6d)
  return (h ^ (h >>> 13)) >>> 0
}

/**
 * Numbers runs of UTF-16 code units without making a string of each: an identifier of a repository occurs some twenty
 * times. Memory: about 60 bytes an identifier.
 */
export class IdentifierTable {
  readonly #capacity: number
  /** Number of the identifier + 1; 0 for a free place. The length is a power of two. */
  #slots = new Uint32Array(INITIAL_SLOTS)
  #hashes = new Uint32Array(INITIAL_SLOTS / 2)
  /** Where the units of identifier `i` end; they begin where those of the one before end. */
  #ends = new Uint32Array(INITIAL_SLOTS / 2)
  #units = new Uint16Array(INITIAL_SLOTS * 8)
  #size = 0

  /** @param capacity - Identifiers after which no more are taken in. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#size
  }

  /**
   * @param hash - The same for the same units; any number.
   * @returns The number of `units[start, end)`: the size before the call where it is new, −1 where there is no place
   * for it.
   */
  number(units: Uint16Array, start: number, end: number, hash: number): number {
    const mixed = mix(hash)
    const mask = this.#slots.length - 1
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const slot = (mixed + probe) & mask
      const taken = this.#slots[slot] ?? 0
      if (taken === 0) return this.#insert(units, start, end, mixed, slot)
      if (this.#hashes[taken - 1] === mixed && this.#isAt(taken - 1, units, start, end)) return taken - 1
    }
    return -1
  }

  /** Where the units of identifier `id` begin. */
  #startOf(id: number): number {
    if (id === 0) return 0
    return this.#ends[id - 1] ?? 0
  }

  #isAt(id: number, units: Uint16Array, start: number, end: number): boolean {
    const from = this.#startOf(id)
    if ((this.#ends[id] ?? 0) - from !== end - start) return false
    const known = this.#units
    for (let i = start, j = from; i < end; i++, j++) if (units[i] !== known[j]) return false
    return true
  }

  #insert(units: Uint16Array, start: number, end: number, hash: number, slot: number): number {
    if (this.#size === this.#capacity) return -1
    const id = this.#size++
    const from = this.#startOf(id)
    this.#reserveUnits(from + end - start)
    this.#units.set(units.subarray(start, end), from)
    this.#ends[id] = from + end - start
    this.#hashes[id] = hash
    this.#slots[slot] = id + 1
    if (this.#size * 2 >= this.#slots.length) this.#grow()
    return id
  }

  #reserveUnits(needed: number): void {
    if (needed <= this.#units.length) return
    const larger = new Uint16Array(Math.max(needed, this.#units.length * 2))
    larger.set(this.#units)
    this.#units = larger
  }

  /**
   * One that finds no place in the larger table stays numbered and is not found again; with honest names there is none.
   */
  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let id = 0; id < this.#size; id++) {
      const hash = this.#hashes[id] ?? 0
      for (let probe = 0; probe < MAX_PROBES; probe++) {
        const slot = (hash + probe) & mask
        if (slots[slot] !== 0) continue
        slots[slot] = id + 1
        break
      }
    }
    this.#slots = slots
    this.#hashes = twice(this.#hashes)
    this.#ends = twice(this.#ends)
  }
}
