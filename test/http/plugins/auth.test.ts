import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'tap'
import { buildApp } from '../../helpers/build-app.ts'

const KEY = 'ann-has-a-key-of-some-length'
const env = { API_KEYS: `ann:${KEY},ci:another-key-of-enough-length` }

test('with API keys every route but the open ones needs one', async t => {
  const { app } = await buildApp(t, { env })
  for (const url of ['/health', '/ready', '/docs/json']) t.equal((await app.inject(url)).statusCode, 200, url)
  for (const url of ['/projects', '/jobs', '/jobs/x', '/nope']) {
    const res = await app.inject(url)
    t.equal(res.statusCode, 401, url)
    t.match(res.json(), { code: 'UNAUTHORIZED', detail: 'An API key is needed.', fix: /Bearer/ })
    t.equal(res.headers['www-authenticate'], 'Bearer')
  }
  for (const authorization of [
    '',
    'Bearer',
    `Basic ${KEY}`,
    'Bearer wrong',
    `Bearer ${KEY}x`,
    `Bearer ${KEY.toUpperCase()}`,
  ]) {
    const refused = await app.inject({ url: '/projects', headers: { authorization } })
    t.equal(refused.statusCode, 401, authorization)
    t.match(refused.json(), { detail: 'The API key is not known.' })
  }
  t.equal((await app.inject({ url: `/projects?key=${KEY}` })).statusCode, 401, 'never in the query')
  t.equal((await app.inject({ url: '/projects', headers: { authorization: `Bearer ${KEY}` } })).statusCode, 200)
})

test('a state-changing request with a foreign Host or Origin is refused before anything happens', async t => {
  const { app } = await buildApp(t, { env: { ALLOWED_HOSTS: 'faultline.example.com' } })
  const post = (headers: Record<string, string>) => app.inject({ method: 'POST', url: '/jobs/x/cancel', headers })
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:8000', '10.0.0.1']) {
    t.match((await post({ host })).json(), { code: 'FORBIDDEN_HOST' }, host)
  }
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://']) {
    t.match((await post({ host: 'localhost:8000', origin })).json(), { code: 'FORBIDDEN_ORIGIN' }, origin)
  }
  const allowed: Array<Record<string, string>> = [
    { host: 'localhost:8000' },
    { host: '127.0.0.1:8000' },
    { host: '[::1]:8000' },
    { host: 'FAULTLINE.example.com' },
    { host: 'localhost', origin: 'http://127.0.0.1:8000' },
  ]
  for (const headers of allowed) {
    t.match((await post(headers)).json(), { code: 'JOB_NOT_FOUND' }, JSON.stringify(headers))
  }
})

test(
  'without keys a foreign Host may not read either, or a web page could through its own name; with keys ' +
    'the key protects',
  async t => {
    const without = await buildApp(t)
    for (const url of ['/projects', '/jobs', '/health', '/ready', '/docs/json', '/nope']) {
      t.match(
        (await without.app.inject({ url, headers: { host: 'rebound.example:8000' } })).json(),
        { status: 403, code: 'FORBIDDEN_HOST', fix: /ALLOWED_HOSTS/ },
        url,
      )
    }
    t.equal(
      (
        await without.app.inject({
          url: '/projects',
          headers: { host: 'localhost:8000', origin: 'https://evil.example' },
        })
      ).statusCode,
      200,
      'the browser keeps the answer from that page',
    )
    await without.close()

    const withKeys = await buildApp(t, { env, root: without.root })
    t.equal((await withKeys.app.inject({ url: '/health', headers: { host: 'probe.internal' } })).statusCode, 200)
    t.equal(
      (
        await withKeys.app.inject({
          url: '/projects',
          headers: { host: 'probe.internal', authorization: `Bearer ${KEY}` },
        })
      ).statusCode,
      200,
    )
    t.match(
      (
        await withKeys.app.inject({
          method: 'DELETE',
          url: '/jobs/x',
          headers: { host: 'probe.internal', authorization: `Bearer ${KEY}` },
        })
      ).json(),
      { code: 'FORBIDDEN_HOST' },
    )
  },
)

test('a request with two Host headers, or with none, is refused, whatever they say', async t => {
  const { app } = await buildApp(t)
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const answerTo = async (...hosts: string[]): Promise<string> => {
    const socket = connect(Number(url.port), url.hostname)
    const names = hosts.map(host => `Host: ${host}\r\n`).join('')
    socket.write(`GET /health HTTP/1.1\r\n${names}Connection: close\r\n\r\n`)
    return text(socket)
  }
  t.match(await answerTo('localhost'), /^HTTP\/1\.1 200 /)
  t.match(await answerTo('localhost', 'evil.example'), /^HTTP\/1\.1 400 [^]*two Host headers/)
  t.match(await answerTo('localhost', 'localhost'), /^HTTP\/1\.1 400 /)
  t.match(await answerTo(), /^HTTP\/1\.1 400 [^]*no Host header/)
})

test('a server on every address takes any address for its own, of either kind, and no name', async t => {
  const key = 'ann-has-a-key-of-some-length'
  for (const HOST of ['0.0.0.0', '::']) {
    const { app } = await buildApp(t, { env: { HOST, API_KEYS: `ann:${key}`, ALLOWED_HOSTS: 'ours.example' } })
    const codeFor = async (host: string): Promise<string | undefined> => {
      const headers = { host, authorization: `Bearer ${key}` }
      return (await app.inject({ method: 'POST', url: '/clone', headers, body: {} })).json().code
    }
    for (const host of ['10.1.2.3:8000', '[2001:db8::1]:8000', '[::1]', 'localhost:8000', 'ours.example']) {
      t.equal(await codeFor(host), 'VALIDATION_FAILED', `${HOST} ${host}`)
    }
    for (const host of ['evil.example', '10.1.2.3.evil.example', '[evil]']) {
      t.equal(await codeFor(host), 'FORBIDDEN_HOST', `${HOST} ${host}`)
    }
  }
})

test('HTTP 1.0 knows no Host, and may name one', async t => {
  const { app } = await buildApp(t, { env })
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const answerTo = async (...hosts: string[]): Promise<string> => {
    const socket = connect(Number(url.port), url.hostname)
    socket.write(`GET /health HTTP/1.0\r\n${hosts.map(host => `Host: ${host}\r\n`).join('')}\r\n`)
    return text(socket)
  }
  t.match(await answerTo(), /^HTTP\/1\.1 200 /)
  t.match(await answerTo('localhost'), /^HTTP\/1\.1 200 /)
  t.match(await answerTo('localhost', 'evil.example'), /^HTTP\/1\.1 400 [^]*two Host headers/)
})
