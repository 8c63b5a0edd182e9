import { hashOf, type RankTable } from './rank-table.ts'

const CACHED_WORDS = 1 << 14
const MAX_CACHED_BYTES = 32
/** A longer word, such as a file in base64, is counted in pieces: as one it could take minutes. */
const MAX_WHOLE_BYTES = 8_192
const PIECE_BYTES = 512
const NO_RANK = 0x7fffffff

/** Counts the tokens of words by merging pairs of parts, the best rank first. */
export class WordTokens {
  readonly #table: RankTable
  // Words of several tokens, each in the place that its hash gives it: bytes, number of bytes, number of tokens.
  readonly #words = new Uint8Array(CACHED_WORDS * MAX_CACHED_BYTES)
  readonly #lengths = new Uint8Array(CACHED_WORDS)
  readonly #counts = new Uint8Array(CACHED_WORDS)
  // The parts of the word at hand, by where they begin: where the next one and the one before begin, and the rank of
  // the token that a part makes with the next.
  #next = new Int32Array(256)
  #before = new Int32Array(256)
  #ranks = new Int32Array(256)

  constructor(table: RankTable) {
    this.#table = table
  }

  /**
   * The tokens of the word from `from` to `to`, which is not empty. Of a word that is longer than any in a text that
   * people write, about as many, and rather more than fewer.
   */
  count(bytes: Uint8Array, from: number, to: number): number {
    if (to - from === 1) return 1
    if (to - from > MAX_WHOLE_BYTES) return this.#countInPieces(bytes, from, to)
    const hash = hashOf(bytes, from, to)
    if (this.#table.rankOfHashed(bytes, from, to, hash) >= 0) return 1
    if (to - from > MAX_CACHED_BYTES) return this.#merge(bytes, from, to)
    const at = hash & (CACHED_WORDS - 1)
    if (this.#isCached(at, bytes, from, to)) return this.#counts[at] ?? 0
    const count = this.#merge(bytes, from, to)
    for (let place = at * MAX_CACHED_BYTES, byte = from; byte < to; place++, byte++) {
      this.#words[place] = bytes[byte] ?? 0
    }
    this.#lengths[at] = to - from
    this.#counts[at] = count
    return count
  }

  #countInPieces(bytes: Uint8Array, from: number, to: number): number {
    let count = 0
    for (let at = from; at < to; at += PIECE_BYTES) count += this.count(bytes, at, Math.min(to, at + PIECE_BYTES))
    return count
  }

  #isCached(at: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#lengths[at] !== to - from) return false
    const words = this.#words
    for (let place = at * MAX_CACHED_BYTES, byte = from; byte < to; place++, byte++) {
      if (words[place] !== bytes[byte]) return false
    }
    return true
  }

  /** The part that makes the token of the best rank with the next one; -1 where none makes a token. */
  #bestPart(length: number): number {
    const [next, ranks] = [this.#next, this.#ranks]
    let best = NO_RANK
    let at = -1
    for (let part = 0; part < length; part = next[part] ?? length) {
      const rank = ranks[part] ?? NO_RANK
      if (rank < best) {
        best = rank
        at = part
      }
    }
    return at
  }

  /** Quadratic in the length of the word. */
  #merge(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from
    if (length > this.#next.length) this.#makeRoom(length)
    const [next, before, ranks] = [this.#next, this.#before, this.#ranks]
    for (let part = 0; part < length; part++) {
      next[part] = part + 1
      before[part] = part - 1
      ranks[part] = this.#rankOf(bytes, from + part, part + 2 > length ? 0 : from + part + 2)
    }
    for (let parts = length; ; parts--) {
      const at = this.#bestPart(length)
      if (at < 0) return parts
      const merged = next[at] ?? length
      const end = next[merged] ?? length
      next[at] = end
      if (end < length) before[end] = at
      const following = next[end] ?? length
      ranks[at] = this.#rankOf(bytes, from + at, end < length ? from + following : 0)
      const left = before[at] ?? -1
      if (left >= 0) ranks[left] = this.#rankOf(bytes, from + left, from + end)
    }
  }

  /** @param to - 0 where nothing follows to merge with. */
  #rankOf(bytes: Uint8Array, from: number, to: number): number {
    const rank = to === 0 ? -1 : this.#table.rankOf(bytes, from, to)
    return rank < 0 ? NO_RANK : rank
  }

  #makeRoom(length: number): void {
    const size = 2 ** Math.ceil(Math.log2(length))
    this.#next = new Int32Array(size)
    this.#before = new Int32Array(size)
    this.#ranks = new Int32Array(size)
  }
}
