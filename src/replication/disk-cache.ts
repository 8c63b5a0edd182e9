import { isAway } from './is-away.ts'

/** Something on the disk of this node that can be fetched or made again. */
export interface Holding {
  /** For the log. */
  name: string
  bytes: number
  /** Milliseconds since 1970. */
  usedAt: number
  /**
   * Gives it up, unless something uses it, or this is the only copy.
   *
   * @returns Whether it is gone. @throws {FaultlineError} What it would be fetched from again is away.
   */
  evict(signal: AbortSignal): Promise<boolean>
}

interface DiskCacheOptions {
  /** What all holdings together may take; Infinity: anything. */
  maxBytes: number
  /** All there is, as it is now. */
  holdings: () => Promise<Holding[]>
  /** Hears what was given up. */
  onEvicted: (gone: { names: string[]; bytes: number }) => void
  /** Hears of what went wrong: the rest waits for the next time. */
  onFailed: (error: unknown) => void
  /** Fires when the server begins to stop. */
  signal: AbortSignal
  lookMs?: number
  /** What comes within this time is looked at together. */
  calmMs?: number
}

/** When there is too much, this much less than the limit is left, so that not each new index has to look. */
const KEPT_SHARE = 0.9
const LOOK_MS = 60_000
const CALM_MS = 1_000
/** What could not go now may be used no more in a moment: each time after twice as long, until it is a minute. */
const AGAIN_MS = 2_000
/** Where nothing could be given up, it is not tried again for each request of this time. */
const IN_VAIN_MS = 5_000

/**
 * Keeps what a node holds of projects within one limit: what was used longest ago goes first. Looks once a minute, and
 * soon after something came.
 */
export class DiskCache {
  readonly #options: DiskCacheOptions
  #bytes = 0
  #working: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Timeout | undefined
  #madeRoom: Promise<number> | null = null
  #inVainAt = -Infinity
  #againMs = AGAIN_MS
  #dueAt = Infinity

  constructor(options: DiskCacheOptions) {
    this.#options = options
  }

  /** What the last look found, and the limit, which is null where there is none. */
  get size(): { bytes: number; maxBytes: number | null } {
    const { maxBytes } = this.#options
    return { bytes: this.#bytes, maxBytes: Number.isFinite(maxBytes) ? maxBytes : null }
  }

  /** Looks from now on. */
  start(): void {
    const { signal, lookMs = LOOK_MS } = this.#options
    this.#timer = setInterval(() => this.#lookUnseen(), lookMs).unref()
    this.grew()
    signal.addEventListener('abort', () => this.#stop(), { once: true })
  }

  /** Says that something came, or may go. */
  grew(): void {
    const { signal, calmMs = CALM_MS } = this.#options
    this.#againMs = AGAIN_MS
    if (!signal.aborted) this.#lookIn(calmMs)
  }

  /** Gives up what is above the limit. @returns Bytes that went. */
  async fit(): Promise<number> {
    const { maxBytes } = this.#options
    return await this.#inTurn(async holdings => {
      const bytes = this.#bytes
      return bytes <= maxBytes ? 0 : await this.#evict(holdings, bytes - maxBytes * KEPT_SHARE)
    })
  }

  /**
   * Gives up so much, whatever the limit is, for a disk that is full. Calls at a time share one look.
   *
   * @returns Bytes that went.
   */
  async makeRoom(bytes: number): Promise<number> {
    if (performance.now() - this.#inVainAt < IN_VAIN_MS) return 0
    this.#madeRoom ??= this.#inTurn(holdings => this.#evict(holdings, bytes)).finally(() => {
      this.#madeRoom = null
    })
    const gone = await this.#madeRoom
    if (gone === 0) this.#inVainAt = performance.now()
    return gone
  }

  /** Resolves when nothing is being given up. */
  async close(): Promise<void> {
    this.#stop()
    await this.#working
  }

  /** A look that comes sooner stays: it must not be put off for ever. */
  #lookIn(ms: number): void {
    const dueAt = performance.now() + ms
    if (dueAt >= this.#dueAt) return
    clearTimeout(this.#soon)
    this.#dueAt = dueAt
    this.#soon = setTimeout(() => {
      this.#dueAt = Infinity
      this.#lookUnseen()
    }, ms).unref()
  }

  #stop(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
  }

  #lookUnseen(): void {
    const { signal, maxBytes, lookMs = LOOK_MS, onFailed } = this.#options
    const again = (): void => {
      if (signal.aborted || this.#bytes <= maxBytes) return
      this.#lookIn(this.#againMs)
      this.#againMs = Math.min(2 * this.#againMs, lookMs)
    }
    this.fit().then(again, (error: unknown) => {
      if (!signal.aborted) onFailed(error)
    })
  }

  /** One at a time. */
  async #inTurn(work: (holdings: Holding[]) => Promise<number>): Promise<number> {
    const own = this.#working.then(async () => {
      this.#options.signal.throwIfAborted()
      const holdings = await this.#options.holdings()
      this.#bytes = holdings.reduce((sum, { bytes }) => sum + bytes, 0)
      return await work(holdings)
    })
    this.#working = own.catch(() => {})
    return await own
  }

  async #evict(holdings: readonly Holding[], bytes: number): Promise<number> {
    const { signal, onEvicted, onFailed } = this.#options
    const names: string[] = []
    let gone = 0
    for (const holding of holdings.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (gone >= bytes || signal.aborted) break
      try {
        if (!(await holding.evict(signal))) continue
      } catch (error) {
        if (signal.aborted) break
        onFailed(error)
        if (isAway(error)) break // nothing could be fetched again
        continue
      }
      names.push(holding.name)
      gone += holding.bytes
      this.#bytes -= holding.bytes
    }
    if (names.length > 0) onEvicted({ names, bytes: gone })
    return gone
  }
}
