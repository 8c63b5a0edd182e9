/** So many answers at once have all processors to themselves. */
const MANY = 3
/** So many in a second do, too: those that are remembered are given one after the other. */
const MANY_A_SECOND = 50
const SECOND_MS = 1_000
/** A rush is over when there were fewer for so long. */
const CALM_MS = 1_000
/** Work that gives way begins then, whatever comes. */
const PATIENCE_MS = 60_000

interface RushOptions {
  calmMs?: number
  patienceMs?: number
  now?: () => number
}

/**
 * Knows of the answers that are being worked on, so that what nobody waits for gives way to them: processors are few,
 * and the first seconds after a clone are when most is asked and most is left to do.
 */
export class Rush {
  readonly #calmMs: number
  readonly #patienceMs: number
  readonly #listeners = new Set<() => void>()
  readonly #now: () => number
  #underWay = 0
  #second = { since: -Infinity, answers: 0 }
  readonly #waiting = new Set<() => void>()
  #isOn = false
  #timer: NodeJS.Timeout | undefined

  constructor({ calmMs = CALM_MS, patienceMs = PATIENCE_MS, now = () => performance.now() }: RushOptions = {}) {
    this.#now = now
    this.#calmMs = calmMs
    this.#patienceMs = patienceMs
  }

  /** Whether many answers are being worked on, or were a moment ago. */
  get isOn(): boolean {
    return this.#isOn
  }

  /** How many wait for its end. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Whether any answer is being worked on. */
  get isAnswering(): boolean {
    return this.#underWay > 0
  }

  /** Counts the work as an answer. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++
    if (this.#underWay === MANY) this.#goOn()
    if (this.#isFast() && this.#underWay < MANY) {
      this.#goOn()
      this.#endSoon()
    }
    try {
      return await work()
    } finally {
      if (this.#underWay === MANY) this.#endSoon()
      this.#underWay--
    }
  }

  /** Resolves when there is no rush; at the latest when one waited long. @throws The signal's reason. */
  async untilCalm(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (!this.#isOn) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => reject(signal?.reason)
    const timer = setTimeout(resolve, this.#patienceMs)
    this.#waiting.add(resolve)
    signal?.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(resolve)
      signal?.removeEventListener('abort', leave)
    }
  }

  /** Calls back when a rush begins. Returns what takes the listener away. */
  onRush(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Counts an answer; whether there were many of late. */
  #isFast(): boolean {
    const now = this.#now()
    if (now - this.#second.since > SECOND_MS) this.#second = { since: now, answers: 0 }
    return ++this.#second.answers >= MANY_A_SECOND
  }

  #goOn(): void {
    clearTimeout(this.#timer)
    if (this.#isOn) return
    this.#isOn = true
    for (const listener of [...this.#listeners]) listener()
  }

  #endSoon(): void {
    this.#timer = setTimeout(() => {
      this.#isOn = false
      for (const resolve of [...this.#waiting]) resolve()
    }, this.#calmMs)
  }
}
