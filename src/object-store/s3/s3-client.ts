import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { Agent, request } from 'undici'
import type { S3Address, S3Credentials } from '../../core/object-store-url.ts'
import { ObjectStoreError } from '../object-store.ts'
import { parseXml, textOf, type XmlElement } from './xml.ts'

/** How patient a client is. */
export interface S3Patience {
  /** Before the second try, the third … */
  delaysMs: readonly number[]
  /** Longest time without a byte. */
  silenceMs: number
  /** Rate below which a transfer counts as stuck. */
  minBytesPerSecond: number
}

/** One request. Whatever it does may be done twice. */
interface S3Call {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD'
  /** Null: the bucket itself. */
  key: string | null
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
  /** Whether 404 is an answer, too. */
  mayMiss?: boolean
  /** What it is for, as in "The object store did not …". */
  to: string
  signal: AbortSignal
}

/** Status, headers and body of an answer; the body of one that succeeded may still be on its way. */
export interface S3Answer {
  status: number
  header: (name: string) => string | null
  body: Readable
}

/** An answer with all of its body. */
export interface S3Text {
  status: number
  header: (name: string) => string | null
  text: string
  /** Null: no XML. */
  xml: XmlElement | null
}

/** Refusals that the way there may have caused: the same bytes, sent again, may arrive whole. */
const DAMAGED_ON_THE_WAY: ReadonlySet<string> = new Set([
  'BadDigest',
  'IncompleteBody',
  'InvalidDigest',
  'OperationAborted',
  'RequestTimeout',
  'SlowDown',
  'XAmzContentSHA256Mismatch',
])
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 425, 429])
/** Refusals that an operator can mend, and how. */
const CURES: Readonly<Record<string, string>> = {
  AccessDenied: 'Let the key read, write, delete and list in the bucket.',
  InvalidAccessKeyId: 'Check S3_ACCESS_KEY_ID.',
  NoSuchBucket: 'Make the bucket, or name another one in OBJECT_STORE_URL.',
  PermanentRedirect: 'Name the region of the bucket in OBJECT_STORE_URL: &region=…',
  AuthorizationHeaderMalformed: 'Name the region of the bucket in OBJECT_STORE_URL: &region=…',
  RequestTimeTooSkewed: 'Set the clock of this machine: it differs from the store by more than 15 minutes.',
  SignatureDoesNotMatch: 'Check S3_SECRET_ACCESS_KEY, and that no proxy on the way changes requests.',
}
const CHECK_KEY = 'Check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, and what the key may do in the bucket.'
/** For answers without a code, as all are to HEAD. */
const CURES_OF_STATUS: Readonly<Record<number, string>> = { 401: CHECK_KEY, 403: CHECK_KEY }
const EMPTY = new Uint8Array()
const MAX_TEXT_BYTES = 8 * 1024 * 1024
const MAX_RETRY_AFTER_MS = 20_000
/** More than are fetched at once to restore an index. */
const MAX_CONNECTIONS = 48

/** A try that failed, and how long the store asks to be left alone. */
class FailedTry extends Error {
  readonly isTransient: boolean
  readonly afterMs: number
  readonly fix: string | undefined

  constructor(
    said: string,
    { isTransient, afterMs = 0, fix, cause }: { isTransient: boolean; afterMs?: number; fix?: string; cause?: unknown },
  ) {
    super(said, { cause })
    this.isTransient = isTransient
    this.afterMs = afterMs
    this.fix = fix
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** What a failed connection is called, its code where it has no words. */
function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  const name = typeof code === 'string' ? code : error.name
  return error.message === '' ? name : `${error.message} (${name})`
}

async function textOfBody(body: Readable): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    if (bytes > MAX_TEXT_BYTES) throw new Error('the answer is larger than 8 MiB')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

function retryAfterMs(header: string | null): number {
  const seconds = Number(header ?? 0)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1_000, MAX_RETRY_AFTER_MS) : 0
}

/** What a refusal says, as a failed try. */
function refusalOf({ status, header, text, xml }: S3Text): FailedTry {
  const isError = xml?.name === 'Error'
  const code = isError ? textOf(xml, 'Code') : ''
  const said = isError ? `${code}: ${textOf(xml, 'Message')}` : text.slice(0, 200).trim()
  const isTransient = status >= 500 || TRANSIENT_STATUS.has(status) || DAMAGED_ON_THE_WAY.has(code)
  return new FailedTry(`it answered ${status} ${said.slice(0, 300)}`.trimEnd().replace(/\.$/, ''), {
    isTransient,
    afterMs: retryAfterMs(header('retry-after')),
    fix: CURES[code] ?? CURES_OF_STATUS[status],
  })
}

async function textOfAnswer({ status, header }: Omit<S3Text, 'text' | 'xml'>, body: Readable): Promise<S3Text> {
  const text = await textOfBody(body)
  return { status, header, text, xml: text.startsWith('<') ? parseXml(text) : null }
}

/** @throws {FailedTry} It is neither a success nor a 404 that the call may get. */
function checkAnswer(answer: S3Text, { mayMiss = false }: S3Call): void {
  const { status, xml } = answer
  if (isSuccess(status)) {
    // a multipart upload may fail after its 200 was sent
    if (xml?.name === 'Error') throw new FailedTry(refusalOf(answer).message, { isTransient: true })
    return
  }
  const isMissing = status === 404 && textOf(xml, 'Code') !== 'NoSuchBucket'
  if (!mayMiss || !isMissing) throw refusalOf(answer)
}

