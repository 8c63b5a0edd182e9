import type { Socket } from 'node:net'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import { FaultlineError } from '../../core/errors.ts'
import type { Connections } from '../connections.ts'
import pressure, { type PressureOptions } from './pressure.ts'

/** How much clients may ask before they are put off. */
export interface LimitsOptions extends PressureOptions {
  /**
   * Requests a minute that one API key, or one address without a known key, may send. The default is against runaway
   * clients, not a quota: 5,000 a second, more than the server answers.
   */
  requestsPerMinute?: number
  requestsPerConnection?: number
}

/** Requests after which a connection is closed, so that a balancer in front can spread its clients anew. */
const REQUESTS_PER_CONNECTION = 1000

/** Security headers, a brake for runaway clients, and 503 while the event loop or the memory cannot keep up. */
export default fp<LimitsOptions & Partial<Connections>>(
  async (
    app,
    { requestsPerMinute = 300_000, requestsPerConnection = REQUESTS_PER_CONNECTION, isCrowded, ...others },
  ) => {
    // First, so that requests which are refused count, too. Not by Node's maxRequestsPerSocket: that one only asks the
    // client to close, and answers 503 to one that does not.
    const served = new WeakMap<Socket, number>()
    app.addHook('onRequest', async ({ socket }, reply) => {
      const count = (served.get(socket) ?? 0) + 1
      served.set(socket, count)
      if (count >= requestsPerConnection || isCrowded?.() === true) reply.header('connection', 'close')
    })
    await app.register(helmet, {
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      xFrameOptions: { action: 'deny' },
      strictTransportSecurity: false, // the server speaks plain HTTP; a proxy in front sets this
    })
    await app.register(pressure, others)
    await app.register(rateLimit, {
      global: false, // its own hooks would come after those that refuse: a wrong key would not count
      max: requestsPerMinute,
      timeWindow: 60_000,
      keyGenerator: request => request.keyName ?? request.ip,
      allowList: request => request.forwarded !== null, // counted where it came
      errorResponseBuilder: (_request, { after }) =>
        new FaultlineError('RATE_LIMITED', `Too many requests; try again in ${after}.`),
    })
    app.addHook('onRequest', app.rateLimit())
  },
  { name: 'limits', dependencies: ['api-keys'] },
)
