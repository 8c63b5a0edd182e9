const BLOCK = 64
/** With fewer places the heap alone is as quick. */
const MIN_FOR_BLOCKS = 8_192

/**
 * Keeps the places of the `k` highest scores above zero that were offered; of equal scores that with the lower id. A
 * heap of at most `k`: an offer that is not among the best costs about 1 ns.
 */
export class BestScores {
  readonly #scores: Readonly<Float64Array>
  readonly #ids: Readonly<Uint32Array>
  /** Places; each is no better than its children at 2i + 1 and 2i + 2. */
  readonly #heap: Uint32Array
  #size = 0
  /** The score from which on a place is taken. */
  #least: number

  /** @param ids - The id of each place. */
  constructor(scores: Readonly<Float64Array>, ids: Readonly<Uint32Array>, k: number) {
    this.#scores = scores
    this.#ids = ids
    this.#heap = new Uint32Array(Math.max(0, Math.min(k, scores.length)))
    this.#least = this.#heap.length === 0 ? Infinity : Number.MIN_VALUE
  }

  get isFull(): boolean {
    return this.#size === this.#heap.length
  }

  offer(place: number): void {
    if (!((this.#scores[place] ?? 0) >= this.#least)) return
    if (this.#size < this.#heap.length) {
      this.#rise(place, this.#size++)
      if (this.#size < this.#heap.length) return
    } else {
      if (this.#isWorse(place, this.#heap[0] ?? 0)) return
      this.#sink(place)
    }
    const worst = this.#heap[0] ?? 0
    this.#least = this.#scores[worst] ?? 0
  }

  offerAll(): this {
    const scores = this.#scores
    if (this.#size === 0) this.#least = Math.max(this.#least, this.#certain())
    let least = this.#least
    for (let place = 0; place < scores.length; place++) {
      if (!((scores[place] ?? 0) >= least)) continue
      this.offer(place)
      least = this.#least
    }
    return this
  }

  /**
   * A score that `k` places reach for certain, so that few others go through the heap: the lowest of the `k` highest
   * among the best of each block of places. 0 where that is not worth it.
   */
  #certain(): number {
    const scores = this.#scores
    const blocks = Math.floor(scores.length / BLOCK)
    if (scores.length < MIN_FOR_BLOCKS || blocks < 2 * this.#heap.length) return 0
    const best = new Float64Array(blocks)
    for (let block = 0; block < blocks; block++) {
      let most = 0
      for (let place = block * BLOCK, end = place + BLOCK; place < end; place++) {
        const score = scores[place] ?? 0
        if (score > most) most = score
      }
      best[block] = most
    }
    return best.sort()[blocks - this.#heap.length] ?? 0
  }

  /** The places, best first; empties the heap. */
  take(): Uint32Array {
    const places = new Uint32Array(this.#size)
    while (this.#size > 0) {
      places[--this.#size] = this.#heap[0] ?? 0
      this.#sink(this.#heap[this.#size] ?? 0)
    }
    return places
  }

  #isWorse(a: number, b: number): boolean {
    const scoreA = this.#scores[a] ?? 0
    const scoreB = this.#scores[b] ?? 0
    return scoreA < scoreB || (scoreA === scoreB && (this.#ids[a] ?? 0) > (this.#ids[b] ?? 0))
  }

  /** Puts a place in from the bottom, at position `i`. */
  #rise(place: number, i: number): void {
    while (i > 0) {
      const parent = (i - 1) >>> 1
      const above = this.#heap[parent] ?? 0
      if (!this.#isWorse(place, above)) break
      this.#heap[i] = above
      i = parent
    }
    this.#heap[i] = place
  }

  /**
   * Puts a place in from the top, instead of what is there. Most of the time of a search for the best goes here, so
   * nothing is loaded twice.
   */
  #sink(place: number): void {
    const heap = this.#heap
    const scores = this.#scores
    const size = this.#size
    const score = scores[place] ?? 0
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= size) break
      let below = heap[child] ?? 0
      let least = scores[below] ?? 0
      if (child + 1 < size) {
        const other = heap[child + 1] ?? 0
        const otherScore = scores[other] ?? 0
        if (otherScore < least || (otherScore === least && this.#isWorse(other, below))) {
          child++
          below = other
          least = otherScore
        }
      }
      if (least > score || (least === score && !this.#isWorse(below, place))) break
      heap[i] = below
      i = child
    }
    heap[i] = place
  }
}
