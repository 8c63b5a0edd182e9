import type { Resolution } from '../../core/resolution.ts'
import type { ResolveHooks } from '../resolver.ts'

type Ask = (hooks: ResolveHooks) => Promise<Resolution>

interface ShareOptions {
  /** The kept answer to an equal question. */
  find: (question: string) => Promise<Resolution | null>
  /** Resolves when an answer is kept; the question is null where an equal one must not be answered with it. */
  keep: (question: string | null, resolution: Resolution) => Promise<void>
}

const NO_USAGE: Resolution['usage'] = { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null }

/** Whether an equal question may be answered with it. */
const isReusable = ({ answerStatus, answerError }: Resolution): boolean => answerStatus === 'ok' && answerError === null

/** One answer that is being made, for all who ask the same at once. */
class Flight {
  readonly #controller = new AbortController()
  readonly #answer: Promise<Resolution>
  readonly #onOver: () => void
  #askers = 0

  /** @param onOver - Called when it is answered, or when nobody waits any more: the next one who asks begins anew. */
  constructor(ask: (signal: AbortSignal) => Promise<Resolution>, onOver: () => void) {
    this.#onOver = onOver
    this.#answer = ask(this.#controller.signal)
    this.#answer.then(onOver, onOver) // whoever waits gets the error
  }

  /**
   * Who leaves while others wait leaves at once. With the last one the work on the answer is ended, and he waits for
   * its end, so that what it cost is noted.
   *
   * @throws The signal's reason.
   */
  async for(signal: AbortSignal | undefined): Promise<Resolution> {
    signal?.throwIfAborted()
    const left = Promise.withResolvers<never>()
    const leave = (): void => {
      this.#askers--
      if (this.#askers > 0) return left.reject(signal?.reason)
      this.#onOver()
      this.#controller.abort(signal?.reason)
    }
    signal?.addEventListener('abort', leave, { once: true })
    this.#askers++
    try {
      return await Promise.race([this.#answer, left.promise])
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }
}

/** Tells the listeners of one request what was found for an equal one. */
function replay(resolution: Resolution, { onLocated, onToken }: ResolveHooks): void {
  const { answer, answerStatus: _status, answerError: _error, model: _model, usage: _usage, ...rest } = resolution
  const { timingsMs: _timings, cached: _cached, redactions: _redactions, ...finding } = rest
  onLocated?.(finding)
  if (answer !== null) onToken?.(answer.text)
}

/** The answer for one who asked what another had asked before: nothing was spent on it. */
function reused(resolution: Resolution, hooks: ResolveHooks): Resolution {
  replay(resolution, hooks)
  return { ...resolution, usage: NO_USAGE, cached: true }
}

/** The hooks of the first who asks: he may leave while others wait for the same. */
function whilePresent({ signal, onLocated, onToken, onRestart, onSuspects, ...hooks }: ResolveHooks): ResolveHooks {
  const present = <Args extends unknown[]>(
    tell: ((...args: Args) => void) | undefined,
  ): ((...args: Args) => void) | undefined =>
    tell === undefined
      ? undefined
      : (...args) => {
          if (signal?.aborted !== true) tell(...args)
        }
  return {
    ...hooks,
    onLocated: present(onLocated),
    onToken: present(onToken),
    onRestart: present(onRestart),
    onSuspects: present(onSuspects),
  }
}

/**
 * Answers equal questions with one call of the model: those at once share the call, later ones get what was kept of it.
 * An answer that failed or is not whole is not used again.
 */
export function shareAnswers({
  find,
  keep,
}: ShareOptions): (question: string, hooks: ResolveHooks, ask: Ask) => Promise<Resolution> {
  const flights = new Map<string, Flight>()

  async function make(question: string, hooks: ResolveHooks, ask: Ask): Promise<Resolution> {
    const kept = await find(question)
    if (kept !== null) return reused(kept, hooks)
    const resolution = await ask(hooks)
    await keep(isReusable(resolution) ? question : null, resolution)
    return resolution
  }

  return async (question, hooks, ask) => {
    const known = flights.get(question)
    if (known !== undefined) return reused(await known.for(hooks.signal), hooks)
    const flight: Flight = new Flight(
      signal => make(question, { ...whilePresent(hooks), signal }, ask),
      () => {
        if (flights.get(question) === flight) flights.delete(question)
      },
    )
    flights.set(question, flight)
    return await flight.for(hooks.signal)
  }
}
