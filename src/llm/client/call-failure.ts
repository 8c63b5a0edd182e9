import { OpenAI } from 'openai'
import { redact } from '../redaction/redact.ts'

/**
 * `unavailable`: no answer came; `bad_reply`: what came is no answer; `rejected`: the server refuses this request and
 * would refuse it again; `too_large`: it refuses it because it exceeds the model's context.
 */
type FailureKind = 'unavailable' | 'bad_reply' | 'rejected' | 'too_large'

/**
 * One failed request to a model server. The message is a part of a sentence, without secrets, of at most about 350
 * characters.
 */
export class CallFailure extends Error {
  readonly kind: FailureKind
  /** The HTTP status, when there was an answer. */
  readonly status: number | null
  /** Whether the same request may succeed later. */
  readonly mayPass: boolean
  /** What the server asked for in Retry-After. */
  readonly retryAfterMs: number | null
  /** Whether a model may have worked on the request before it failed, which costs. */
  readonly mayCost: boolean

  constructor(
    kind: FailureKind,
    message: string,
    details: {
      status?: number
      mayPass?: boolean
      retryAfterMs?: number | null
      mayCost?: boolean
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: details.cause })
    this.name = 'CallFailure'
    this.kind = kind
    this.status = details.status ?? null
    this.mayPass = details.mayPass ?? (kind === 'unavailable' || kind === 'bad_reply')
    this.retryAfterMs = details.retryAfterMs ?? null
    this.mayCost = details.mayCost ?? false
  }
}

/** A reply exceeded the byte cap and was cut off. Not retried: it would cost the same and end the same. */
export class ReplyTooLargeError extends CallFailure {
  constructor(maxBytes: number) {
    super('bad_reply', `the reply was longer than ${maxBytes} bytes and was cut off`, { mayPass: false, mayCost: true })
  }
}

const MAX_DETAIL_CHARS = 300

const TOO_LARGE =
  /context_length_exceeded|exceed_context_size|context[ _](?:length|size|window)|prompt is too long|too many (?:input |prompt )?tokens/i

/** What an answer with that status means; servers say in many words that a request is too long. */
function kindOf(status: number, said: string): FailureKind {
  if (status === 408 || status === 429 || status >= 500) return 'unavailable'
  return status >= 400 && TOO_LARGE.test(said.slice(0, 2000)) ? 'too_large' : 'rejected'
}

const codeIn = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined

const HTML_PAGE = /^\s*<(?:!doctype|html|\?xml)/i
const HTML_TITLE = /<title[^<>]{0,200}>([^<>]{1,200})</i

/** A server's words, fit to be shown: without our key and other secrets, on one line, bounded in length. */
function publicLine(text: string, secrets: readonly string[]): string {
  const withoutOurs = secrets.reduce(
    (said, secret) => (secret === '' ? said : said.replaceAll(secret, '[redacted:api-key]')),
    text,
  )
  const line = redact(withoutOurs)
    .text.replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return line.length > MAX_DETAIL_CHARS ? `${line.slice(0, MAX_DETAIL_CHARS)}…` : line
}

/** The text of a reply, fit to be shown; for a page of HTML, as proxies send, its title. */
function publicText(text: string, secrets: readonly string[]): string {
  const bounded = text.slice(0, 20_000)
  if (!HTML_PAGE.test(bounded)) return publicLine(bounded, secrets)
  const title = HTML_TITLE.exec(bounded)?.[1]
  return title === undefined ? 'a page of HTML' : `a page of HTML, ${publicText(title, secrets)}`
}

/**
 * The failure for an error object that stands in a 200 in place of the answer, or in the middle of a stream. Some
 * servers put the status that they mean into its `code`.
 */
export function errorIn200(error: unknown, secrets: readonly string[]): CallFailure {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  const encoded = JSON.stringify(message) ?? ''
  const text = typeof message === 'string' ? message : encoded
  const status = Number(codeIn(error))
  const known = Number.isInteger(status) && status >= 400 && status < 600 ? status : null
  return new CallFailure(
    known === null ? 'unavailable' : kindOf(known, text),
    `the server reported an error: ${publicText(text, secrets)}`,
    { status: known ?? undefined },
  )
}

/**
 * The wait that a Retry-After header asks for, in milliseconds; null when there is none or it cannot be read.
 *
 * @param value - Seconds or an HTTP date.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d{1,30}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1000
  const date = /[a-z]/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

function fromStatus(error: InstanceType<typeof OpenAI.APIError>, secrets: readonly string[], now: number): CallFailure {
  const { status } = error
  const said = publicText(error.message.replace(/^\d{3} /, ''), secrets)
  // The library throws an error inside a stream without a status. Its error is never the cause of ours: it holds what
  // the server said word by word, and a cause is logged.
  if (status === undefined) return errorIn200({ message: said, code: codeIn(error.error) ?? error.code }, secrets)
  return new CallFailure(kindOf(status, `${error.code ?? ''} ${error.message}`), `status ${status}: ${said}`, {
    status,
    retryAfterMs: parseRetryAfter(error.headers?.get('retry-after'), now),
  })
}

/** The error and its causes, outermost first; ends when causes form a loop. */
function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let current = error; current instanceof Error && !chain.includes(current); current = current.cause) {
    chain.push(current)
  }
  return chain
}

/** The innermost system code, such as ECONNREFUSED: it says most and contains no address. */
function codeOf(causes: unknown[]): string {
  const code = causes
    .map(cause => (cause as { code?: unknown }).code)
    .findLast(value => typeof value === 'string' && /^[A-Z][A-Z0-9_]{2,50}$/.test(value))
  return code === undefined ? '' : ` (${String(code)})`
}

/**
 * What a throw of the client library means; null when it is none of its known failures (a bug, which must surface as
 * such).
 *
 * @param secrets - Our key and headers, removed from what the server says.
 * @param now - Milliseconds since 1970, for a Retry-After that is a date.
 */
export function failureFrom(error: unknown, secrets: readonly string[], now: number): CallFailure | null {
  if (error instanceof CallFailure) return error
  const causes = causesOf(error)
  const own = causes.find(cause => cause instanceof CallFailure)
  if (own !== undefined) return own
  if (error instanceof OpenAI.APIConnectionError) {
    return new CallFailure('unavailable', `the connection failed${codeOf(causes)}`, { cause: error })
  }
  if (error instanceof OpenAI.APIError) return fromStatus(error, secrets, now)
  if (error instanceof SyntaxError) return new CallFailure('bad_reply', 'the reply was not JSON', { mayCost: true })
  // undici throws a bare TypeError when a body ends early; its cause names the socket's fault.
  if (error instanceof TypeError && causes.length > 1) {
    return new CallFailure('unavailable', `the connection broke${codeOf(causes)}`, { mayCost: true, cause: error })
  }
  return null
}
