import type { Socket } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import { FaultlineError } from '../../core/errors.ts'
import { memoryBytes } from '../../core/memory.ts'

/** How much clients may ask before they are put off. */
export interface LimitsOptions {
  /**
   * Requests a minute that one API key, or one address without a known key, may send. The default is against runaway
   * clients, not a quota: 5,000 a second, more than the server answers.
   */
  requestsPerMinute?: number
  requestsPerConnection?: number
  /** How far the event loop may lag before requests are put off. */
  eventLoopDelayMs?: number
}

/** Requests after which a connection is closed, so that a balancer in front can spread its clients anew. */
const REQUESTS_PER_CONNECTION = 1000

/** Shares of what there is at which new requests are put off: what then runs can still end. */
const MEMORY_SHARE = 0.8
const HEAP_SHARE = 0.85

const SAMPLE_MS = 1000

/**
 * A loop that stands still leaves a sample empty, which the plugin calls a lag without end; it is that of a sample, and
 * may be within the limit.
 */
export function lagOf(sampled: number | undefined): number {
  if (sampled === Infinity) return SAMPLE_MS
  return sampled ?? 0
}

/** Security headers, a brake for runaway clients, and 503 while the event loop or the memory cannot keep up. */
export default fp<LimitsOptions>(
  async (
    app,
    { requestsPerMinute = 300_000, requestsPerConnection = REQUESTS_PER_CONNECTION, eventLoopDelayMs = 1000 },
  ) => {
    // First, so that requests which are refused count, too. Not by Node's maxRequestsPerSocket: that one only asks the
    // client to close, and answers 503 to one that does not.
    const served = new WeakMap<Socket, number>()
    app.addHook('onRequest', async ({ socket }, reply) => {
      const count = (served.get(socket) ?? 0) + 1
      served.set(socket, count)
      if (count >= requestsPerConnection) reply.header('connection', 'close')
    })
    await app.register(helmet, {
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      xFrameOptions: { action: 'deny' },
      strictTransportSecurity: false, // the server speaks plain HTTP; a proxy in front sets this
    })
    // What is sampled while the app starts is its own modules and schemas: the first sample to be trusted begins when
    // it is ready.
    let judgedFrom = Infinity
    await app.register(underPressure, {
      maxEventLoopDelay: eventLoopDelayMs,
      maxHeapUsedBytes: Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE),
      maxRssBytes: Math.floor(memoryBytes() * MEMORY_SHARE),
      exposeStatusRoute: false,
      sampleInterval: SAMPLE_MS,
      async pressureHandler(_request, reply, type, value) {
        if (
          type === underPressure.TYPE_EVENT_LOOP_DELAY &&
          (performance.now() < judgedFrom || lagOf(value) < eventLoopDelayMs)
        ) {
          return
        }
        reply.header('retry-after', 2)
        throw new FaultlineError(
          'OVERLOADED',
          'The server cannot keep up with its work right now.',
          'Send the request again in a few seconds.',
        )
      },
    })
    app.addHook('onReady', async () => {
      judgedFrom = performance.now() + 2 * SAMPLE_MS
    })
    await app.register(rateLimit, {
      global: false, // its own hooks would come after those that refuse: a wrong key would not count
      max: requestsPerMinute,
      timeWindow: 60_000,
      keyGenerator: request => request.keyName ?? request.ip,
      errorResponseBuilder: (_request, { after }) =>
        new FaultlineError('RATE_LIMITED', `Too many requests; try again in ${after}.`),
    })
    app.addHook('onRequest', app.rateLimit())
  },
  { name: 'limits', dependencies: ['api-keys'] },
)
