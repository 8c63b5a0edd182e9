import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { isSignedWebhook, webhookHeadersProblem, type WebhookHeaders } from './webhook.ts'

/** Forges whose webhooks tell of pushes; Forgejo speaks as Gitea does. */
export const PUSH_PROVIDERS = ['github', 'gitlab', 'gitea'] as const
/** One of the forges. */
export type PushProvider = (typeof PUSH_PROVIDERS)[number]

/** Headers in lower case, as Node gives them. */
type Headers = Readonly<Record<string, unknown>>

const textOf = (headers: Headers, name: string): string | null => {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** Gitea sends the headers of GitHub as well, for receivers that know no other. */
const TOLD_BY: ReadonlyArray<[provider: PushProvider, headers: readonly string[]]> = [
  ['gitea', ['x-gitea-event', 'x-gitea-signature', 'x-forgejo-event', 'x-forgejo-signature']],
  ['gitlab', ['x-gitlab-event', 'x-gitlab-token']],
  ['github', ['x-github-event', 'x-hub-signature-256']],
]

/** Who sent a webhook, by its headers; null for none of the forges. */
export function pushProvider(headers: Headers): PushProvider | null {
  return TOLD_BY.find(([, names]) => names.some(name => textOf(headers, name) !== null))?.[0] ?? null
}

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest()

/** Hashes are of equal length whatever was sent, as a comparison in constant time needs it. */
const isEqual = (a: string | Buffer, b: string | Buffer): boolean => timingSafeEqual(sha256(a), sha256(b))

/** Looks at every key, so that the time tells nothing of which one was close. */
const anyKey = (keys: readonly Buffer[], fits: (key: Buffer) => boolean): boolean => keys.map(fits).includes(true)

const isHmac = (given: string, body: Buffer, keys: readonly Buffer[]): boolean =>
  anyKey(keys, key => isEqual(given.toLowerCase(), createHmac('sha256', key).update(body).digest('hex')))

/** GitLab signs since version 19 as Standard Webhooks say, and before gives the secret itself. */
function isFromGitlab(headers: Headers, body: Buffer, keys: readonly Buffer[], now: Date): boolean {
  const signed =
    textOf(headers, 'webhook-signature') !== null &&
    webhookHeadersProblem(headers, now) === null &&
    isSignedWebhook(headers as unknown as WebhookHeaders, body, keys)
  const token = textOf(headers, 'x-gitlab-token')
  return signed || (token !== null && anyKey(keys, key => isEqual(token, key)))
}

/** Whether a webhook comes from whoever has one of the secrets. */
export function isSignedPush(
  provider: PushProvider,
  { headers, body, keys, now }: { headers: Headers; body: Buffer; keys: readonly Buffer[]; now: Date },
): boolean {
  if (provider === 'gitlab') return isFromGitlab(headers, body, keys, now)
  if (provider === 'gitea') {
    const given = textOf(headers, 'x-forgejo-signature') ?? textOf(headers, 'x-gitea-signature')
    return given !== null && isHmac(given, body, keys)
  }
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(textOf(headers, 'x-hub-signature-256') ?? '')?.[1]
  return hex !== undefined && isHmac(hex, body, keys)
}

const DELIVERY_HEADERS = {
  github: ['x-github-delivery'],
  gitea: ['x-forgejo-delivery', 'x-gitea-delivery'],
  gitlab: ['webhook-id', 'idempotency-key', 'x-gitlab-event-uuid'],
} as const satisfies Record<PushProvider, readonly string[]>

/** What tells one delivery from another; the body itself where the sender gives it no name. */
export function deliveryOf(provider: PushProvider, headers: Headers, body: Buffer): string {
  const named = DELIVERY_HEADERS[provider].map(name => textOf(headers, name)).find(value => value !== null)
  return named ?? sha256(body).toString('hex')
}
