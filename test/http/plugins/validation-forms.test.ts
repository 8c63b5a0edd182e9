import { Type as Schema } from '@fastify/type-provider-typebox'
import fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { test, type Test } from 'tap'
import { ValidationError } from '../../../src/http/plugins/problems.ts'
import validation from '../../../src/http/plugins/validation.ts'

/** An app of a few routes, without the rest of the server, that answers a refusal with what is wrong. */
async function buildRoutes(t: Test, routes: (app: FastifyInstance) => void) {
  const app = fastify()
  t.teardown(() => app.close())
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof ValidationError)) throw error
    return reply.code(400).send(error.errors)
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('"nothing here"'))
  await app.register(validation)
  routes(app)
  return async (options: InjectOptions) => {
    const res = await app.inject(options)
    return { status: res.statusCode, answer: res.body === '' ? undefined : JSON.parse(res.body) }
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

const strict = (properties: Parameters<typeof Schema.Object>[0]) =>
  Schema.Object(properties, { additionalProperties: false })

const BODY = strict({
  name: Schema.String(),
  kind: Schema.Optional(Schema.Unsafe({ enum: ['small', 'large'] })),
  note: Schema.Optional(Schema.Unsafe({ type: ['string', 'null'] })),
  place: Schema.Optional(strict({ line: Schema.Integer() })),
  more: Schema.Optional(Schema.Unsafe({ type: 'object', properties: { never: false } })),
})

test('each wrong field of a body is told once, by its path and in words for its kind of fault', async t => {
  const send = await buildRoutes(t, app => app.post('/things', { schema: { body: BODY } }, async ({ body }) => body))
  const told = async (body: object | null) =>
    (await send({ method: 'POST', url: '/things', headers: JSON_TYPE, payload: JSON.stringify(body) })).answer
  t.same(await told({ name: 'a', kind: 'large', note: null, place: { line: 1 } }), {
    name: 'a',
    kind: 'large',
    note: null,
    place: { line: 1 },
  })
  t.same(await told({}), [{ path: 'body/name', message: 'is required' }])
  t.same(await told({ name: 'a', size: 1, color: 2 }), [
    { path: 'body/size', message: 'is not a known field' },
    { path: 'body/color', message: 'is not a known field' },
  ])
  t.same(await told({ name: 'a', kind: 'huge' }), [{ path: 'body/kind', message: 'must be one of small, large' }])
  t.same(await told({ name: 'a', note: 5 }), [{ path: 'body/note', message: 'must be either string or null' }])
  t.same(await told({ name: 'a', place: {} }), [{ path: 'body/place/line', message: 'is required' }])
  t.same(await told({ name: 'a', place: { line: 1, column: 2 } }), [
    { path: 'body/place/column', message: 'is not a known field' },
  ])
  t.same(await told({ name: 5, kind: 'huge' }), [
    { path: 'body/name', message: 'must be string' },
    { path: 'body/kind', message: 'must be one of small, large' },
  ])
  t.same(await told({ name: 'a', more: { never: 1 } }), [{ path: 'body', message: 'is not valid' }])
  t.same(await told(null), [{ path: 'body', message: 'is required' }])
})

test('a body that may be missing is null, however it is missing', async t => {
  const schema = { body: Schema.Union([Schema.Null(), BODY]) }
  const send = await buildRoutes(t, app => app.post('/things', { schema }, async ({ body }) => ({ body })))
  t.same(await send({ method: 'POST', url: '/things' }), { status: 200, answer: { body: null } })
  for (const payload of ['', 'null']) {
    t.same(
      (await send({ method: 'POST', url: '/things', headers: JSON_TYPE, payload })).answer,
      { body: null },
      payload,
    )
  }
  const given = await send({ method: 'POST', url: '/things', body: { name: 'a' } })
  t.same(given.answer, { body: { name: 'a' } })
})

test('values of an address become what the schema says, where they are written so', async t => {
  const query = { count: Schema.Integer(), share: Schema.Number(), on: Schema.Boolean(), name: Schema.String() }
  const schema = {
    querystring: strict(Object.fromEntries(Object.entries(query).map(([name, type]) => [name, Schema.Optional(type)]))),
  }
  const send = await buildRoutes(t, app => app.get('/things', { schema }, async request => request.query as object))
  const given = async (name: string, value: string) => (await send({ url: '/things', query: { [name]: value } })).answer
  for (const [name, value, converted] of [
    ['count', '15', 15],
    ['count', '-3', -3],
    ['share', '1.5', 1.5],
    ['share', '-2', -2],
    ['on', 'true', true],
    ['on', 'false', false],
    ['name', '15', '15'],
    ['name', 'true', 'true'],
  ] as const) {
    t.same(await given(name, value), { [name]: converted }, `${name}=${value}`)
  }
  for (const [name, value] of [
    ['count', '1.5'],
    ['count', '0x10'],
    ['count', '1'.repeat(16)],
    ['count', ''],
    ['share', '0x10'],
    ['share', '1e3'],
    ['share', '.5'],
    ['share', '1.'],
    ['share', ''],
    ['on', 'maybe'],
  ] as const) {
    t.match(await given(name, value), [{ path: `querystring/${name}` }], `${name}=${value}`)
  }
  t.same(await send({ url: '/things' }), { status: 200, answer: {} })
})

test('a route that checks all parts of a request is checked with the first one, and one that checks none answers', async t => {
  const all = {
    body: strict({ name: Schema.String() }),
    querystring: strict({ count: Schema.Integer() }),
    params: Schema.Object({ id: Schema.Integer() }),
    headers: Schema.Object({ 'x-count': Schema.Integer() }),
  }
  const routes = (app: FastifyInstance) => {
    app.post('/all/:id', { schema: all }, async ({ query, params, headers }) => [query, params, headers['x-count']])
    app.get('/answers', { schema: { response: { 200: Schema.Object({}) } } }, async () => ({}))
  }
  const url = '/all/7?count=2'
  const first = await buildRoutes(t, routes)
  const res = await first({ method: 'POST', url, headers: { 'x-count': '3' }, body: { name: 'a' } })
  t.same(res, { status: 200, answer: [{ count: 2 }, { id: 7 }, 3] })
  const others = await buildRoutes(t, app => {
    routes(app)
    app.get('/text', async () => '"text"')
  })
  t.equal((await others({ url: '/text' })).status, 200)
  t.equal((await others({ url: '/answers' })).status, 200)
  const wrong = async (options: InjectOptions) =>
    (await others({ method: 'POST', headers: { 'x-count': '3' }, body: { name: 'a' }, ...options })).answer
  t.match(await wrong({ url: '/all/x?count=2' }), [{ path: 'params/id' }])
  t.match(await wrong({ url, headers: { 'x-count': 'x' } }), [{ path: 'headers/x-count' }])
  t.match(await wrong({ url: '/all/7?count=x' }), [{ path: 'querystring/count' }])
  t.match(await wrong({ url, body: { name: 1 } }), [{ path: 'body/name' }])
})

test('of a body that a route does not take 20 fields are named, and a path of no route is that before all', async t => {
  const send = await buildRoutes(t, app => app.post('/things', async () => ({ ok: true })))
  const body = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`field${at}`, at]))
  const { status, answer } = await send({ method: 'POST', url: '/things', body })
  t.equal(status, 400)
  t.equal(answer.length, 20)
  t.same(answer[0], { path: 'body/field0', message: 'is not a known field' })
  const one = await send({ method: 'POST', url: '/things', body: { force: true } })
  t.same(one.answer, [{ path: 'body/force', message: 'is not a known field' }])
  t.same(await send({ method: 'POST', url: '/things', body: {} }), { status: 200, answer: { ok: true } })
  t.equal((await send({ method: 'POST', url: '/nothing', body })).status, 404)
})
