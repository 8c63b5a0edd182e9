import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Headers of Standard Webhooks, in lower case. */
export type WebhookHeaders = {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * How far the clocks of the two sides may be apart, and how long a request that somebody recorded can be sent again.
 */
const TOLERANCE_S = 300
/** While secrets are changed a sender gives one signature for each; more would only cost time. */
const MAX_SIGNATURES = 10

/**
 * The key that a secret stands for: `whsec_` and base64, as most tools give them out, or any other text as it is.
 *
 * @returns null when what follows `whsec_` is not base64.
 */
export function webhookKey(secret: string): Buffer | null {
  if (!secret.startsWith('whsec_')) return Buffer.from(secret)
  const encoded = secret.slice('whsec_'.length)
  return /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && encoded.length % 4 !== 1 ? Buffer.from(encoded, 'base64') : null
}

function signature(
  key: Buffer,
  { id, timestamp, body }: { id: string; timestamp: string; body: string | Buffer },
): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

/** The headers of a message: one signature for each key, so that the receiver may know any of them. */
export function signWebhook({
  id,
  body,
  keys,
  now,
}: {
  id: string
  body: string | Buffer
  keys: readonly Buffer[]
  now: Date
}): WebhookHeaders {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys.map(key => signature(key, { id, timestamp, body })).join(' '),
  }
}

/**
 * What is wrong with the headers of a message whatever its body is; null when nothing is. An id goes without the full
 * stop that separates it from the rest.
 */
export function webhookHeadersProblem(headers: Readonly<Record<string, unknown>>, now: Date): string | null {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
    return 'webhook-id, webhook-timestamp and webhook-signature are needed'
  }
  if (!/^[\x21-\x2d\x2f-\x7e]{1,255}$/.test(id)) {
    return 'webhook-id is not 1 to 255 printable characters without a full stop'
  }
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is not a time in seconds since 1970'
  if (Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) >= TOLERANCE_S) {
    return `webhook-timestamp is ${TOLERANCE_S / 60} minutes or more from the time of this server`
  }
  return null
}

/** A hash: of equal length whatever was sent, as a comparison in constant time needs it. */
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Whether one of the signatures was made with one of the keys over these very bytes. Takes the same time for any wrong
 * signature.
 */
export function isSignedWebhook(headers: WebhookHeaders, body: Buffer, keys: readonly Buffer[]): boolean {
  const given = headers['webhook-signature'].split(' ').slice(0, MAX_SIGNATURES).map(sha256)
  let isSigned = false
  for (const key of keys) {
    const expected = sha256(
      signature(key, { id: headers['webhook-id'], timestamp: headers['webhook-timestamp'], body }),
    )
    for (const hash of given) if (timingSafeEqual(expected, hash)) isSigned = true
  }
  return isSigned
}
