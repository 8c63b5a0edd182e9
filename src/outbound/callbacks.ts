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
}

/** How the delivery of a message ended, after how many tries. */
export type Delivery =
  { delivered: true; status: number; tries: number } | { delivered: false; reason: string; tries: number }

/** Sends signed messages to URLs that users name. */
export interface Callbacks {
  /** Checks a URL before anything is stored. @throws {FaultlineError} VALIDATION_FAILED, ADDRESS_REFUSED. */
  check(url: string): void
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

/** The receiver does not want it, and would not want it later. */
class FinalRefusal extends Error {}

/** Callbacks over HTTP. */
export function createCallbacks({
  keys,
  allowPrivateHosts,
  resolveHost,
  delaysMs = DELAYS_MS,
  timeoutMs = TIMEOUT_MS,
  now = () => new Date(),
}: CallbackOptions): Callbacks {
  async function post({ url: text, id, body, signal }: Callback): Promise<number> {
    const url = checkCallbackUrl(text, { allowPrivateHosts })
    const policy = { allowPrivateHosts, resolveHost, refused: addressRefused }
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
      await reply.dump({ limit: MAX_REPLY_BYTES, signal }).catch(() => {}) // the status has been read
      return statusCode
    } finally {
      dispatcher.destroy().catch(() => {})
    }
  }

  /** @returns the status of success. @throws {FinalRefusal | FaultlineError} It is no use to try again. */
  async function attempt(callback: Callback): Promise<number> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const status = await post({ ...callback, signal: AbortSignal.any([callback.signal, limit]) })
      if (status >= 200 && status < 300) return status
      if (status >= 300 && status < 400) throw new FinalRefusal(`it answered ${status}, and redirects are not followed`)
      if (status === 410) throw new FinalRefusal('it answered 410: gone')
      throw new Error(`it answered ${status}`)
    } catch (error) {
      callback.signal.throwIfAborted()
      throw limit.aborted ? new Error(`it did not answer within ${timeoutMs / 1000} s`) : error
    }
  }

  return {
    check(url) {
      checkCallbackUrl(url, { allowPrivateHosts })
    },
    async deliver(callback) {
      if (keys.length === 0) return { delivered: false, reason: 'there is no secret to sign it with', tries: 0 }
      for (let tries = 1; ; tries++) {
        try {
          return { delivered: true, status: await attempt(callback), tries }
        } catch (error) {
          callback.signal.throwIfAborted()
          const delayMs = delaysMs[tries - 1]
          const isFinal = error instanceof FinalRefusal || error instanceof FaultlineError
          if (isFinal || delayMs === undefined) return { delivered: false, reason: reasonOf(error), tries }
          await wait(delayMs, undefined, { signal: callback.signal }).catch(() => callback.signal.throwIfAborted())
        }
      }
    },
  }
}
