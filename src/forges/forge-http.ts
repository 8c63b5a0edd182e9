import { setTimeout as wait } from 'node:timers/promises'
import type { Static, TSchema } from 'typebox'
import { isObject } from '../core/is-object.ts'
import { hostOf } from '../outbound/callback-url.ts'
import { checkedAddresses, pinnedTo, reasonOf, type AddressPolicy } from '../outbound/pinned.ts'
import { ForgeRefusal, saidLine } from './forge-refusal.ts'
import { rateLimitMs, type AnswerHeaders } from './rate-limit.ts'

/** One call of a forge's API. */
export interface ForgeCall<Schema extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Below the API's address; its parts are encoded already. */
  path: string
  query?: Readonly<Record<string, string | number>>
  body?: unknown
  /** In place of those of the token. */
  headers?: Readonly<Record<string, string>>
  /** What the answer must be. */
  reply: Schema
  /** What it is for, as in "GitHub at host did not …". */
  to: string
  signal: AbortSignal
}

/** Calls the API of one forge. */
export interface ForgeHttp {
  /** @throws {ForgeRefusal} FORGE_REFUSED; the signal's reason. */
  call<Schema extends TSchema>(call: ForgeCall<Schema>): Promise<Static<Schema>>
}

/** Where an API is, and with what it is called. */
export interface ForgeHttpOptions {
  /** Without a slash at the end. */
  apiUrl: string
  /** The name of the forge's host in messages and in `GIT_TOKENS`. */
  host: string
  /** The repository, for messages. */
  repository: string
  /** With every call. */
  headers: Readonly<Record<string, string>>
  /** Texts that no message may hold. */
  secrets: readonly string[]
  allowPrivateHosts: boolean
  resolveHost?: AddressPolicy['resolveHost']
  /** Before the second try, the third … */
  delaysMs?: readonly number[]
  /** How long one try may take. */
  timeoutMs?: number
  /** The longest that a limit is waited for. */
  maxWaitMs?: number
  now?: () => number
}

const DELAYS_MS = [500, 2_000, 6_000]
const TIMEOUT_MS = 20_000
const MAX_WAIT_MS = 90_000
const MAX_REPLY_BYTES = 8 * 1024 * 1024

interface Answer {
  status: number
  headers: AnswerHeaders
  text: string
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Texts in what a forge says is wrong, wherever they stand. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (depth > 3) return []
  if (Array.isArray(value)) return value.slice(0, 10).flatMap(one => textsIn(one, depth + 1))
  if (!isObject(value)) return []
  const { message, error, errors, error_description: description, field, code, base, detail } = value
  return [message, error, errors, description, field, code, base, detail].flatMap(one => textsIn(one, depth + 1))
}

/** What an answer says is wrong; a page that is no JSON says nothing. */
function saidIn({ text }: Answer, secrets: readonly string[]): string {
  return saidLine([...new Set(textsIn(parsed(text)))].join(': '), secrets)
}

const colon = (said: string): string => (said === '' ? '' : `: ${said}`)

