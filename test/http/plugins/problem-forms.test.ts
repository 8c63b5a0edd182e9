import type { Socket } from 'node:net'
import fastify, { type InjectOptions } from 'fastify'
import { test, type Test } from 'tap'
import { ERROR_HELP } from '../../../src/core/error-help.ts'
import { FaultlineError, QueueFullError } from '../../../src/core/errors.ts'
import problems, { handleClientError, problemMessage } from '../../../src/http/plugins/problems.ts'

/** A server that throws what it is given, with routes of each kind of pattern. */
async function buildRoutes(t: Test, thrown: unknown = new Error('a bug')) {
  const app = fastify({ genReqId: () => 'req_1' })
  t.teardown(() => app.close())
  await app.register(problems)
  app.get(
    '/fails',
    { schema: { response: { '4xx': { type: 'object', properties: {} } } } },
    async (_request, reply) => {
      reply.header('x-kept', 'yes')
      throw thrown
    },
  )
  app.get('/patient', async (_request, reply) => {
    reply.header('retry-after', '30')
    throw thrown
  })
  app.get('/gone', async (_request, reply) => reply.callNotFound())
  app.route({ method: ['PUT', 'PATCH'], url: '/a.b/:id', handler: async () => 'ok' })
  app.delete('/a.b/:id', async () => 'ok')
  app.post('/files/*', async () => 'ok')
  return async (options: string | InjectOptions) => {
    const { headers, statusCode, body } = await app.inject(options)
    return { headers, statusCode, problem: JSON.parse(body) }
  }
}

const failing = async (t: Test, thrown: unknown, url = '/fails') => (await buildRoutes(t, thrown))(url)

test('whatever is thrown is a problem, and only what is known to be for the client is told', async t => {
  const internal = {
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    detail: 'Something broke here; the log has it under this request id.',
    instance: 'req_1',
    code: 'INTERNAL',
    fix: ERROR_HELP.INTERNAL.cure,
  }
  const fastifyError = (code: string, statusCode?: number) => Object.assign(new Error('secret'), { code, statusCode })
  for (const thrown of [
    new Error('secret'),
    'secret',
    null,
    { statusCode: 500, message: 'secret' },
    { statusCode: 418, message: 'secret' },
    { statusCode: 502, message: 'secret' },
    { statusCode: 200, message: 'secret' },
    fastifyError('FST_ERR_BAD_URL', 500),
    fastifyError('FST_ERR_UNHEARD_OF', 500),
    fastifyError('FST_ERR_BAD_URL'),
  ]) {
    t.same((await failing(t, thrown)).problem, internal, JSON.stringify(thrown))
  }
  for (const [status, code] of [
    [400, 'BAD_REQUEST'],
    [404, 'NOT_FOUND'],
    [405, 'METHOD_NOT_ALLOWED'],
    [408, 'REQUEST_TIMEOUT'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [414, 'URI_TOO_LONG'],
    [415, 'UNSUPPORTED_MEDIA_TYPE'],
    [429, 'RATE_LIMITED'],
    [431, 'HEADERS_TOO_LARGE'],
    [503, 'OVERLOADED'],
  ] as const) {
    const { problem, statusCode } = await failing(t, Object.assign(new Error('So it is.'), { statusCode: status }))
    t.match(problem, { status, code, detail: 'So it is.', fix: ERROR_HELP[code].cure }, String(status))
    t.equal(statusCode, status)
  }
})

test("Fastify's own refusals have our codes, whatever status it gives them", async t => {
  for (const [fastifyCode, statusCode, code] of [
    ['FST_ERR_CTP_INVALID_JSON_BODY', 400, 'MALFORMED_JSON'],
    ['FST_ERR_CTP_EMPTY_JSON_BODY', 400, 'MALFORMED_JSON'],
    ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'PAYLOAD_TOO_LARGE'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400, 'BAD_REQUEST'],
    ['FST_ERR_MAX_LENGTH', 414, 'URI_TOO_LONG'],
    ['FST_ERR_MAX_PARAM_LENGTH', 414, 'URI_TOO_LONG'],
    ['FST_ERR_BAD_URL', 400, 'BAD_REQUEST'],
    ['FST_ERR_HANDLER_TIMEOUT', 503, 'OVERLOADED'],
  ] as const) {
    const { problem } = await failing(t, Object.assign(new Error('So.'), { code: fastifyCode, statusCode }))
    t.match(problem, { status: statusCode, code, detail: 'So.' }, fastifyCode)
  }
  const type = Object.assign(new Error('So.'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 })
  t.match((await failing(t, type)).problem, { detail: /is not one that this route takes/ })
  const path = Object.assign(new Error('/srv/private'), { code: 'FST_STATIC_FORBIDDEN_PATH', statusCode: 403 })
  t.match((await failing(t, path)).problem, { status: 404, code: 'NOT_FOUND', detail: 'There is no such file.' })
})

