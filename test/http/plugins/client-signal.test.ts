import { once } from 'node:events'
import { join } from 'node:path'
import { mock } from 'node:test'
import fastify from 'fastify'
import { test } from 'tap'
import clientSignal from '../../../src/http/plugins/client-signal.ts'
import { startModelServer } from '../../fakes/model-server.ts'
import { buildApp } from '../../helpers/build-app.ts'
import { cloneShop } from '../../helpers/cloned-shop.ts'
import { createShop, SHOP_TRACE } from '../../helpers/sample-repository.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

test('over a real connection a request with a body waits for its job', async t => {
  const { app, reposDir } = await buildApp(t)
  const shop = createShop(join(reposDir, 'shop.git'))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const res = await fetch(`${url}/clone?wait=60`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ url: shop.dir }),
  })
  t.equal(res.status, 200)
  t.match(await res.json(), { status: 'succeeded' })
})

test('a client that hangs up ends the model call that it waits for', async t => {
  await using model = await startModelServer({ chat: [{ hang: true }] })
  const built = await buildApp(t, { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
  await cloneShop(t, built)
  const url = await built.app.listen({ port: 0, host: '127.0.0.1' })
  const client = new AbortController()
  const asked = fetch(`${url}/resolve`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ stacktrace: SHOP_TRACE, project_name: 'shop' }),
    signal: client.signal,
  })
  const request = await model.waitForRequest(1)
  client.abort()
  await t.rejects(asked, { name: 'AbortError' })
  t.equal(await request.hungUp, true)
  t.equal(model.requests.length, 1, 'and it is not asked again')
})

test('a request that waits when the server stops ends soon with the reason, and later ones are refused', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const closing = new AbortController()
  app.decorate('services', { closing: closing.signal } as never)
  await app.register(clientSignal)
  const begun = Promise.withResolvers<void>()
  app.get('/wait', async ({ clientSignal: signal }) => {
    begun.resolve()
    await once(signal, 'abort')
    throw signal.reason
  })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/wait`
  const waiting = fetch(url)
  await begun.promise
  t.equal(app.requestsUnderWay(), 1)
  closing.abort()
  t.match(await (await fetch(url)).json(), { code: 'SHUTTING_DOWN' })
  t.match(await (await waiting).json(), { code: 'SHUTTING_DOWN' })
})

test('answers have a second after the server stops; what was answered before is under way no more', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const app = fastify()
  t.teardown(() => app.close())
  const closing = new AbortController()
  app.decorate('services', { closing: closing.signal } as never)
  await app.register(clientSignal)
  const signals: AbortSignal[] = []
  const begun = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  app.get('/now', async ({ clientSignal: signal }) => {
    signals.push(signal)
    return 'now'
  })
  app.get('/wait', ({ clientSignal: signal }) => {
    signals.push(signal)
    begun.resolve()
    return answer.promise
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  await (await fetch(`${url}/now`)).text()
  const waiting = fetch(`${url}/wait`)
  await begun.promise
  const [over, open] = signals
  if (over?.aborted === false) await once(over, 'abort')
  t.equal(app.requestsUnderWay(), 1)
  t.match(over?.reason, { code: 'CANCELLED' }, 'the exchange is over')
  closing.abort()
  mock.timers.tick(999)
  t.equal(open?.aborted, false)
  mock.timers.tick(1)
  t.match(open?.reason, { code: 'SHUTTING_DOWN' })
  answer.resolve('late')
  t.equal(await (await waiting).text(), 'late')
  const refused = await app.inject('/now')
  t.equal(refused.headers.connection, 'close')
})
