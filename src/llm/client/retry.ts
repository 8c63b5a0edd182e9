import { setTimeout as delay } from 'node:timers/promises'
import { CallFailure } from './call-failure.ts'

/** How often and how long models are asked. */
export interface RetryOptions {
  /** Limit of all tries of one model and the waits between them; the next model gets as much again. */
  timeoutMs: number
  triesPerModel?: number
  /** A number in [0, 1), for the jitter. */
  random?: () => number
  sleep?: (ms: number, signal?: AbortSignal) => Promise<unknown>
}

interface Try {
  model: string
  /** Fires when the caller gives up or the time is over. */
  signal: AbortSignal
}

/** All tries failed. `last` is the last failure. */
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

/** Rethrows the reason of an aborted signal in place of the error of an aborted wait. */
const throwReasonOf =
  (signal: AbortSignal | undefined) =>
  (error: unknown): never => {
    signal?.throwIfAborted()
    throw error
  }

const tooSlow = (timeoutMs: number): CallFailure =>
  new CallFailure('unavailable', `no complete answer within ${timeoutMs / 1000} s`)

const DEFAULT_TRIES = 3

/** Milliseconds before the next try: what the server asked for, else a random part of a wait that doubles. */
function waitAfter({ retryAfterMs }: CallFailure, round: number, random: () => number): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)
  return random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** round)
}

type Tried<T> = { tries: number; value: T } | { tries: number; failure: CallFailure }

/** Asks one model until it answers, its failure is permanent, or its tries or its time are used up. */
async function tryModel<T>(
  model: string,
  attempt: (current: Try) => Promise<T>,
  options: RetryOptions & { signal?: AbortSignal },
): Promise<Tried<T>> {
  const { timeoutMs, triesPerModel = DEFAULT_TRIES, random = Math.random, sleep = sleepUntil, signal } = options
  const clock = AbortSignal.timeout(timeoutMs)
  const end = performance.now() + timeoutMs
  const either = signal === undefined ? clock : AbortSignal.any([signal, clock])
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted()
    let failure: CallFailure
    try {
      return { tries, value: await attempt({ model, signal: either }) }
    } catch (error) {
      signal?.throwIfAborted()
      failure = clock.aborted ? tooSlow(timeoutMs) : expected(error)
    }
    const mayRepeat = failure.mayPass && failure.kind !== 'too_large' && !clock.aborted && tries < triesPerModel
    const waitMs = waitAfter(failure, tries - 1, random)
    if (!mayRepeat || performance.now() + waitMs >= end) return { tries, failure }
    await sleep(waitMs, signal).catch(throwReasonOf(signal))
  }
}

/**
 * Asks each model in turn, each up to `triesPerModel` (3) times, until one answers. Between tries it waits as long as
 * Retry-After says (at most 60 s), else a random part of 0.5 s, 1 s, 2 s … 8 s. The next model's turn comes early when
 * the wait would exceed the model's time, and at once when a server says that the request exceeds the model's context.
 *
 * @param attempt - One request; throws `CallFailure` for failures of the server or the network. Anything else that it
 * throws is a bug and ends the call.
 * @throws {GaveUpError} Nothing answered, or a server refused the request, which a retry does not change.
 * @throws The signal's reason, at once, when the caller aborts.
 */
export async function tryModels<T>(
  models: readonly [string, ...string[]],
  attempt: (current: Try) => Promise<T>,
  options: RetryOptions & { signal?: AbortSignal },
): Promise<{ value: T; model: string; attempts: number }> {
  let attempts = 0
  let last: CallFailure | null = null
  for (const model of models) {
    const tried = await tryModel(model, attempt, options)
    attempts += tried.tries
    if ('value' in tried) return { value: tried.value, model, attempts }
    last = tried.failure
    if (!last.mayPass && last.kind !== 'too_large') throw new GaveUpError(last, attempts, model)
  }
  const failure = last ?? new CallFailure('unavailable', 'no model was named')
  throw new GaveUpError(failure, attempts, models.at(-1) ?? models[0])
}
