import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { test } from 'tap'
import { buildApp } from '../../helpers/build-app.ts'

const KEY = 'ann-has-a-key-of-some-length'

test('requests with a wrong key or none count, too, and those of a key on their own', async t => {
  const { app } = await buildApp(t, { env: { API_KEYS: `ann:${KEY}` }, limits: { requestsPerMinute: 3 } })
  const statuses: number[] = []
  for (const headers of [{}, { authorization: 'Bearer wrong' }, {}, {}, { authorization: 'Bearer wrong' }]) {
    statuses.push((await app.inject({ url: '/projects', headers })).statusCode)
  }
  t.same(statuses, [401, 401, 401, 429, 429])
  const refused = await app.inject('/nope')
  t.match(refused.json(), { status: 429, code: 'RATE_LIMITED' })
  t.match(refused.headers['retry-after'], /^\d+$/)
  t.equal(
    (await app.inject({ url: '/projects', headers: { authorization: `Bearer ${KEY}` } })).statusCode,
    200,
    'ann is not held up by strangers',
  )
})

test(
  'a connection is closed after its last request, also under a client that would go on and is refused',
  { timeout: 20_000 },
  async t => {
    for (const [requestsPerMinute, statuses] of [
      [1000, ['200', '200', '200']],
      [2, ['200', '200', '429']],
    ] as const) {
      const { app } = await buildApp(t, { limits: { requestsPerConnection: 3, requestsPerMinute } })
      await app.listen({ host: '127.0.0.1', port: 0 })
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
      t.teardown(() => socket.destroy())
      const ask = () => socket.write('GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n')
      let heard = ''
      socket.setEncoding('utf8').on('data', (text: string) => {
        heard += text
        if (heard.split('HTTP/1.1 ').length <= 9) ask()
      })
      ask()
      await once(socket, 'end')
      t.same(
        [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
        statuses,
      )
      t.equal(heard.match(/^connection: close/gim)?.length, 1)
    }
  },
)

test('a handler that takes too long is answered for with a problem', async t => {
  const { app, logged } = await buildApp(t)
  app.get('/slow', { handlerTimeout: 20 }, () => new Promise(() => {}))
  const res = await app.inject('/slow')
  t.equal(res.statusCode, 503)
  t.match(res.json(), { status: 503, code: 'OVERLOADED', detail: /20 ms/ })
  t.match(res.headers['retry-after'], /^\d+$/)
  t.same(logged, [])
})