test('a problem keeps its fields and headers on a route whose answers have others', async t => {
  const error = new FaultlineError('PROJECT_BUSY', 'It is busy.', 'Wait for it.')
  const { problem, headers, statusCode } = await failing(t, error)
  t.equal(statusCode, 409)
  t.match(headers, { 'x-kept': 'yes', 'content-type': 'application/problem+json' })
  t.same(problem, {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    detail: 'It is busy.',
    instance: 'req_1',
    code: 'PROJECT_BUSY',
    fix: 'Wait for it.',
  })
  t.equal(headers['retry-after'], undefined)
  const bare = await failing(t, new FaultlineError('PROJECT_BUSY', 'It is busy.'))
  t.equal(bare.problem.fix, ERROR_HELP.PROJECT_BUSY.cure)
})

test('what may go well later says when: after a second, or as is known better', async t => {
  for (const code of ['RATE_LIMITED', 'OVERLOADED', 'SHUTTING_DOWN'] as const) {
    const error = new FaultlineError(code, 'Not now.')
    t.equal((await failing(t, error)).headers['retry-after'], '1', code)
    t.equal((await failing(t, error, '/patient')).headers['retry-after'], '30', code)
  }
  const { problem, headers } = await failing(t, new QueueFullError(101, 7))
  t.equal(headers['retry-after'], '7')
  t.match(problem, { status: 429, code: 'QUEUE_FULL', queue_position: 101 })
})

test('a wrong method is told the right ones, a wrong path that there is none', async t => {
  const ask = await buildRoutes(t)
  for (const [method, url, allow] of [
    ['GET', '/a.b/1', 'DELETE, PATCH, PUT'],
    ['GET', '/a.b/1?x=/files/2', 'DELETE, PATCH, PUT'],
    ['GET', '/files/x/y.txt', 'POST'],
    ['POST', '/fails', 'GET, HEAD'],
  ] as const) {
    const { problem, headers, statusCode } = await ask({ method, url })
    t.equal(statusCode, 405, url)
    t.equal(headers.allow, allow)
    t.match(problem, {
      detail: `${url.split('?')[0]} does not take ${method}.`,
      fix: `Use ${allow.replaceAll(', ', ' or ')}.`,
    })
  }
  for (const url of ['/aXb/1', '/a.b/1/2', '/a.b/', '/files/', '/files', '/fails/more', '/more/fails', '/gone']) {
    const { problem, headers } = await ask({ method: 'GET', url })
    t.match(problem, { status: 404, code: 'NOT_FOUND', detail: `There is no route GET ${url}.` }, url)
    t.equal(headers.allow, undefined)
  }
  const long = await ask(`/${'x'.repeat(300)}`)
  t.equal(long.problem.detail, `There is no route GET /${'x'.repeat(199)}.`)
})

const headOf = (message: string): string[] => message.slice(0, message.indexOf('\r\n\r\n')).split('\r\n')

test('a whole answer for a socket has a length in bytes and says when to come again', async t => {
  const of = (status: number, detail: string) => problemMessage({ status, code: 'OVERLOADED', detail, fix: 'Wait.' })
  const busy = of(503, 'Full – wait.')
  const body = busy.slice(busy.indexOf('\r\n\r\n') + 4)
  const { instance, ...problem } = JSON.parse(body)
  t.same(problem, {
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    detail: 'Full – wait.',
    code: 'OVERLOADED',
    fix: 'Wait.',
  })
  const head = headOf(busy)
  t.equal(head[0], 'HTTP/1.1 503 Service Unavailable')
  for (const line of [
    'Retry-After: 1',
    `X-Request-Id: ${instance}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    'Content-Type: application/problem+json',
  ]) {
    t.ok(head.includes(line), line)
  }
  t.notOk(headOf(of(431, 'x')).some(line => line.startsWith('Retry-After')))
})

test('bytes that are not HTTP are answered where somebody is there to read it', async t => {
  const said = (code: string | undefined, writable = true): string => {
    let end = 'nothing'
    const socket = {
      writable,
      destroy: () => {
        end = 'destroyed'
      },
      end: (text: string) => {
        end = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))).code
      },
    }
    handleClientError(Object.assign(new Error('parse error'), { code }), socket as unknown as Socket)
    return end
  }
  t.equal(said('HPE_HEADER_OVERFLOW'), 'HEADERS_TOO_LARGE')
  t.equal(said('ERR_HTTP_REQUEST_TIMEOUT'), 'REQUEST_TIMEOUT')
  t.equal(said('HPE_INVALID_METHOD'), 'BAD_REQUEST')
  t.equal(said(undefined), 'BAD_REQUEST')
  t.equal(said('ECONNRESET'), 'destroyed')
  t.equal(said('HPE_INVALID_METHOD', false), 'destroyed')
})
