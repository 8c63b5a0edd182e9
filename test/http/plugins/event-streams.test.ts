import { once } from 'node:events'
import { Agent, request as send, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import fastify from 'fastify'
import { test, type Test } from 'tap'
import eventStreams from '../../../src/http/plugins/event-streams.ts'
import { startModelServer } from '../../fakes/model-server.ts'
import { buildApp, cloneInto, type TestApp } from '../../helpers/build-app.ts'
import { createShop, SHOP_TRACE } from '../../helpers/sample-repository.ts'
import { eventsOf } from '../../helpers/server-events.ts'

const MODEL = { LLM_MODEL: 'scripted' }
const BODY = { stacktrace: SHOP_TRACE, project_name: 'shop' }

async function buildShop(t: Test, options: Parameters<typeof buildApp>[1]) {
  const built = await buildApp(t, options)
  const job = await cloneInto(t, built, { url: createShop(join(built.reposDir, 'shop.git')).dir })
  await built.app.listen({ port: 0, host: '127.0.0.1' })
  return { ...built, jobId: job.id as string, port: (built.app.server.address() as AddressInfo).port }
}

/** Asks for a stream over a socket of its own. Nothing of the body is read until the caller does. */
async function openStream({ port }: { port: number }, path: string, body?: object): Promise<IncomingMessage> {
  const client = send({
    port,
    host: '127.0.0.1',
    path,
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
  })
  client.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(client, 'response')) as [IncomingMessage]
  return response
}

/** What was located is far more than any buffer between server and client holds. */
function enlargeContext({ services }: Pick<TestApp, 'services'>, characters: number): void {
  const { resolve } = services.resolving
  const context = 'x'.repeat(characters)
  services.resolving.resolve = async (input, hooks = {}) => ({
    ...(await resolve(input, { ...hooks, onLocated: located => hooks.onLocated?.({ ...located, context }) })),
    context,
  })
}

test('a stream is given whole, however large one event is and however late the client begins to read', async t => {
  const answer = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ')
  await using model = await startModelServer({ chat: [{ text: answer }] })
  const built = await buildShop(t, { env: { ...MODEL, LLM_BASE_URL: model.baseUrl } })
  enlargeContext(built, 20_000_000)
  const stream = await openStream(built, '/resolve', { ...BODY, max_context_tokens: 150_000 })
  await (
    await model.waitForRequest(1)
  ).hungUp // every token was taken by the server while nothing was read
  const events = eventsOf(await text(stream))
  t.equal(events[0]?.event, 'located')
  t.equal(String(events[0]?.data.context).length, 20_000_000)
  t.equal(
    events
      .filter(({ event }) => event === 'token')
      .map(({ data }) => data.text)
      .join(''),
    answer,
  )
  t.match(events.at(-1), { event: 'done', data: { answer_status: 'ok' } })
})

test('a client that reads nothing is cut off, and its place is free again', async t => {
  const built = await buildShop(t, { limits: { heartbeatMs: 20, stallMs: 200, streamsPerClient: 1 } })
  enlargeContext(built, 20_000_000)
  const stalled = await openStream(built, '/resolve', BODY)
  const second = await openStream(built, '/resolve', BODY)
  t.equal(second.statusCode, 429)
  second.resume()
  let third = await openStream(built, '/resolve', BODY)
  for (let attempt = 0; attempt < 200 && third.statusCode === 429; attempt++) {
    third.resume()
    await wait(20)
    third = await openStream(built, '/resolve', BODY)
  }
  t.equal(third.statusCode, 200, 'the stalled one gave its place up')
  third.destroy()
  await t.rejects(text(stalled), { code: 'ECONNRESET' })
})

test('a client that reads slowly but steadily is not cut off', async t => {
  const built = await buildShop(t, { limits: { heartbeatMs: 20, stallMs: 300 } })
  enlargeContext(built, 20_000_000)
  const stream = await openStream(built, '/resolve', BODY)
  let body = ''
  let chunks = 0
  stream.setEncoding('utf8')
  for await (const chunk of stream) {
    body += chunk as string
    // about 20 MB a second: the whole takes several times as long as a stalled client has
    if (++chunks % 16 === 0) await wait(50)
  }
  t.same(
    eventsOf(body).map(({ event }) => event),
    ['located', 'done'],
  )
})

test('a stream that has nothing to say is kept alive by comments', async t => {
  await using model = await startModelServer({ chat: [{ hang: true }] })
  const built = await buildShop(t, {
    env: { ...MODEL, LLM_BASE_URL: model.baseUrl },
    limits: { heartbeatMs: 20, stallMs: 200 },
  })
  const stream = await openStream(built, '/resolve', BODY)
  stream.setEncoding('utf8')
  let body = ''
  for await (const chunk of stream) {
    body += chunk as string
    // for twice as long as a stalled client has
    if ((body.match(/^: still here$/gm) ?? []).length >= 20 && body.includes('event: located')) break
  }
  t.match(body, /event: located/)
})

