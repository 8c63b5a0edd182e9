import { CallFailure } from './call-failure.ts'

/** How long a stream may be silent. */
export interface SilenceLimits {
  /** From the request to the first token, which includes reading a long prompt. */
  firstTokenTimeoutMs: number
  /** Longest silence between two tokens. */
  tokenTimeoutMs: number
}

/** Watches a stream and fires its signal after too long a silence. */
export class Silence {
  readonly #controller = new AbortController()
  readonly #limits: SilenceLimits
  #timer: NodeJS.Timeout
  #heard = false

  constructor(limits: SilenceLimits) {
    this.#limits = limits
    this.#timer = setTimeout(this.#fire, limits.firstTokenTimeoutMs)
  }

  readonly #fire = (): void => this.#controller.abort(this.failure())

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Restarts the clock, because a token arrived. */
  tokenArrived(): void {
    if (this.#heard) {
      this.#timer.refresh()
      return
    }
    this.#heard = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#fire, this.#limits.tokenTimeoutMs)
  }

  failure(): CallFailure {
    const { firstTokenTimeoutMs, tokenTimeoutMs } = this.#limits
    return new CallFailure(
      'unavailable',
      this.#heard
        ? `no further token within ${tokenTimeoutMs / 1000} s`
        : `no token within ${firstTokenTimeoutMs / 1000} s`,
      { mayCost: true },
    )
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
