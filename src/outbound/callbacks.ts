import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isAddress, isPublicAddress } from '../core/address.ts'
import { FaultlineError } from '../core/errors.ts'
import { signWebhook } from '../core/webhook.ts'
import { addressRefused, checkCallbackUrl, hostOf } from './callback-url.ts'

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
  resolveHost?: (host: string) => Promise<string[]>
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

const resolveBySystem = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/** Connects to the addresses that were checked, whatever the name resolves to by then. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host, options, callback) => {
    const [first] = pinned
    if (options.all === true) callback(null, pinned)
    else callback(null, first?.address ?? '', first?.family)
  }
}

async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    work.catch(() => {}) // the loser of the race
  }
}

/** The reason of a failed delivery, as text; failed connections often have no message of their own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof AggregateError || error.message === '') {
    return `it cannot be reached (${code ?? 'no connection'})`
  }
  return error.message
}

/** Callbacks over HTTP. */
export function createCallbacks({
  keys,
  allowPrivateHosts,
  resolveHost = resolveBySystem,
  delaysMs = DELAYS_MS,
  timeoutMs = TIMEOUT_MS,
  now = () => new Date(),
}: CallbackOptions): Callbacks {
  async function addressesOf(host: string, signal: AbortSignal): Promise<string[]> {
    const addresses = isAddress(host) ? [host] : await abortable(resolveHost(host), signal)
    if (addresses.length === 0 || !addresses.every(isAddress)) throw new Error(`the host ${host} cannot be resolved`)
    // one of them would do for an attacker
    if (!allowPrivateHosts && !addresses.every(isPublicAddress)) throw addressRefused(host)
    return addresses
  }

  async function post({ url: text, id, body, signal }: Callback): Promise<number> {
    const url = checkCallbackUrl(text, { allowPrivateHosts })
    const addresses = await addressesOf(hostOf(url), signal)
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
