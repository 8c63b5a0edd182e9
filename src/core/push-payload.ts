import { FaultlineError } from './errors.ts'
import { isObject } from './is-object.ts'

/** What a webhook says: that a branch has new commits, or something that nothing follows from. */
export type PushPayload =
  | {
      kind: 'push'
      branch: string
      /** Addresses of the repository, in all forms that the forge names. */ urls: string[]
    }
  | { kind: 'other'; what: string }

const URL_FIELDS = [
  ...['clone_url', 'ssh_url', 'html_url', 'url', 'homepage'],
  ...['git_http_url', 'git_ssh_url', 'http_url', 'web_url'],
]
const MAX_URL_CHARS = 2_048
const BRANCH = 'refs/heads/'
const DELETED = /^0+$/

const malformed = (message: string, cause?: unknown): FaultlineError =>
  new FaultlineError(
    'MALFORMED_JSON',
    message,
    'Let the forge send its webhook as application/json, for pushes.',
    cause === undefined ? undefined : { cause },
  )

const own = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined

function textIn(value: unknown, name: string): string | null {
  const text = own(value, name)
  return typeof text === 'string' && text.length <= MAX_URL_CHARS ? text : null
}

function parse(body: Buffer, contentType: string): unknown {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType)
  const text = body.toString()
  const json = isForm ? new URLSearchParams(text).get('payload') : text
  try {
    return JSON.parse(String(json))
  } catch (cause) {
    throw malformed('The body of the webhook is not JSON.', cause)
  }
}

/**
 * Reads the body of a push webhook of GitHub, GitLab, Gitea or Forgejo. Nothing of it is believed but that the sender
 * wrote it: its addresses are only compared with those of projects.
 *
 * @throws {FaultlineError} MALFORMED_JSON
 */
export function readPush(body: Buffer, { contentType, event }: { contentType: string; event: string }): PushPayload {
  const payload = parse(body, contentType)
  if (!isObject(payload)) throw malformed('The body of the webhook is no JSON object.')
  const ref = textIn(payload, 'ref')
  const kind = textIn(payload, 'object_kind') ?? event.toLowerCase()
  if (ref === null || !['push', 'push hook'].includes(kind)) return { kind: 'other', what: 'is about no push' }
  if (!ref.startsWith(BRANCH)) return { kind: 'other', what: 'is about no branch' }
  if (own(payload, 'deleted') === true || DELETED.test(textIn(payload, 'after') ?? '')) {
    return { kind: 'other', what: 'tells that a branch was deleted' }
  }
  const places = [own(payload, 'repository'), own(payload, 'project')]
  const urls = places.flatMap(place => URL_FIELDS.map(field => textIn(place, field))).filter(url => url !== null)
  return { kind: 'push', branch: ref.slice(BRANCH.length), urls: [...new Set(urls)] }
}
