import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { test } from 'tap'
import slowBodies from '../../../src/http/plugins/slow-bodies.ts'

test('a body that does not come is given up, but where one may be long', async t => {
  const app = Fastify()
  app.removeAllContentTypeParsers()
  await app.register(slowBodies, { arrivalMs: 50 })
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  app.post('/short', async ({ raw }) => await text(raw))
  app.post('/unread', async () => 'taken')
  app.post('/long', { config: { takesLongBody: true } }, async ({ raw }) => await text(raw))
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const send = (path: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n{`)
    return socket
  }
  const long = send('/long')
  t.match(await text(send('/short')), /^HTTP\/1\.1 408 [^]*REQUEST_TIMEOUT/)
  const injected = await app.inject({ method: 'POST', url: '/unread', payload: 'a body' })
  t.equal(injected.statusCode, 200)
  t.notMatch(await text(send('/unread')), /408/, 'what was answered is only cut off')
  long.write('abc')
  const [answer] = (await once(long, 'data')) as [Buffer]
  t.match(answer.toString(), /^HTTP\/1\.1 200 [^]*\{abc/)
  long.destroy()
})

test('a body has thirty seconds; one that has come is not held against a slow answer', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const app = Fastify()
  await app.register(slowBodies)
  const answer = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  const arriving = Promise.withResolvers<void>()
  app.addHook('onRequest', async ({ url }) => {
    if (url === '/late') arriving.resolve()
  })
  app.post('/late', async () => 'came')
  app.post('/slow', () => {
    begun.resolve()
    return answer.promise
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const send = (path: string, body: string) => {
    const socket = connect(port, '127.0.0.1')
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json`
    socket.write(`${head}\r\nContent-Length: 2\r\n\r\n${body}`)
    return socket
  }
  const slow = send('/slow', '{}')
  await begun.promise
  const late = send('/late', '{')
  await arriving.promise
  mock.timers.tick(29_999)
  const inTime = once(late, 'data').then(([heard]) => String(heard))
  mock.timers.tick(1)
  t.match(await inTime, /^HTTP\/1\.1 408 /)
  answer.resolve('done')
  t.match(await text(slow), /^HTTP\/1\.1 200 [^]*done$/)
})
