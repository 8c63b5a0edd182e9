import fastify from 'fastify'
import { test } from 'tap'
import afterSweep from '../../../src/http/plugins/after-sweep.ts'

test('requests wait for the sweep, all but the one that asks whether the server is alive', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const swept = Promise.withResolvers<void>()
  let asked = 0
  app.decorate('services', {
    sweep() {
      asked++
      return swept.promise
    },
  } as never)
  await app.register(afterSweep)
  let isSwept = false
  app.get('/health', async () => isSwept)
  app.get('/ready', async () => isSwept)
  t.equal((await app.inject('/health')).body, 'false')
  t.equal(asked, 0)
  const waiting = app.inject('/ready')
  const unknown = app.inject('/nope')
  isSwept = true
  swept.resolve()
  t.equal((await waiting).body, 'true')
  t.equal((await unknown).statusCode, 404)
  t.equal(asked, 2)
})
