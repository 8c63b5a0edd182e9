import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { FaultlineError } from '../core/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Name of the API key that the request came with; null when the server has no keys. */
    keyName: string | null
  }
}

export interface AuthOptions {
  apiKeys: ReadonlyArray<{ name: string, sha256: Buffer }>
  /** The address the server listens on. */
  host: string
  allowedHosts: readonly string[]
}

const OPEN_PATH = /^\/(?:health|ready|docs(?:\/.*)?|webhooks\/.*)$/
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

function keyNameOf (header: string | undefined, keys: AuthOptions['apiKeys']): string | null {
  const given = /^Bearer (\S{1,512})$/i.exec(header ?? '')?.[1]
  if (given === undefined) return null
  const hash = createHash('sha256').update(given).digest()
  let name: string | null = null
  for (const key of keys) if (timingSafeEqual(key.sha256, hash)) name = key.name // no early end: the time must not tell which key was near
  return name
}

const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/^\[|\]$/g, '')

/**
 * API keys on every route but the open ones; on state-changing requests the Host must be ours and the Origin, where there is one, too.
 * That stops a web page that the user happens to visit from driving a server on loopback (DNS rebinding, cross-site forms).
 */
export default fp<AuthOptions>(async (app, { apiKeys, host, allowedHosts }) => {
  const ours = new Set(['localhost', '127.0.0.1', '::1', hostName(host), ...allowedHosts.map(hostName)])
  // Bound to every address, the server is reached by addresses it cannot know; names still have to be allowed.
  const isOurs = (name: string) => ours.has(name) || ((host === '0.0.0.0' || host === '::') && isIP(name) !== 0)

  function checkOrigin (request: FastifyRequest): void {
    if (SAFE_METHODS.has(request.method)) return
    const fix = 'Add the name to ALLOWED_HOSTS.'
    if (!isOurs(hostName(request.headers.host ?? ''))) throw new FaultlineError('FORBIDDEN_HOST', `The Host ${JSON.stringify(request.headers.host ?? '')} is not an address of this server.`, fix)
    const { origin } = request.headers
    if (origin === undefined) return
    const name = URL.canParse(origin) ? hostName(new URL(origin).host) : null
    if (name === null || !isOurs(name)) throw new FaultlineError('FORBIDDEN_ORIGIN', `Requests from the origin ${JSON.stringify(origin)} are not allowed.`, fix)
  }

  app.decorateRequest('keyName', null)
  app.addHook('onRequest', async (request, reply) => {
    checkOrigin(request)
    if (apiKeys.length === 0 || OPEN_PATH.test(request.url.split('?', 1)[0] ?? '')) return
    request.keyName = keyNameOf(request.headers.authorization, apiKeys)
    if (request.keyName !== null) return
    reply.header('www-authenticate', 'Bearer')
    throw new FaultlineError('UNAUTHORIZED', request.headers.authorization === undefined ? 'An API key is needed.' : 'The API key is not known.', 'Send the header Authorization: Bearer KEY, with a key from API_KEYS.')
  })
}, { name: 'auth' })