/** Sends signed requests to one bucket, again where that may help. */
export class S3Client {
  readonly #address: S3Address
  readonly #credentials: S3Credentials
  readonly #patience: S3Patience
  readonly #request: typeof request
  readonly #agent: Agent
  /** Signing keys, which hold for a day each. */
  readonly #keys = new Map<string, ArrayBuffer>()

  constructor(
    address: S3Address,
    credentials: S3Credentials,
    { patience, undici }: { patience: S3Patience; undici: { Agent: typeof Agent; request: typeof request } },
  ) {
    this.#address = address
    this.#credentials = credentials
    this.#patience = patience
    this.#request = undici.request
    this.#agent = new undici.Agent({
      headersTimeout: patience.silenceMs,
      bodyTimeout: patience.silenceMs,
      connect: { timeout: patience.silenceMs },
      connections: MAX_CONNECTIONS,
      pipelining: 1,
    })
  }

  /** The whole answer, whose status is one of success, or 404. @throws {ObjectStoreError} after all tries. */
  async call(call: S3Call): Promise<S3Text> {
    const { silenceMs, minBytesPerSecond } = this.#patience
    // silence is noticed by itself; this is for what trickles
    const limitMs = 2 * silenceMs + Math.ceil(((call.body?.length ?? 0) / minBytesPerSecond) * 1_000)
    return await this.#trying(call, async () => {
      const { body, ...head } = await this.#send(call, AbortSignal.any([call.signal, AbortSignal.timeout(limitMs)]))
      const answer = await textOfAnswer(head, body)
      checkAnswer(answer, call)
      return answer
    })
  }

  /** The beginning of an answer; null for 404. @throws {ObjectStoreError} after all tries. */
  async open(call: S3Call): Promise<S3Answer | null> {
    return await this.#trying(call, async () => {
      const answer = await this.#send(call, call.signal)
      if (isSuccess(answer.status)) return answer
      checkAnswer(await textOfAnswer(answer, answer.body), call)
      return null
    })
  }

  /** The pieces of a body. @throws Also when they come more slowly than the client is patient. */
  async *pieces(body: Readable): AsyncIterable<Uint8Array> {
    const { silenceMs, minBytesPerSecond } = this.#patience
    let bytes = 0
    let waitedMs = 0 // for the store: a slow reader is no fault of it
    let askedAt = performance.now()
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      bytes += piece.length
      waitedMs += performance.now() - askedAt
      if (waitedMs > 2 * silenceMs + (bytes / minBytesPerSecond) * 1_000) throw new Error('the answer comes too slowly')
      yield piece
      askedAt = performance.now()
    }
  }

  /**
   * Waits before the try that follows so many failed ones.
   *
   * @throws {ObjectStoreError} None follows. The signal's reason.
   */
  async pause(failed: number, error: unknown, { to, signal }: Pick<S3Call, 'to' | 'signal'>): Promise<void> {
    signal.throwIfAborted()
    if (error instanceof TypeError || error instanceof RangeError) throw error // a bug, which no try mends
    const known = error instanceof FailedTry ? error : new FailedTry(saidBy(error), { isTransient: true, cause: error })
    const delayMs = this.#patience.delaysMs[failed - 1]
    if (!known.isTransient || delayMs === undefined) {
      const { isTransient, fix, message } = known
      const tries = failed === 1 ? '' : `, after ${failed} tries`
      throw new ObjectStoreError(`The object store did not ${to}: ${message}${tries}.`, {
        isTransient,
        fix,
        cause: known.cause ?? known,
      })
    }
    const jittered = delayMs * (0.5 + Math.random() / 2) // nodes that failed together should not come back together
    await wait(Math.max(jittered, known.afterMs), undefined, { signal }).catch(() => signal.throwIfAborted())
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #trying<T>(call: S3Call, attempt: () => Promise<T>): Promise<T> {
    for (let failed = 0; ;) {
      call.signal.throwIfAborted()
      try {
        return await attempt()
      } catch (error) {
        await this.pause(++failed, error, call)
      }
    }
  }

  async #send({ method, key, query = {}, headers = {}, body }: S3Call, signal: AbortSignal): Promise<S3Answer> {
    const { endpoint, bucket, prefix, region } = this.#address
    const url = new URL(key === null ? `${endpoint}/${bucket}` : `${endpoint}/${bucket}/${prefix}${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const sent = body ?? EMPTY
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256').update(sent).digest('hex'),
        ...(body === undefined ? {} : { 'content-md5': createHash('md5').update(sent).digest('base64') }),
      },
      ...this.#credentials,
      service: 's3',
      region,
      cache: this.#keys,
    })
    const signed = await signer.sign()
    const answer = await this.#request(signed.url, {
      method,
      headers: Object.fromEntries(signed.headers),
      body: body === undefined ? null : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      signal,
      dispatcher: this.#agent,
    })
    const header = (name: string): string | null => {
      const value = answer.headers[name]
      return typeof value === 'string' ? value : null
    }
    return { status: answer.statusCode, header, body: answer.body }
  }
}
