import { STATUS_CODES } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import type { FastifyRequest } from 'fastify'
import { ERROR_HELP } from '../../../src/core/error-help.ts'
import { ERROR_CODES, FaultlineError, WorkerLostError } from '../../../src/core/errors.ts'
import { toProblem } from '../../../src/http/plugins/problems.ts'
import { buildApp } from '../../helpers/build-app.ts'

interface Request {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers?: Record<string, string>
  payload?: string
  body?: object
}

const JSON_TYPE = { 'content-type': 'application/json' }

test('every refusal is problem+json with a code, and none is a 5xx', async t => {
  const { app, logged } = await buildApp(t)
  const cases: Array<[string, Request, number, string]> = [
    ['unknown route', { method: 'GET', url: '/nope' }, 404, 'NOT_FOUND'],
    ['wrong method', { method: 'PUT', url: '/projects' }, 405, 'METHOD_NOT_ALLOWED'],
    ['wrong method below a name', { method: 'POST', url: '/projects/shop' }, 405, 'METHOD_NOT_ALLOWED'],
    [
      'malformed JSON',
      { method: 'POST', url: '/clone', headers: JSON_TYPE, payload: '{"url": ' },
      400,
      'MALFORMED_JSON',
    ],
    ['empty JSON', { method: 'POST', url: '/clone', headers: JSON_TYPE, payload: '' }, 400, 'VALIDATION_FAILED'],
    ['no body', { method: 'POST', url: '/clone' }, 400, 'VALIDATION_FAILED'],
    ['null body', { method: 'POST', url: '/clone', headers: JSON_TYPE, payload: 'null' }, 400, 'VALIDATION_FAILED'],
    [
      'prototype poisoning',
      { method: 'POST', url: '/clone', headers: JSON_TYPE, payload: '{"__proto__": {"x": 1}}' },
      400,
      'MALFORMED_JSON',
    ],
    [
      'unknown field',
      { method: 'POST', url: '/clone', body: { url: 'https://example.com/a.git', depth: 1 } },
      400,
      'VALIDATION_FAILED',
    ],
    ['wrong type', { method: 'POST', url: '/clone', body: { url: 5 } }, 400, 'VALIDATION_FAILED'],
    [
      'number as text',
      { method: 'POST', url: '/resolve', body: { stacktrace: 'x', project_name: 'a', max_context_tokens: '5000' } },
      400,
      'VALIDATION_FAILED',
    ],
    [
      'text/plain on another route',
      { method: 'POST', url: '/clone', headers: { 'content-type': 'text/plain' }, payload: 'x' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'form',
      {
        method: 'POST',
        url: '/resolve',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'a=b',
      },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['too large', { method: 'POST', url: '/clone', body: { url: 'x'.repeat(2_000_000) } }, 413, 'PAYLOAD_TOO_LARGE'],
    ['bad escape in the path', { method: 'GET', url: '/projects/%zz' }, 400, 'BAD_REQUEST'],
    ['over-long name', { method: 'GET', url: `/projects/${'x'.repeat(300)}` }, 414, 'URI_TOO_LONG'],
    ['bad limit', { method: 'GET', url: '/jobs?limit=0' }, 400, 'VALIDATION_FAILED'],
    ['bad cursor', { method: 'GET', url: '/jobs?cursor=zzzz' }, 400, 'VALIDATION_FAILED'],
    ['unknown query', { method: 'GET', url: '/jobs?colour=red' }, 400, 'VALIDATION_FAILED'],
    ['unknown job', { method: 'GET', url: '/jobs/nope' }, 404, 'JOB_NOT_FOUND'],
    ['unknown project', { method: 'GET', url: '/projects/nope' }, 404, 'PROJECT_NOT_FOUND'],
    [
      'unknown project to resolve in',
      { method: 'POST', url: '/resolve', body: { stacktrace: 'x', project_name: 'nope' } },
      404,
      'PROJECT_NOT_FOUND',
    ],
    [
      'query beside a JSON body',
      { method: 'POST', url: '/resolve?project_name=a', body: { stacktrace: 'x', project_name: 'a' } },
      400,
      'VALIDATION_FAILED',
    ],
  ]
  for (const [name, request, status, code] of cases) {
    const res = await app.inject(request)
    t.equal(res.statusCode, status, `${name}: ${res.body}`)
    t.equal(res.headers['content-type'], 'application/problem+json', name)
    t.match(
      res.json(),
      { type: String, title: String, status, code, detail: String, instance: res.headers['x-request-id'] },
      name,
    )
  }
  t.same(logged, [])
})

test("each code is answered with a status that HTTP knows, and only what is not the client's with a 5xx", async t => {
  const log = { info: () => {}, error: () => {} }
  const request = { id: 'r1', log } as unknown as FastifyRequest
  const own =
    /^(?:INTERNAL|CONFIG|DATA_DIR|LLM|EMBEDDING|WEBHOOK|GIT_NOT|OVERLOADED|SANDBOX|SHUTTING|DISK|DATABASE|OBJECT_STORE)/
  for (const code of ERROR_CODES) {
    const { status, title } = toProblem(new FaultlineError(code, 'It is so.'), request)
    t.equal(title, STATUS_CODES[status], code)
    t.equal(status >= 500, own.test(code) && code !== 'LLM_REQUEST_TOO_LARGE', code)
  }
})

test('what the operator has to see is logged as an error with all of it, a refusal only by its code', async t => {
  const told: unknown[][] = []
  const log = {
    info: (context: object) => told.push(['info', context]),
    error: (context: object) => told.push(['error', context]),
  }
  const request = { id: 'r1', log } as unknown as FastifyRequest
  const bug = new TypeError('secret detail')
  const damage = new FaultlineError('DATA_DAMAGED', 'Gone.')
  const lost = new WorkerLostError({ cause: bug })
  for (const error of [bug, damage, lost, new FaultlineError('JOB_NOT_FOUND', 'None.')]) toProblem(error, request)
  t.same(told, [
    ['error', { err: bug }],
    ['error', { err: damage }],
    ['error', { err: lost }],
    ['info', { code: 'JOB_NOT_FOUND', detail: 'None.' }],
  ])
})

test('a refused body names each field, and a wrong method the right ones', async t => {
  const { app } = await buildApp(t)
  const body = await app.inject({ method: 'POST', url: '/clone', body: { url: 'https://example.com/a.git', depth: 1 } })
  t.match(body.json(), { errors: [{ path: 'body/depth', message: 'is not a known field' }] })
  const missing = await app.inject({ method: 'POST', url: '/resolve', body: { stacktrace: 'x' } })
  t.match(missing.json(), { errors: [{ path: 'body/project_name', message: 'is required' }] })
  const method = await app.inject({ method: 'PATCH', url: '/jobs' })
  t.equal(method.headers.allow, 'GET, HEAD')
  t.match(method.json(), { fix: 'Use GET or HEAD.' })
})

test('bytes that are not HTTP get a problem too, over a real socket', async t => {
  const { app } = await buildApp(t)
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (const [bytes, status, code] of [
    ['rubbish\r\n\r\n', 400, 'BAD_REQUEST'],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ] as const) {
    const socket = connect(port, '127.0.0.1')
    socket.write(bytes)
    let text = ''
    socket.on('data', chunk => {
      text += String(chunk)
    })
    await once(socket, 'close')
    t.match(text, new RegExp(`^HTTP/1\\.1 ${status} `))
    t.match(text, new RegExp(`"code":"${code}"`))
    t.match(text, /application\/problem\+json/)
  }
})

const OF_ONE_ANSWER = /^(?:x-ratelimit-|x-request-id|content-(?:type|length)|date|connection|keep-)/

test('what the router cannot read, and bytes that are not HTTP, get the headers of every other answer', async t => {
  const { app } = await buildApp(t)
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const ask = async (head: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${head}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    const [status = '', ...lines] = ((await text(socket)).split('\r\n\r\n', 1)[0] ?? '').split('\r\n')
    const headers = lines.map(line => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 2),
    ])
    return { status: Number(status.split(' ')[1]), headers: Object.fromEntries(headers) as Record<string, string> }
  }
  const security = ({ headers }: Awaited<ReturnType<typeof ask>>) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_ANSWER.test(name)))
  const usual = await ask('GET /nope HTTP/1.1')
  t.equal(security(usual)['x-content-type-options'], 'nosniff')
  for (const target of ['/%', '/%zz', '/projects/%ff', '/docs/static/%c0', '*', `/jobs/${'x'.repeat(300)}`]) {
    const { status, headers } = await ask(`GET ${target} HTTP/1.1`)
    t.match(status, /^4/, target)
    t.same(Object.keys(headers).sort(), Object.keys(usual.headers).sort(), target)
    t.same(security({ status, headers }), security(usual), target)
  }
  t.same(security(await ask('GET /nope HTTP/1.1\r\nExpect: more')), security(usual))
  const rubbish = await ask('rubbish')
  t.equal(rubbish.status, 400)
  t.same(security(rubbish), security(usual))
  t.match(rubbish.headers['x-request-id'], /^req_/)
})

