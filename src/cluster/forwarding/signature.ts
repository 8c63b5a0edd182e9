import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Access } from '../../core/access.ts'
import { isObject } from '../../core/is-object.ts'
import type { ForwardedCaller } from '../../core/node.ts'

/** A request that a node forwards, and who sent it. */
export interface ForwardedRequest extends ForwardedCaller {
  /** Name of the node that it goes to: no other one takes it. */
  to: string
  method: string
  /** With the query, as the request line has it. */
  path: string
}

/** What is signed: short names, since it travels in a header. */
interface Claims {
  v: 1
  /** Milliseconds since 1970. */
  at: number
  /** How often the request was forwarded. */
  hop: 1
  id: string
  from: string
  to: string
  method: string
  path: string
  body: string
  key: string | null
  write: boolean
  projects: readonly string[] | null
  ip: string
}

/** How far the clocks of two nodes may be apart, and how long a request may travel. */
const MAX_AGE_MS = 30_000
/** Node takes 16 KiB of headers; a path that is longer than this is none of ours. */
const MAX_HEADER_CHARS = 12_000

const mac = (text: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`faultline forward ${text}`).digest()

/** The header that shows that the request comes from a node that knows the secret. */
export function signForward(request: ForwardedRequest, secret: string, nowMs = Date.now()): string {
  const { requestId, from, to, method, path, bodySha256, keyName, access, ip } = request
  const { mayWrite: write, projects } = access
  const claims: Claims = {
    ...{ v: 1, hop: 1, at: nowMs, id: requestId, from, to, method, path, body: bodySha256, key: keyName },
    ...{ write, projects, ip },
  }
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${text}.${mac(text, secret).toString('base64url')}`
}

/** The claims of a header whose signature was checked: this release or another one wrote them. */
function claimsIn(text: string): Claims | null {
  const claims: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
  return isObject(claims) && claims.v === 1 && claims.hop === 1 ? (claims as unknown as Claims) : null
}

function accessIn({ write, projects }: Claims): Access {
  return { mayWrite: write, projects }
}

/** What of a request is covered by its signature. */
interface ReceivedRequest {
  method: string
  path: string
  /** Name of this node. */
  to: string
}

/**
 * Who sent a request that another node forwarded. Its body is still to be compared with `bodySha256`.
 *
 * @returns In words what is wrong with the header, where nothing of it can be trusted.
 */
export function readForward(
  header: string,
  { method, path, to }: ReceivedRequest,
  secret: string,
  nowMs = Date.now(),
): ForwardedCaller | { problem: string } {
  if (header.length > MAX_HEADER_CHARS) return { problem: 'it is too long' }
  const [text = '', signature = ''] = header.split('.')
  const given = Buffer.from(signature)
  const wanted = Buffer.from(mac(text, secret).toString('base64url'))
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    return { problem: 'it is not signed with the CLUSTER_SECRET of this node' }
  }
  const claims = claimsIn(text)
  if (claims === null) return { problem: 'a release signed it that this one does not understand' }
  if (Math.abs(nowMs - claims.at) > MAX_AGE_MS) return { problem: 'it was signed more than 30 s before or after now' }
  if (claims.to !== to) return { problem: 'it is for another node' }
  if (claims.method !== method || claims.path !== path) return { problem: 'it was signed for another request' }
  const { key: keyName, ip, id: requestId, from, body: bodySha256 } = claims
  return { keyName, access: accessIn(claims), ip, requestId, from, bodySha256 }
}

/**
 * Tells a request that comes for the second time, as somebody may send it who heard the first. Remembers as long as a
 * signature is good.
 */
export class SeenRequests {
  readonly #now: () => number
  #recent = new Set<string>()
  #older = new Set<string>()
  #since: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#since = now()
  }

  /** Whether the header came before; it has come from now on. */
  has(header: string): boolean {
    // a signature is good from 30 s before its time to 30 s after it
    if (this.#now() - this.#since > 2 * MAX_AGE_MS) {
      this.#older = this.#recent
      this.#recent = new Set()
      this.#since = this.#now()
    }
    const id = header.slice(header.indexOf('.') + 1)
    if (this.#recent.has(id) || this.#older.has(id)) return true
    this.#recent.add(id)
    return false
  }
}
