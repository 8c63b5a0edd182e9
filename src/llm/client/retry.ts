import { setTimeout as delay } from 'node:timers/promises'
import { CallFailure } from './call-failure.ts'

export interface RetryOptions {
  /** Bounds all tries of one model and the waits between them; the next model gets as much again. */
  timeoutMs: number
  triesPerModel?: number
  /** In [0, 1), for the jitter. */
  random?: () => number
  sleep?: (ms: number, signal?: AbortSignal) => Promise<unknown>
}

interface Try {
  model: string
  /** Fires when the caller gives up or the time is over. */
  signal: AbortSignal
}

/** All tries failed. `last` is the failure of the last one. */
export class GaveUpError extends Error {
  readonly last: CallFailure
  readonly attempts: number
  readonly model: string

  constructor(last: CallFailure, attempts: number, model: string) {
    super(last.message, { cause: last })
    this.name = 'GaveUpError'
    this.last = last
    this.attempts = attempts
    this.model = model
  }
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
const LONGEST_RETRY_AFTER_MS = 60_000

const sleepUntil = (ms: number, signal?: AbortSignal): Promise<void> => delay(ms, undefined, { signal })

function expected(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error
  throw error
}

/**
 * Asks each model in turn, each up to `triesPerModel` (3) times, until one answers. Between tries it waits what
 * Retry-After says (at most 60 s), else a random part of 0.5 s, 1 s, 2 s … 8 s. A wait that the model's time does not
 * hold is not waited: the next model's turn. So it is at once when a server says that the model's context does not hold
 * the request.
 *
 * @param attempt - One request; throws `CallFailure` for what may go wrong out there. Anything else it throws is a bug
 * and ends the call.
 * @throws {GaveUpError} Nothing answered, or a server refused the request, which no repetition changes.
 * @throws The signal's reason, at once, when the caller aborts.
 */
export async function tryModels<T>(
  models: readonly [string, ...string[]],
  attempt: (current: Try) => Promise<T>,
  options: RetryOptions & { signal?: AbortSignal },
): Promise<{ value: T; model: string; attempts: number }> {
  const { timeoutMs, triesPerModel = 3, random = Math.random, sleep = sleepUntil, signal } = options
  let attempts = 0
  let last: CallFailure | undefined
  for (const model of models) {
    const clock = AbortSignal.timeout(timeoutMs)
    const end = performance.now() + timeoutMs
    const either = signal === undefined ? clock : AbortSignal.any([signal, clock])
    for (let round = 0; round < triesPerModel; round++) {
      signal?.throwIfAborted()
      attempts += 1
      try {
        return { value: await attempt({ model, signal: either }), model, attempts }
      } catch (error) {
        signal?.throwIfAborted()
        last = clock.aborted
          ? new CallFailure('unavailable', `no complete answer within ${timeoutMs / 1000} s`)
          : expected(error)
      }
      if (last.kind === 'too_large') break
      if (!last.mayPass) throw new GaveUpError(last, attempts, model)
      if (clock.aborted || round + 1 === triesPerModel) break
      const waitMs =
        last.retryAfterMs === null
          ? random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** round)
          : Math.min(last.retryAfterMs, LONGEST_RETRY_AFTER_MS)
      if (performance.now() + waitMs >= end) break
      await sleep(waitMs, signal).catch(error => {
        signal?.throwIfAborted()
        throw error
      })
    }
  }
  throw new GaveUpError(
    last ?? new CallFailure('unavailable', 'no try was allowed'),
    attempts,
    models.at(-1) ?? models[0],
  )
}