test('the error event is a problem, as it would have been without a stream', async t => {
  const built = await buildShop(t, {})
  const stream = await openStream(built, '/resolve', { ...BODY, exception: 7 })
  const plain = await built.app.inject({ method: 'POST', url: '/resolve', body: { ...BODY, exception: 7 } })
  const [error] = eventsOf(await text(stream))
  t.equal(error?.event, 'error')
  t.match(error?.data, {
    type: 'about:blank',
    title: 'Unprocessable Entity',
    status: 422,
    code: 'EXCEPTION_NOT_FOUND',
    instance: /^req_/,
  })
  t.same({ ...error?.data, instance: '' }, { ...plain.json(), instance: '' })

  built.services.resolving.resolve = async () => {
    throw new TypeError('secret detail at /srv/private')
  }
  const broken = await text(await openStream(built, '/resolve', BODY))
  t.match(eventsOf(broken), [{ event: 'error', data: { status: 500, code: 'INTERNAL' } }])
  t.notMatch(broken, /secret|private/)
})

test('one client may hold so many streams and no more; a closed one makes room', async t => {
  await using model = await startModelServer({ otherwise: { hang: true } })
  const built = await buildShop(t, { env: { ...MODEL, LLM_BASE_URL: model.baseUrl }, limits: { streamsPerClient: 2 } })
  const first = await openStream(built, '/resolve', BODY)
  const { hungUp } = await model.waitForRequest(1)
  const second = await openStream(built, '/resolve', { ...BODY, locale: 'de' })
  for (const [path, body] of [
    ['/resolve', BODY],
    [`/jobs/${built.jobId}/events`, undefined],
  ] as const) {
    const refused = await openStream(built, path, body)
    t.equal(refused.statusCode, 429, path)
    t.equal(refused.headers['content-type'], 'application/problem+json')
    t.match(refused.headers['retry-after'], /^\d+$/)
    t.match(JSON.parse(await text(refused)), { code: 'RATE_LIMITED', detail: /2 streams/ })
  }
  first.destroy()
  await hungUp
  const third = await openStream(built, `/jobs/${built.jobId}/events`)
  t.equal(third.statusCode, 200)
  t.match(await text(third), /event: done/)
  second.destroy()
})

test('all clients together may hold so many streams; what is left of connections is for others', async t => {
  await using model = await startModelServer({ otherwise: { hang: true } })
  const built = await buildShop(t, { env: { ...MODEL, LLM_BASE_URL: model.baseUrl }, limits: { streams: 1 } })
  const first = await openStream(built, '/resolve', BODY)
  const { hungUp } = await model.waitForRequest(1)
  const refused = await openStream(built, `/jobs/${built.jobId}/events`)
  t.equal(refused.statusCode, 503)
  t.match(JSON.parse(await text(refused)), { code: 'OVERLOADED', detail: /streams as it may \(1\)/ })
  first.destroy()
  await hungUp
  const next = await openStream(built, `/jobs/${built.jobId}/events`)
  t.equal(next.statusCode, 200)
  t.match(await text(next), /event: done/)
})

test('a client whose stream ends before all was told comes again after a second, others not', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  app.decorate('services', { node: { countStreams() {} } } as never)
  app.decorateRequest('keyName', null)
  await app.register(eventStreams)
  for (const more of [true, false]) {
    app.get(`/${more}`, (_request, reply) => {
      reply.openEventStream().end(more)
    })
  }
  t.equal((await app.inject('/true')).body, ': open\n\nretry: 1000\n\n')
  t.equal((await app.inject('/false')).body, ': open\n\n')
})

test('who asks for the head of a stream is answered at once, and holds none open', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  let openNow = () => 0
  app.decorate('services', { node: { countStreams: (count: () => number) => (openNow = count) } } as never)
  app.decorateRequest('keyName', null)
  await app.register(eventStreams, { heartbeatMs: 5 })
  let went = false
  app.get('/', (request, reply) => {
    const stream = reply.openEventStream()
    stream.send('news', { of: 1 })
    reply.raw.once('close', () => {
      went = true
      stream.send('late', {})
      stream.end()
    })
    if (request.method === 'GET') stream.end()
  })
  t.match(await app.inject({ method: 'HEAD', url: '/' }), { statusCode: 200, body: '' })
  t.ok(went)
  t.equal(openNow(), 0)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 1 }) // the second waits for the end of the first
  t.teardown(() => agent.destroy())
  for (const method of ['HEAD', 'GET']) {
    const asked = send({ port, host: '127.0.0.1', method, agent })
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    t.equal(await text(response), method === 'HEAD' ? '' : ': open\n\nevent: news\ndata: {"of":1}\n\n')
  }
})
