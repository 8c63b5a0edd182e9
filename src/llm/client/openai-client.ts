import { OpenAI } from 'openai'
import { Agent, fetch as undiciFetch, Response as UndiciResponse } from 'undici'
import { ReplyTooLargeError } from './call-failure.ts'

/** Where a model server is, and how to authenticate. */
export interface ModelServerAddress {
  /** The URL up to but without `/chat/completions`. */
  baseUrl: string
  /** Null for servers that want none: then no Authorization header is sent. */
  apiKey: string | null
  /** Sent with every request; they override those that the client sends itself. */
  headers?: Readonly<Record<string, string>>
}

const MIN_SECRET_CHARS = 8 // a title or a version in a header or an address is no secret
/** Long mixed segments of a path are keys of a gateway, not names. */
const PATH_SECRET = /^(?=.*\d)(?=.*[A-Za-z])[\w.~%+=-]{16,}$/

/** Secrets to remove when a server repeats what it was sent. */
export function secretsOf({ baseUrl, apiKey, headers = {} }: ModelServerAddress): string[] {
  const values = Object.values(headers).flatMap(value => [value, ...value.split(/\s+/)])
  const { pathname, searchParams } = new URL(baseUrl)
  const inUrl = [...pathname.split('/').filter(part => PATH_SECRET.test(part)), ...searchParams.values()]
  const secrets = [...values, ...inUrl].filter(value => value.length >= MIN_SECRET_CHARS)
  return [...(apiKey === null ? [] : [apiKey]), ...secrets].sort((a, b) => b.length - a.length)
}

interface ConnectionLimits {
  connectTimeoutMs: number
  /** How long callers wait before their signal fires; the client's own limits are higher and only a safety net. */
  timeoutMs: number
  maxReplyBytes: number
}

const BACKSTOP_MS = 10_000

function endOfLastEvent(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  return Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\n\r\n'))
}

/**
 * Cuts a body that is too long. In a stream of events each event is measured: one token takes hundreds of bytes of
 * JSON, so the total length says little, and the reader counts the text that it adds up to.
 */
function byteCap(maxBytes: number, perEvent: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      const eventEnd = perEvent ? endOfLastEvent(chunk) : -1
      bytes = eventEnd === -1 ? bytes + chunk.byteLength : chunk.byteLength - eventEnd
      if (bytes > maxBytes) controller.error(new ReplyTooLargeError(maxBytes))
      else controller.enqueue(chunk)
    },
  })
}

function cappedFetch({ connectTimeoutMs, timeoutMs, maxReplyBytes }: ConnectionLimits): typeof globalThis.fetch {
  // A dispatcher of another undici than the fetch's is ignored or breaks, hence undici's own fetch.
  const silenceMs = timeoutMs + BACKSTOP_MS
  const dispatcher = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  })
  const capped = async (input: Parameters<typeof undiciFetch>[0], init: Parameters<typeof undiciFetch>[1]) => {
    const response = await undiciFetch(input, { ...init, dispatcher, redirect: 'manual' })
    if (response.body === null) return response
    const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const { status, statusText, headers } = response
    return new UndiciResponse(response.body.pipeThrough(byteCap(maxReplyBytes, streamed)), {
      status,
      statusText,
      headers,
    })
  }
  // the types of undici and of Node's fetch are twins that do not know each other
  return capped as unknown as typeof globalThis.fetch
}

/**
 * The one place that builds clients of model servers. The library's own retries, logs and OPENAI_* settings are off:
 * the base URL, the key and the headers are the given ones. Redirects are not followed, since they would carry code
 * elsewhere. Idle sockets do not keep the process alive, so there is nothing to close.
 */
export function createOpenAiClient({ baseUrl, apiKey, headers }: ModelServerAddress, limits: ConnectionLimits): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none', // an empty one throws, even for servers that want none
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: limits.timeoutMs + BACKSTOP_MS,
    logLevel: 'off',
    defaultHeaders: { 'user-agent': 'faultline', ...(apiKey === null ? { authorization: null } : {}), ...headers },
    fetch: cappedFetch(limits),
  })
}
