import { BotApiError } from './bot-api.ts'

/** How long to leave Telegram alone after a failure, and what of it belongs into a log. */
interface Pause {
  delayMs: number
  /** Null for a failure that was logged already. */
  message: string | null
}

const FIRST_MS = 1_000
const MOST_MS = 300_000
/** Telegram may ask for longer pauses than ours, up to this. */
const MOST_ASKED_MS = 3_600_000

/**
 * What stays the same while one thing is wrong: numbers in a message, such as seconds, may change. Much is answered
 * with 400.
 */
const kindOf = (error: unknown): string =>
  error instanceof BotApiError && error.status !== null && error.status !== 400 ? String(error.status) : String(error)

/** Pauses that grow while calls fail, and one line for each thing that is wrong. */
export class Backoff {
  #failures = 0
  #logged: string | null = null

  /** What to do after a failure. */
  failed(error: unknown): Pause {
    const asked = error instanceof BotApiError ? error.retryAfterMs : null
    const own = Math.min(FIRST_MS * 2 ** this.#failures, MOST_MS)
    this.#failures = Math.min(this.#failures + 1, 20)
    const kind = kindOf(error)
    const isNew = kind !== this.#logged
    this.#logged = kind
    const message = error instanceof Error ? error.message : String(error)
    const delayMs = asked === null ? own : Math.min(Math.max(asked, FIRST_MS), MOST_ASKED_MS)
    return { delayMs, message: isNew ? message : null }
  }

  /** @returns Whether something had been wrong. */
  succeeded(): boolean {
    const wasWrong = this.#logged !== null
    this.#failures = 0
    this.#logged = null
    return wasWrong
  }
}
