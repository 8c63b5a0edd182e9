const SLOTS = 1 << 19
const SLOT_MASK = SLOTS - 1
const RANK_BITS = 18
const RANK_MASK = (1 << RANK_BITS) - 1
const MARK_MASK = ~RANK_MASK

const FACTOR = 0x9e3779b1

/** A hash of 32 bits of the bytes from `from` to `to`. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FACTOR)
  return hash ^ (hash >>> 15) // low bits of a product hold little of the high ones of its factors
}

const MAX_TOKENS = RANK_MASK - 1

const LINE_FEED = 10
const BLANK = 32
const PAD = 61
const NOT_BASE64 = 255
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function tokensIn(list: Uint8Array): { bytes: Uint8Array; starts: Uint32Array } {
  const values = new Uint8Array(256).fill(NOT_BASE64)
  for (let value = 0; value < BASE64.length; value++) values[BASE64.charCodeAt(value)] = value
  const starts = new Uint32Array(MAX_TOKENS + 1)
  let rank = 0
  let end = 0
  for (let at = 0; at < list.length; at++) {
    let bits = 0
    let held = 0
    for (let char = list[at]; char !== BLANK; char = list[++at]) {
      if (char === PAD) continue
      const value = values[char ?? LINE_FEED]
      if (value === undefined || value === NOT_BASE64) {
        throw new Error(`Line ${rank + 1} of the list of tokens is not base64 and a rank.`)
      }
      held = (held << 6) | value
      bits += 6
      if (bits >= 8) list[end++] = held >>> (bits -= 8) // bytes take less room than their base64
    }
    let written = 0
    for (let char = list[++at]; char !== LINE_FEED && char !== undefined; char = list[++at]) {
      written = written * 10 + char - 48
    }
    if (written !== rank || rank >= MAX_TOKENS) {
      throw new Error(`Line ${rank + 1} of the list of tokens has rank ${written}.`)
    }
    starts[++rank] = end
  }
  return { bytes: list.slice(0, end), starts: starts.slice(0, rank + 1) }
}

/**
 * The tokens of an encoding by their bytes, in flat arrays: some 5 MB for 200,000 tokens. A token's rank is its place
 * in the list.
 */
export class RankTable {
  readonly #bytes: Uint8Array
  /** Where each token begins in the bytes, and the end of the last. */
  readonly #starts: Uint32Array
  /**
   * Open addressing: 0, or one more than the rank, and above `RANK_BITS` bits of the hash, so that hardly any look-up
   * compares bytes in vain.
   */
  readonly #slots: Int32Array
  /** One more than the rank of each token of two bytes, which merging asks for most. */
  readonly #pairs: Int32Array

  /**
   * @param list - A line for each token, the best rank first: its bytes in base64, a blank, its rank. It is
   * overwritten. About 50 ms for 200,000. @throws {Error} for anything else.
   */
  constructor(list: Uint8Array) {
    const { bytes, starts } = tokensIn(list)
    this.#bytes = bytes
    this.#starts = starts
    this.#slots = new Int32Array(SLOTS)
    this.#pairs = new Int32Array(65_536)
    for (let rank = 0; rank + 1 < starts.length; rank++) this.#add(rank, starts[rank] ?? 0, starts[rank + 1] ?? 0)
  }

  /** The rank of the bytes from `from` to `to`, or -1 where they are no token. */
  rankOf(bytes: Uint8Array, from: number, to: number): number {
    if (to - from === 2) {
      const pair = ((bytes[from] ?? 0) << 8) | (bytes[from + 1] ?? 0)
      return (this.#pairs[pair] ?? 0) - 1
    }
    return this.rankOfHashed(bytes, from, to, hashOf(bytes, from, to))
  }

  /** As `rankOf`, with the bytes' `hashOf`. */
  rankOfHashed(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const slots = this.#slots
    const mark = hash & MARK_MASK
    for (let at = hash & SLOT_MASK; ; at = (at + 1) & SLOT_MASK) {
      const slot = slots[at] ?? 0
      if (slot === 0) return -1
      if ((slot & MARK_MASK) === mark) {
        const rank = (slot & RANK_MASK) - 1
        if (this.#isToken(rank, bytes, from, to)) return rank
      }
    }
  }

  #isToken(rank: number, bytes: Uint8Array, from: number, to: number): boolean {
    const own = this.#bytes
    let at = this.#starts[rank] ?? 0
    if ((this.#starts[rank + 1] ?? 0) - at !== to - from) return false
    for (let other = from; other < to; other++) if (own[at++] !== bytes[other]) return false
    return true
  }

  #add(rank: number, from: number, to: number): void {
    const hash = hashOf(this.#bytes, from, to)
    let at = hash & SLOT_MASK
    while (this.#slots[at] !== 0) at = (at + 1) & SLOT_MASK
    this.#slots[at] = (hash & MARK_MASK) | (rank + 1)
    if (to - from === 2) this.#pairs[((this.#bytes[from] ?? 0) << 8) | (this.#bytes[from + 1] ?? 0)] = rank + 1
  }
}
