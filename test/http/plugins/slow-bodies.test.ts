import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
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
