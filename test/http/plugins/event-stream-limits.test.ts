import { once } from 'node:events'
import { request as send, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fastify, { type FastifyReply } from 'fastify'
import { test, type Test } from 'tap'
import type { FaultlineError } from '../../../src/core/errors.ts'
import eventStreams, { type EventStreamOptions } from '../../../src/http/plugins/event-streams.ts'

type Opened = { stream: ReturnType<FastifyReply['openEventStream']>; reply: FastifyReply }

/** A server of nothing but streams, which tests write to themselves. */
async function serveStreams(t: Test, options: EventStreamOptions = {}) {
  const app = fastify()
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  let countOpen = () => -1
  const countStreams = (count: () => number) => {
    countOpen = count
  }
  app.decorate('services', { node: { countStreams } } as never)
  app.decorateRequest('keyName', null)
  app.decorateRequest('forwarded', null)
  app.addHook('onRequest', async request => {
    const { 'x-key': key = null, 'x-forwarded-ip': ip } = request.headers
    Object.assign(request, { keyName: key, forwarded: ip === undefined ? null : { ip } })
  })
  app.setErrorHandler<FaultlineError>((error, _request, reply) => reply.code(400).send(error))
  await app.register(eventStreams, options)
  const opened: Opened[] = []
  app.get('/', (_request, reply) => {
    reply.header('x-request-id', 'req_1')
    opened.push({ stream: reply.openEventStream(), reply })
  })
  app.get('/late', async (_request, reply) => {
    const stream = reply.openEventStream()
    setImmediate(() => {
      stream.send('step', 1)
      stream.end()
    })
    return 'an answer of its own'
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  /** The answer, of which nothing is read yet. */
  async function ask(headers: Record<string, string> = {}, path = '/'): Promise<IncomingMessage> {
    const client = send({ port, host: '127.0.0.1', path, agent: false, headers })
    client.end()
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    response.on('error', () => {}) // cut off by the server, or by the test
    return response
  }

  /** A stream, from both ends. */
  async function open(headers?: Record<string, string>): Promise<Opened & { response: IncomingMessage }> {
    const response = await ask(headers)
    const last = opened.at(-1)
    if (response.statusCode !== 200 || last === undefined) throw new Error(await text(response))
    return { response, ...last }
  }

  /** Why there is no stream. */
  async function refusal(headers?: Record<string, string>): Promise<string> {
    const response = await ask(headers)
    if (response.statusCode === 200) return 'there is one'
    const { code, message } = JSON.parse(await text(response))
    return `${code} ${message}`
  }

  /** Ends a stream as its client would, and waits until its place is free. */
  async function leave({ response, reply }: Opened & { response: IncomingMessage }): Promise<void> {
    const closed = once(reply.raw, 'close')
    response.destroy()
    await closed
  }
  return { ask, open, refusal, leave, countOpen: () => countOpen() }
}

test('a client has a hundred streams, and all together five hundred, unless other limits are set', async t => {
  const { open, refusal, leave, countOpen } = await serveStreams(t)
  t.equal(countOpen(), 0)
  for (let key = 0; key < 5; key++) {
    for (let i = 0; i < 99; i++) await open({ 'x-key': `key${key}` })
    const hundredth = await open({ 'x-key': `key${key}` })
    t.match(await refusal({ 'x-key': `key${key}` }), 'RATE_LIMITED 100 streams are open already.')
    if (key === 4) await leave(hundredth)
  }
  t.equal(countOpen(), 499)
  await open({ 'x-key': 'other' })
  t.match(await refusal({ 'x-key': 'other' }), 'OVERLOADED The server holds as many streams as it may (500).')
  t.equal(countOpen(), 500)
})

test('a place is free again when its stream ends, each once', async t => {
  const { open, refusal, leave, countOpen } = await serveStreams(t, { streamsPerClient: 3 })
  const streams = [await open(), await open(), await open()]
  t.match(await refusal(), /^RATE_LIMITED 3 /)
  for (const one of streams.slice(1)) await leave(one)
  t.equal(countOpen(), 1)
  const more = [await open(), await open()]
  t.match(await refusal(), /^RATE_LIMITED 3 /)
  for (const one of [...streams.slice(0, 1), ...more]) await leave(one)
  t.equal(countOpen(), 0)
  for (let i = 0; i < 3; i++) await open()
  t.match(await refusal(), /^RATE_LIMITED 3 /)
})

test('streams are counted for a key, else for the address that another node saw, else for the own one', async t => {
  const { open, refusal } = await serveStreams(t, { streamsPerClient: 1 })
  const clients = [{}, { 'x-forwarded-ip': '192.0.2.1' }, { 'x-forwarded-ip': '192.0.2.2' }, { 'x-key': 'ann' }]
  for (const headers of clients) await open(headers as Record<string, string>)
  for (const headers of clients) t.match(await refusal(headers as Record<string, string>), /^RATE_LIMITED 1 /)
  t.match(await refusal({ 'x-key': 'ann', 'x-forwarded-ip': '192.0.2.3' }), /^RATE_LIMITED 1 /)
})

test('an answer is a stream from its first byte, with the headers that it had', async t => {
  const { open } = await serveStreams(t)
  const { response, stream, reply } = await open()
  t.match(response.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-request-id': 'req_1',
  })
  t.equal(String((await once(response, 'data'))[0]), ': open\n\n')
  t.equal(reply.raw.socket?.timeout, 30_000)
  stream.send('step', { text: 'two\nlines' }, 7)
  stream.send('step', null)
  stream.send('step', null, 0)
  stream.end()
  t.equal(
    await text(response),
    'id: 7\nevent: step\ndata: {"text":"two\\nlines"}\n\nevent: step\ndata: null\n\nid: 0\nevent: step\ndata: null\n\n',
  )
})

test('what the handler returns besides is not sent', async t => {
  const { ask } = await serveStreams(t)
  t.equal(await text(await ask({}, '/late')), ': open\n\nevent: step\ndata: 1\n\n')
})

test('comments keep a stream alive every 15 seconds until it ends', async t => {
  const { open } = await serveStreams(t)
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const { response, stream, reply } = await open()
  const errors: Error[] = []
  reply.raw.on('error', error => errors.push(error))
  mock.timers.tick(14_999)
  stream.send('step', 1)
  mock.timers.tick(1)
  stream.send('step', 2)
  mock.timers.tick(30_000)
  stream.end()
  mock.timers.tick(60_000)
  const events = (await text(response)).split('\n\n').map(block => block.replace('event: step\ndata: ', ''))
  t.same(events, [': open', '1', ': still here', '2', ': still here', ': still here', ''])
  t.same(errors, [], 'nothing is written behind the end')
})

test('what waits for a client that reads nothing is bounded, and a stream of just so much is given whole', async t => {
  const { open } = await serveStreams(t)
  const { response, stream, reply } = await open()
  await stream.drained()
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 50_000; i++) stream.send('n', i)
    await stream.drained()
  }
  stream.end()
  t.equal((await text(response)).match(/^event: n$/gm)?.length, 100_000)
  const other = await open()
  await other.stream.drained()
  for (let i = 0; i < 50_000; i++) other.stream.send('n', i)
  t.notOk(other.reply.raw.destroyed)
  other.stream.send('n', 50_000)
  t.ok(other.reply.raw.destroyed)
  await t.rejects(text(other.response), { code: 'ECONNRESET' })
  t.notOk(reply.raw.errored)
})

