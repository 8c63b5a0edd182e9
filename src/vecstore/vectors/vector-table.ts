import { createScannedRows, type ScannedRows } from './scan-kernel.ts'
import { byNearness, type Neighbour } from './vector-index.ts'
import type { VectorRows } from './vector-file.ts'

/** The value that the `k` largest reach; a fifth of the time of sorting all, as few of them go into the list. */
function leastOfBest(values: Float32Array, k: number): number {
  if (values.length <= k) return -Infinity
  const best = values.slice(0, k).sort() // ascending
  let least = best[0] ?? -Infinity
  for (let i = k; i < values.length; i++) {
    const value = values[i] ?? 0
    if (value <= least) continue
    let at = 1
    for (; at < k && (best[at] ?? 0) < value; at++) best[at - 1] = best[at] ?? 0
    best[at - 1] = value
    least = best[0] ?? 0
  }
  return least
}

/**
 * Vectors in one array, searched by looking at each: exact, below some thousands as quick as any index, and up to
 * 200,000 quick enough where there is no index.
 */
export class VectorTable {
  readonly dimensions: number
  readonly #ids: Uint32Array
  readonly #values: Float32Array
  /** What multiplies them faster; null where it cannot be had. */
  readonly #scanned: ScannedRows | null

  /** @param isWanted - Which rows to take; all have `dimensions` dimensions. */
  constructor(dimensions: number, parts: readonly VectorRows[], isWanted: (id: number) => boolean = () => true) {
    this.dimensions = dimensions
    const wrong = parts.find(part => part.dimensions !== dimensions)
    if (wrong !== undefined) {
      throw new RangeError(`A vector has ${wrong.dimensions} dimensions instead of ${dimensions}.`)
    }
    const size = parts.reduce((sum, { ids }) => sum + ids.reduce((count, id) => count + (isWanted(id) ? 1 : 0), 0), 0)
    this.#ids = new Uint32Array(size)
    this.#scanned = createScannedRows(size, dimensions)
    this.#values = this.#scanned?.values ?? new Float32Array(size * dimensions)
    let row = 0
    for (const { ids, values } of parts) {
      for (let i = 0; i < ids.length; i++) {
        if (!isWanted(ids[i] ?? 0)) continue
        this.#ids[row] = ids[i] ?? 0
        this.#values.set(values.subarray(i * dimensions, (i + 1) * dimensions), row++ * dimensions)
      }
    }
  }

  get size(): number {
    return this.#ids.length
  }

  idAt(row: number): number {
    return this.#ids[row] ?? 0
  }

  vectorAt(row: number): Float32Array {
    return this.#values.subarray(row * this.dimensions, (row + 1) * this.dimensions)
  }

  /**
   * The nearest `k`, nearest first; of equal ones that with the lower id. For 128 dimensions about 0.025 ms a thousand
   * vectors, 0.1 ms where they are few.
   */
  search(query: Float32Array, k: number): Neighbour[] {
    if (query.length !== this.dimensions) {
      throw new RangeError(`A query has ${query.length} dimensions instead of ${this.dimensions}.`)
    }
    const products = this.#scanned?.products(query) ?? this.#innerProducts(query)
    const least = leastOfBest(products, k)
    const found: Neighbour[] = []
    for (let row = 0; row < products.length; row++) {
      const innerProduct = products[row] ?? 0
      if (innerProduct >= least) found.push({ id: this.#ids[row] ?? 0, innerProduct })
    }
    return found.sort(byNearness).slice(0, k)
  }

  #innerProducts(query: Float32Array): Float32Array {
    const products = new Float32Array(this.#ids.length)
    const { length } = query
    const values = this.#values
    for (let row = 0, at = 0; row < products.length; row++) {
      let even = 0
      let odd = 0 // two sums at once: half the time of one
      let i = 0
      for (; i + 1 < length; i += 2, at += 2) {
        even += (query[i] ?? 0) * (values[at] ?? 0)
        odd += (query[i + 1] ?? 0) * (values[at + 1] ?? 0)
      }
      if (i < length) even += (query[i] ?? 0) * (values[at++] ?? 0)
      products[row] = even + odd
    }
    return products
  }
}