test('a URL that cannot be decoded is counted, and refused to a foreign Host', async t => {
  const { app } = await buildApp(t, { limits: { requestsPerMinute: 2 } })
  const codes: string[] = []
  for (const host of ['localhost', 'evil.example', 'localhost']) {
    const res = await app.inject({ url: '/%zz', headers: { host } })
    codes.push(res.json().code)
  }
  t.same(codes, ['BAD_REQUEST', 'FORBIDDEN_HOST', 'RATE_LIMITED'])
})

test('a bug answers 500 without a word of what broke', async t => {
  const { app, services } = await buildApp(t)
  services.projects.list = async () => {
    throw new TypeError('secret detail at /srv/private')
  }
  const res = await app.inject('/projects')
  t.match(res.json(), { status: 500, code: 'INTERNAL' })
  t.notMatch(res.body, /secret|private/)
})

test('a request whose process was lost may be sent again', async t => {
  const { app, services } = await buildApp(t)
  services.projects.list = async () => {
    throw new WorkerLostError({ cause: new Error('The process was ended by SIGKILL.') })
  }
  const res = await app.inject('/projects')
  t.equal(res.headers['retry-after'], '1')
  t.match(res.json(), { status: 503, code: 'OVERLOADED', detail: /^The process .* ended/, fix: /^Send it again/ })
})

