import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import fp from 'fastify-plugin'
import { FaultlineError } from '../../core/errors.ts'
import { memoryBytes } from '../../core/memory.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the last look at this process has shown. */
    pressure(): Pressure
  }
}

/** How far this process is behind its work. */
interface Pressure {
  /** Mean delay of the event loop. */
  lagMs: number
  isShortOfMemory: boolean
}

/** When requests are put off. */
export interface PressureOptions {
  /** How far the event loop may lag. */
  eventLoopDelayMs?: number
  memoryUsage?: () => Pick<NodeJS.MemoryUsage, 'heapUsed' | 'rss'>
}

/** Shares of what there is at which new requests are put off: what then runs can still end. */
const MEMORY_SHARE = 0.8
const HEAP_SHARE = 0.85

const SAMPLE_MS = 1000
const RESOLUTION_MS = 10

/**
 * The delay of an event loop from the mean time between two ticks of a timer, in nanoseconds; NaN when there was none:
 * a loop that stood still lags by the whole sample.
 */
export function lagOf(meanNs: number): number {
  return Number.isNaN(meanNs) ? SAMPLE_MS : Math.max(0, meanNs / 1e6 - RESOLUTION_MS)
}

/** Answers 503 while the event loop or the memory cannot keep up. */
export default fp<PressureOptions>(
  async (app, { eventLoopDelayMs = 1000, memoryUsage = () => process.memoryUsage() }) => {
    const heapBytes = getHeapStatistics().heap_size_limit * HEAP_SHARE
    const rssBytes = memoryBytes() * MEMORY_SHARE
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    histogram.enable()
    let pressure: Pressure = { lagMs: 0, isShortOfMemory: false }

    function isShortOfMemory(): boolean {
      try {
        const { heapUsed, rss } = memoryUsage()
        return heapUsed > heapBytes || rss > rssBytes
      } catch {
        return pressure.isShortOfMemory // no file could be opened to look; the next look may succeed
      }
    }

    const timer = setInterval(() => {
      pressure = { lagMs: lagOf(histogram.mean), isShortOfMemory: isShortOfMemory() }
      histogram.reset()
    }, SAMPLE_MS).unref()
    app.addHook('onClose', async () => {
      clearInterval(timer)
      histogram.disable()
    })
    app.decorate('pressure', () => pressure)

    // What is sampled while the app starts is its own modules and schemas: the first sample to be trusted begins when
    // it is ready.
    let judgedFrom = Infinity
    app.addHook('onReady', async () => {
      judgedFrom = performance.now() + 2 * SAMPLE_MS
    })
    app.addHook('onRequest', async (_request, reply) => {
      const isLate = pressure.lagMs >= eventLoopDelayMs && performance.now() >= judgedFrom
      if (!isLate && !pressure.isShortOfMemory) return
      reply.header('retry-after', 2)
      throw new FaultlineError(
        'OVERLOADED',
        'The server cannot keep up with its work right now.',
        'Send the request again in a few seconds.',
      )
    })
  },
  { name: 'pressure' },
)
