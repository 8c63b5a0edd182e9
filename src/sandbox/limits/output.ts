/**
 * What is kept of a stream from its beginning and from its end: how it started, and where programs print what went
 * wrong.
 */
const HEAD_BYTES = 256 * 1024
const TAIL_BYTES = 768 * 1024
/** Chunks are joined only when there are as many bytes to drop. */
const SLACK_BYTES = TAIL_BYTES

/** Keeps the first 256 KiB and the last 768 KiB of a stream and counts the bytes between. Memory: at most 1.8 MiB. */
export class KeptOutput {
  #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #totalBytes = 0

  add(chunk: Buffer): void {
    this.#totalBytes += chunk.length
    const room = HEAD_BYTES - this.#headBytes
    const first = chunk.subarray(0, Math.max(0, room))
    if (first.length > 0) {
      this.#head.push(first)
      this.#headBytes += first.length
    }
    const rest = chunk.subarray(first.length)
    if (rest.length === 0) return
    this.#tail.push(rest)
    this.#tailBytes += rest.length
    if (this.#tailBytes > TAIL_BYTES + SLACK_BYTES) this.#shorten()
  }

  /** Number of bytes that `text` leaves out. */
  get truncatedBytes(): number {
    return Math.max(0, this.#totalBytes - HEAD_BYTES - TAIL_BYTES)
  }

  /** The output; bytes that are not UTF-8 become U+FFFD. A line in the middle says how much is left out. */
  text(): string {
    if (this.truncatedBytes === 0) return Buffer.concat([...this.#head, ...this.#tail]).toString()
    this.#shorten()
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)]
    return `${head.toString()}\n[${this.truncatedBytes} bytes left out]\n${tail.toString()}`
  }

  #shorten(): void {
    const all = Buffer.concat(this.#tail)
    this.#tail = [Buffer.from(all.subarray(-TAIL_BYTES))] // a copy, so that the rest is freed
    this.#tailBytes = this.#tail[0]?.length ?? 0
  }
}