test('of the documentation only its own files are there', async t => {
  const { app } = await buildApp(t)
  for (const url of ['/docs/static/%00', '/docs/static//etc/passwd', '/docs/static/%2e%2e/x', '/docs/static/nope']) {
    const { statusCode, body } = await app.inject({ url })
    t.match([statusCode, JSON.parse(body)], [404, { code: 'NOT_FOUND', detail: /^There is no/ }], url)
  }
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(url.port), url.hostname) // inject would take the dots out of the path
  socket.write('GET /docs/static/.. HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  t.match(await text(socket), /^HTTP\/1\.1 404 /)
})

test('an error without a cure of its own has that of its code', async t => {
  const { app } = await buildApp(t)
  const bare = await app.inject({ method: 'POST', url: '/parse', body: { trace: 'x' } })
  t.match(bare.json(), { code: 'VALIDATION_FAILED', fix: ERROR_HELP.VALIDATION_FAILED.cure })
  const headers = { 'content-type': 'text/plain' }
  const text = await app.inject({ method: 'POST', url: '/resolve', headers, body: 'Traceback' })
  t.match(text.json(), { code: 'VALIDATION_FAILED', fix: /\/resolve\?project_name=NAME/ })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const unknown = await app.inject({ method: 'POST', url: '/resolve', headers: form, body: 'Traceback' })
  t.match(unknown.json(), { code: 'UNSUPPORTED_MEDIA_TYPE', detail: /content type/, fix: /text\/plain' --data-binary/ })
})