test('what is sent has drained when the client took it, or went', async t => {
  const { open, leave } = await serveStreams(t)
  const large = 'x'.repeat(20_000_000)
  const read = await open()
  let isDrained = false
  read.stream.send('large', large)
  const drained = read.stream.drained().then(() => {
    isDrained = true
  })
  for (let i = 0; i < 20; i++) await turn()
  t.notOk(isDrained, 'nobody reads it')
  read.response.resume()
  await drained
  const left = await open()
  left.stream.send('large', large)
  left.stream.send('more', large)
  const gone = left.stream.drained()
  await leave(left)
  await gone
  left.stream.send('late', 1)
  left.stream.sendProblem(new Error('late'))
  left.stream.end(true)
  await left.stream.drained()
})

test('a stream that breaks or is cut takes nothing else with it', async t => {
  const { open, countOpen } = await serveStreams(t)
  const broken = await open()
  const closed = new Promise(resolve => broken.reply.raw.once('close', resolve))
  broken.reply.raw.emit('error', new Error('the socket broke'))
  await closed
  t.ok(broken.reply.raw.destroyed)
  t.equal(countOpen(), 0)
  const { response, stream } = await open()
  stream.send('step', 1)
  stream.cut()
  await t.rejects(text(response), { code: 'ECONNRESET' })
})
