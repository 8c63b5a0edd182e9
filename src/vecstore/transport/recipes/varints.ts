/** Numbers of 32 bits in as few bytes as they need, seven bits in each, the lowest first. */
export class VarintWriter {
  #bytes: Uint8Array
  #length = 0

  /** @param expected - Bytes that there is room for at first. */
  constructor(expected = 1_024) {
    this.#bytes = new Uint8Array(Math.max(16, expected))
  }

  get length(): number {
    return this.#length
  }

  /** @param value - 0 to 2³² − 1. */
  put(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow()
    let left = value
    while (left > 127) {
      this.#bytes[this.#length++] = (left & 127) | 128
      left >>>= 7
    }
    this.#bytes[this.#length++] = left
  }

  /** A difference of either sign, small ones in one byte. @param value - Less than 2³¹ either way. */
  putSigned(value: number): void {
    this.put(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /** What was written; a view. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2)
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** Reads what `VarintWriter` wrote. */
export class VarintReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** @throws {RangeError} There is none, or one of more than 32 bits. */
  take(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) break
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
    throw new RangeError('A number is cut off, or too large.')
  }

  takeSigned(): number {
    const value = this.take()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
