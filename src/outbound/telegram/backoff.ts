import { BotApiError } from './bot-api.ts'

/** How long to leave Telegram alone after a failure, and what of it belongs into a log. */
interface Pause {
  delayMs: number
  /** Null for a failure that was told already. */
  news: string | null
}

const FIRST_MS = 1_000
const MOST_MS = 300_000
/** One that Telegram asks for counts however long it is, up to this. */
const MOST_ASKED_MS = 3_600_000

/** What stays the same while one thing is wrong: numbers in a message, such as seconds, may change. */
const kindOf = (error: unknown): string =>
  error instanceof BotApiError && error.status !== null ? String(error.status) : String(error)

/** Pauses that grow while calls fail, and one line for each thing that is wrong. */
export class Backoff {
  #failures = 0
  #told: string | null = null

  /** What to do after a failure. */
  failed(error: unknown): Pause {
    const asked = error instanceof BotApiError ? error.retryAfterMs : null
    const own = Math.min(FIRST_MS * 2 ** this.#failures, MOST_MS)
    this.#failures = Math.min(this.#failures + 1, 20)
    const kind = kindOf(error)
    const isNews = kind !== this.#told
    this.#told = kind
    const news = error instanceof Error ? error.message : String(error)
    return { delayMs: asked === null ? own : Math.min(asked, MOST_ASKED_MS), news: isNews ? news : null }
  }

  /** @returns Whether something had been wrong. */
  succeeded(): boolean {
    const wasWrong = this.#told !== null
    this.#failures = 0
    this.#told = null
    return wasWrong
  }
}
