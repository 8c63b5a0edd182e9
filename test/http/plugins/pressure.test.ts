import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { mock } from 'node:test'
import { getHeapStatistics } from 'node:v8'
import fastify from 'fastify'
import { test } from 'tap'
import { memoryBytes } from '../../../src/core/memory.ts'
import pressurePlugin, { lagOf } from '../../../src/http/plugins/pressure.ts'
import { buildApp } from '../../helpers/build-app.ts'
import { eventually } from '../../helpers/processes.ts'

/** Holds the event loop up as a busy machine does. */
const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Turns of the loop until the delay has been sampled; the interval is a second, which has passed by then. */
async function sampled({ pressure }: Pick<FastifyInstance, 'pressure'>, limitMs: number): Promise<boolean> {
  for (let turn = 0; turn < 1000; turn++) {
    if (pressure().lagMs > limitMs) return true
    await nextTurn()
  }
  return false
}

test('what the start of the server takes is not held against its first requests, what comes later is', async t => {
  const { app } = await buildApp(t, { limits: { eventLoopDelayMs: 1 } })
  block(1200)
  t.ok(await sampled(app, 1))
  t.equal((await app.inject('/health')).statusCode, 200)

  block(2100)
  t.ok(await sampled(app, 100))
  const res = await app.inject('/health')
  t.equal(res.statusCode, 503)
  t.match(res.json(), { code: 'OVERLOADED', detail: /cannot keep up/, fix: /again/ })
  t.equal(res.headers['retry-after'], '2')
})

test('an event loop that stood still for a sample lags by that sample, not without end', async t => {
  t.equal(lagOf(NaN), 1000)
  t.equal(lagOf(2_510e6), 2500)
  t.equal(lagOf(5e6), 0)
})

test('while memory is short requests are put off; a look that fails changes nothing', async t => {
  let look = () => ({ heapUsed: 0, rss: 0 })
  const { app } = await buildApp(t, { limits: { memoryUsage: () => look() } })
  const asked = async () => (await app.inject('/health')).statusCode
  const becomes = (isShort: boolean) => eventually(() => app.pressure().isShortOfMemory === isShort)
  t.equal(await asked(), 200)
  look = () => ({ heapUsed: 0, rss: Infinity })
  t.ok(await becomes(true))
  t.equal(await asked(), 503)
  let looks = 0
  look = () => {
    looks++
    throw Object.assign(new Error('EMFILE: too many open files, uv_resident_set_memory'), { code: 'EMFILE' })
  }
  t.ok(await eventually(() => looks > 0))
  t.equal(await asked(), 503)
  look = () => ({ heapUsed: Infinity, rss: 0 })
  t.ok(await becomes(true))
  look = () => ({ heapUsed: 0, rss: 0 })
  t.ok(await becomes(false))
  t.equal(await asked(), 200)
})

test('memory is short above 80 % of what there is, or 85 % of what the heap may take; nobody looks after the end', async t => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const heap = getHeapStatistics().heap_size_limit
  let use = { heapUsed: 0, rss: 0 }
  let looks = 0
  const app = fastify()
  t.teardown(() => app.close())
  const memoryUsage = () => {
    looks++
    return use
  }
  await app.register(pressurePlugin, { memoryUsage })
  await app.ready()
  const isShort = (heapShare: number, rssShare: number): boolean => {
    use = { heapUsed: heap * heapShare, rss: memoryBytes() * rssShare }
    mock.timers.tick(1000)
    return app.pressure().isShortOfMemory
  }
  t.equal(app.pressure().isShortOfMemory, false)
  t.equal(isShort(0.84, 0.79), false)
  t.equal(isShort(0.86, 0), true)
  t.equal(isShort(0.85, 0.8), false, 'exactly so much is not short')
  t.equal(isShort(0, 0.81), true)
  t.equal(looks, 4, 'once a second')
  mock.timers.tick(999)
  t.equal(looks, 4)
  await app.close()
  mock.timers.tick(5000)
  t.equal(looks, 4)
})
