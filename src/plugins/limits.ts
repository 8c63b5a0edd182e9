import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import { FaultlineError } from '../core/errors.ts'

const REQUESTS_PER_MINUTE = 60_000 // against runaway clients, not a quota: the bar for /resolve alone is 400 a second

/** Security headers, a brake for runaway clients, and 503 while the event loop cannot keep up. */
export default fp(async (app) => {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: false, // the server speaks plain HTTP; a proxy in front sets this
  })
  await app.register(rateLimit, {
    max: REQUESTS_PER_MINUTE,
    timeWindow: 60_000,
    keyGenerator: request => request.keyName ?? request.ip,
    errorResponseBuilder: (_request, { after }) => new FaultlineError('RATE_LIMITED', `Too many requests; try again in ${after}.`),
  })
  await app.register(underPressure, {
    maxEventLoopDelay: 1000,
    exposeStatusRoute: false,
    retryAfter: 2,
  })
}, { name: 'limits' })