/** The connection was never made, so that nothing was asked. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

const wasNotSent = (error: unknown): boolean =>
  error instanceof Error && NOT_SENT.has(String((error as NodeJS.ErrnoException).code))

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

/** Calls of one forge, to its own address alone: checked, pinned, in time, again where that does no harm. */
export function createForgeHttp(options: ForgeHttpOptions): ForgeHttp {
  const { apiUrl, host, repository, secrets, allowPrivateHosts, resolveHost } = options
  const { delaysMs = DELAYS_MS, timeoutMs = TIMEOUT_MS, maxWaitMs = MAX_WAIT_MS, now = Date.now } = options

  const privateAddress = (name: string): ForgeRefusal =>
    new ForgeRefusal(
      `The API of ${host} is at ${JSON.stringify(name)}, which is not a public address.`,
      'Set ALLOW_PRIVATE_HOSTS=true on the server for a forge in a private network.',
      { status: null },
    )

  async function send(
    { method, path, query = {}, body, headers }: ForgeCall<TSchema>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const url = new URL(apiUrl + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    const policy = { allowPrivateHosts, resolveHost, refused: privateAddress }
    const addresses = await checkedAddresses(hostOf(url), policy, signal)
    const { Agent, request } = await import('undici') // most servers never call a forge
    const dispatcher = new Agent({
      connect: { lookup: pinnedTo(addresses), timeout: timeoutMs },
      pipelining: 0,
      maxResponseSize: MAX_REPLY_BYTES,
    })
    try {
      // undici's `request` follows no redirect
      const answer = await request(url, {
        dispatcher,
        signal,
        method,
        body: body === undefined ? null : JSON.stringify(body),
        headers: {
          accept: 'application/json',
          'user-agent': 'faultline',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
          ...headers,
        },
      })
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
    } finally {
      dispatcher.destroy().catch(() => {})
    }
  }

  function limited(status: number, waitMs: number): ForgeRefusal {
    const minutes = Math.ceil(waitMs / 60_000)
    return new ForgeRefusal(
      `The rate limit of ${host} is used up (${status}); it asks to wait ${minutes} min.`,
      `Retry the job in ${minutes} min.`,
      { status },
    )
  }

  function refusal({ to, method }: ForgeCall<TSchema>, answer: Answer): ForgeRefusal {
    const { status } = answer
    const said = colon(saidIn(answer, secrets))
    const make = (message: string, fix: string) => new ForgeRefusal(message, fix, { status })
    if (status >= 300 && status < 400) {
      return make(
        `${host} did not ${to}: it answered ${status} with another address, and the token goes to no other.`,
        `${repository} was moved or renamed: clone it by its new address.`,
      )
    }
    if (status === 401) {
      return make(
        `${host} did not ${to}: it does not take the token (401)${said}.`,
        `Check the token of ${host} in GIT_TOKENS; it may have expired.`,
      )
    }
    if (status === 403) {
      return make(
        `${host} did not ${to}: the token may not (403)${said}.`,
        `Give the token of ${host} the right to ${to}; docs/delivery.md lists the rights.`,
      )
    }
    if (status === 404) {
      // a forge says so, too, where the token lacks a right
      const orWrite = method === 'GET' ? '' : ', or may not write'
      return make(
        `${host} did not ${to} (404): the token for ${host} cannot see ${repository}${orWrite}.`,
        `Check that the token of ${host} in GIT_TOKENS may read and write pull requests of ${repository}.`,
      )
    }
    return make(
      `${host} did not ${to}: it answered ${status}${said}.`,
      status >= 500 ? 'Retry the job later.' : 'Do what the message says, then retry the job.',
    )
  }

  function unreachable({ to }: ForgeCall<TSchema>, cause: unknown): ForgeRefusal {
    if (cause instanceof ForgeRefusal) return cause
    return new ForgeRefusal(
      `${host} did not ${to}: ${saidLine(reasonOf(cause), secrets)}.`,
      `Check that this server reaches ${new URL(apiUrl).host}, then retry the job.`,
      { status: null, cause },
    )
  }

  async function inTime(call: ForgeCall<TSchema>): Promise<Answer> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      return await send(call, AbortSignal.any([call.signal, limit]))
    } catch (error) {
      call.signal.throwIfAborted()
      throw limit.aborted ? new Error(`it did not answer within ${timeoutMs / 1000} s`) : error
    }
  }

  /** The answer to a call, tried again where nothing can be done twice by it. */
  async function answerTo(call: ForgeCall<TSchema>): Promise<Answer> {
    const isRepeatable = call.method !== 'POST'
    for (let tries = 0; ; tries++) {
      const delayMs = delaysMs[tries]
      try {
        const answer = await inTime(call)
        const limitMs = rateLimitMs({ ...answer, said: saidIn(answer, []) }, now())
        if (limitMs !== null) {
          if (delayMs === undefined || limitMs > maxWaitMs) throw limited(answer.status, Math.max(limitMs, 60_000))
          await sleep(Math.max(limitMs, delayMs), call.signal)
        } else if (answer.status >= 500 && isRepeatable && delayMs !== undefined) {
          await sleep(delayMs, call.signal)
        } else {
          return answer
        }
      } catch (error) {
        call.signal.throwIfAborted()
        const isFinal = error instanceof ForgeRefusal || !(isRepeatable || wasNotSent(error))
        if (isFinal || delayMs === undefined) throw unreachable(call, error)
        await sleep(delayMs, call.signal)
      }
    }
  }

  return {
    async call(call) {
      const answer = await answerTo(call)
      if (answer.status < 200 || answer.status >= 300) throw refusal(call, answer)
      const { Check } = await import('typebox/value')
      const value = answer.text === '' ? null : parsed(answer.text)
      if (Check(call.reply, value)) return value as Static<typeof call.reply>
      throw new ForgeRefusal(
        `${host} answered to "${call.to}" with ${answer.status} and something else than its API promises.`,
        `Check that FORGES says what ${host} is, and where its API is.`,
        { status: null },
      )
    },
  }
}
