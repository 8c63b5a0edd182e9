import { setTimeout as wait } from 'node:timers/promises'
import { FaultlineError } from '../core/errors.ts'
import { signWebhook } from '../core/webhook.ts'
import { addressRefused, checkCallbackUrl, hostOf } from './callback-url.ts'
import { checkedAddresses, pinnedTo, reasonOf, type ResolveHost } from './pinned.ts'

/** One message to a receiver. */
export interface Callback {
  url: string
  /** Equal for every try and after a restart: by it the receiver knows what it has already. */
  id: string
  /** JSON. */
  body: string
  signal: AbortSignal
  /** For one whose answer matters: a definite no (4xx but 408 and 429) is final, and the answer is read. */
  isAsking?: boolean
  /** How long one try may take. */
  timeoutMs?: number
}

/** How the delivery of a message ended, after how many tries. */
export type Delivery =
  | { delivered: true; status: number; tries: number; answer?: string }
  | { delivered: false; reason: string; tries: number; status?: number; answer?: string }

/** Sends signed messages to URLs that users name. */
export interface Callbacks {
  /**
   * Checks a URL before anything is stored.
   *
   * @param field - What messages call it.
   * @throws {FaultlineError} VALIDATION_FAILED, ADDRESS_REFUSED.
   */
  check(url: string, field?: string): void
  /**
   * Posts a signed message, with up to five tries in about half a minute. Whatever is wrong with the receiver is an
   * answer, not an error.
   *
   * @throws the signal's reason, when it fired.
   */
  deliver(callback: Callback): Promise<Delivery>
}

/** What messages are signed with, and where they may go. */
export interface CallbackOptions {
  /** What messages are signed with: one signature for each. */
  keys: readonly Buffer[]
  allowPrivateHosts: boolean
  /** All addresses of a name; default: the system's resolver. */
  resolveHost?: ResolveHost
  /** Before the second try, the third … */
  delaysMs?: readonly number[]
  timeoutMs?: number
  now?: () => Date
}

const DELAYS_MS = [500, 2_000, 6_000, 15_000]
const TIMEOUT_MS = 10_000
/** The most that is read of a receiver's answer; only its status matters. */
const MAX_REPLY_BYTES = 65_536

const NO_SECRET = 'there is no secret to sign it with: set WEBHOOK_SECRETS=ci=SECRET on the server'

/** What a receiver answered. */
interface Answer {
  status: number
  /** Of a message that asks. */
  text?: string
}

/** The receiver does not want it. */
class Refusal extends Error {
  readonly answer: Answer
  /** Whether it would not want it later, either. */
  readonly isFinal: boolean

  constructor(message: string, answer: Answer, isFinal: boolean) {
    super(message)
    this.answer = answer
    this.isFinal = isFinal
  }
}

/** Statuses of a definite no, but those that say: later. */
const isDefinite = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429

/** The beginning of an answer, as far as it is wanted. */
async function beginningOf(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxBytes).toString().toWellFormed()
}

/** How a message was not delivered; of one that asks also what was answered. */
function notDelivered(error: unknown, tries: number): Delivery {
  const told = { delivered: false as const, reason: reasonOf(error), tries }
  if (!(error instanceof Refusal) || error.answer.text === undefined) return told
  return { ...told, status: error.answer.status, answer: error.answer.text }
}

/** Callbacks over HTTP. */
export function createCallbacks({
  keys,
  allowPrivateHosts,
  resolveHost,
  delaysMs = DELAYS_MS,
  timeoutMs = TIMEOUT_MS,
  now = () => new Date(),
}: CallbackOptions): Callbacks {
  async function post({ url: text, id, body, signal, isAsking = false }: Callback): Promise<Answer> {
    const field = isAsking ? 'deploy_url' : 'callback_url'
    const url = checkCallbackUrl(text, { allowPrivateHosts, field })
    const policy = { allowPrivateHosts, resolveHost, refused: (host: string) => addressRefused(host, field) }
    const addresses = await checkedAddresses(hostOf(url), policy, signal)
    const { Agent, request } = await import('undici') // most servers never send a callback
    const dispatcher = new Agent({ connect: { lookup: pinnedTo(addresses), timeout: timeoutMs }, pipelining: 0 })
    try {
      const { statusCode, body: reply } = await request(url, {
        dispatcher,
        signal,
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'faultline',
          ...signWebhook({ id, body, keys, now: now() }),
        },
      })
      if (isAsking) return { status: statusCode, text: await beginningOf(reply, MAX_REPLY_BYTES) }
      await reply.dump({ limit: MAX_REPLY_BYTES, signal }).catch(() => {}) // the status has been read
      return { status: statusCode }
    } finally {
      dispatcher.destroy().catch(() => {})
    }
  }

  /** @returns an answer of success. @throws {Refusal | FaultlineError} */
  async function attempt(callback: Callback): Promise<Answer> {
    const { timeoutMs: limitMs = timeoutMs, isAsking = false } = callback
    const limit = AbortSignal.timeout(limitMs)
    try {
      const answer = await post({ ...callback, signal: AbortSignal.any([callback.signal, limit]) })
      const { status } = answer
      if (status >= 200 && status < 300) return answer
      if (status >= 300 && status < 400) {
        throw new Refusal(`it answered ${status}, and redirects are not followed`, answer, true)
      }
      if (status === 410) throw new Refusal('it answered 410: gone', answer, true)
      throw new Refusal(`it answered ${status}`, answer, isAsking && isDefinite(status))
    } catch (error) {
      callback.signal.throwIfAborted()
      throw limit.aborted ? new Error(`it did not answer within ${limitMs / 1000} s`) : error
    }
  }

  return {
    check(url, field) {
      checkCallbackUrl(url, { allowPrivateHosts, field })
    },
    async deliver(callback) {
      if (keys.length === 0) return { delivered: false, reason: NO_SECRET, tries: 0 }
      for (let tries = 1; ; tries++) {
        try {
          const { status, text } = await attempt(callback)
          return { delivered: true, status, tries, ...(text === undefined ? {} : { answer: text }) }
        } catch (error) {
          callback.signal.throwIfAborted()
          const delayMs = delaysMs[tries - 1]
          const isFinal = (error instanceof Refusal && error.isFinal) || error instanceof FaultlineError
          if (isFinal || delayMs === undefined) return notDelivered(error, tries)
          await wait(delayMs, undefined, { signal: callback.signal }).catch(() => callback.signal.throwIfAborted())
        }
      }
    },
  }
}
