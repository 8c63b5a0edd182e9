import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { FaultlineError } from '../../core/errors.ts'
import { isOpen } from '../route-access.ts'
import type { ApiKeys } from './api-keys.ts'

/** Who may ask, and by which names the server is reached. */
export interface AuthOptions {
  apiKeys: ApiKeys
  /** The address the server listens on. */
  host: string
  allowedHosts: readonly string[]
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

const hostName = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')

/** A proxy may have checked the other of two names; RFC 9112, 3.2. @throws {FaultlineError} BAD_REQUEST */
function requireOneHost({ raw: { rawHeaders, httpVersion } }: FastifyRequest): void {
  const { length } = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (length === 1 || (length === 0 && httpVersion === '1.0')) return
  throw new FaultlineError(
    'BAD_REQUEST',
    length === 0 ? 'The request has no Host header.' : 'The request has two Host headers.',
    'Send one.',
  )
}

/**
 * API keys on every route but the open ones. The Host must be ours on state-changing requests, and on all where no key
 * is needed; the Origin, where there is one, on state-changing ones. That stops a web page that the user happens to
 * visit from driving a server on loopback, and from reading it (DNS rebinding, cross-site forms).
 */
export default fp<AuthOptions>(
  async (app, { apiKeys, host, allowedHosts }) => {
    const ours = new Set(['localhost', '127.0.0.1', '::1', hostName(host), ...allowedHosts.map(hostName)])
    // Bound to every address, the server is reached by addresses it cannot know; names still have to be allowed.
    const isOurs = (name: string) => ours.has(name) || ((host === '0.0.0.0' || host === '::') && isIP(name) !== 0)
    const fix = 'Add the name to ALLOWED_HOSTS.'

    function checkHost({ headers }: FastifyRequest): void {
      if (!isOurs(hostName(headers.host ?? ''))) {
        throw new FaultlineError(
          'FORBIDDEN_HOST',
          `The Host ${JSON.stringify(headers.host ?? '')} is not an address of this server.`,
          fix,
        )
      }
    }

    function checkOrigin({ headers: { origin } }: FastifyRequest): void {
      if (origin === undefined) return
      const name = URL.canParse(origin) ? hostName(new URL(origin).host) : null
      if (name === null || !isOurs(name)) {
        throw new FaultlineError(
          'FORBIDDEN_ORIGIN',
          `Requests from the origin ${JSON.stringify(origin)} are not allowed.`,
          fix,
        )
      }
    }

    app.addHook('onRequest', async (request, reply) => {
      requireOneHost(request)
      if (request.forwarded !== null) return // the node that forwarded it has checked who asked, and by which name
      const changesState = !SAFE_METHODS.has(request.method)
      if (changesState || apiKeys.length === 0) checkHost(request)
      if (changesState) checkOrigin(request)
      if (apiKeys.length === 0 || request.keyName !== null || isOpen(request)) return
      reply.header('www-authenticate', 'Bearer')
      throw new FaultlineError(
        'UNAUTHORIZED',
        request.headers.authorization === undefined ? 'An API key is needed.' : 'The API key is not known.',
        'Send the header Authorization: Bearer KEY, with a key from API_KEYS.',
      )
    })
  },
  { name: 'auth', dependencies: ['api-keys'] },
)
