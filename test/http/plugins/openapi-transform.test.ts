import { Type } from '@fastify/type-provider-typebox'
import { test } from 'tap'
import { createTransform, withOptionalBodies } from '../../../src/http/plugins/openapi-transform.ts'
import { PIPELINE_PATHS } from '../../../src/contract/job-names.ts'

interface Route {
  method?: string | string[]
  url?: string
  schema?: object
  config?: object
  withKeys?: boolean
}

/** What the document says of a route. */
interface Told {
  url: string
  schema: {
    description: string
    params?: object
    body?: object
    response: Record<string, { description?: string; headers?: object; content?: Record<string, { schema: unknown }> }>
  }
}

function told({ method = 'GET', url = '/jobs', schema = {}, config, withKeys = true }: Route): Told {
  const transform = createTransform({ withKeys })
  return transform({ schema, url, route: { method, url, config } } as never) as unknown as Told
}

const refusals = (route: Route): string[] =>
  Object.keys(told({ ...route, schema: { security: [{ key: [] }], ...route.schema } }).schema.response)

test('a route names the refusals that any request to it can meet', async t => {
  t.same(refusals({ method: 'GET' }), ['401', '429', '503'])
  t.same(refusals({ method: 'HEAD' }), ['401', '429', '503'])
  t.same(refusals({ method: ['GET', 'HEAD'] }), ['401', '429', '503'])
  for (const method of ['POST', 'DELETE', ['GET', 'POST']]) {
    t.same(refusals({ method }), ['400', '401', '403', '413', '415', '429', '503'], String(method))
  }
  t.same(refusals({ withKeys: false }), ['401', '403', '429', '503'], 'a foreign Host is refused')
  t.same(refusals({ schema: { security: [] } }), ['429', '503'], 'no key is needed')
  t.same(refusals({ schema: { security: undefined } }), ['401', '429', '503'])
})

test('a route says what key it needs behind what it does, and nothing where none is needed', async t => {
  const note = (method: string | string[], url: string, description?: string) =>
    told({ method, url, schema: { description } }).schema.description
  for (const [method, url, words] of [
    ['GET', '/health', ''],
    ['GET', '/jobs', 'Needs a key that may read.'],
    [['GET', 'HEAD'], '/jobs', 'Needs a key that may read.'],
    ['HEAD', '/jobs', 'Needs a key that may read.'],
    ['DELETE', '/jobs/:id', 'Needs a key that may write.'],
    ['POST', '/clone', 'Needs a key that may write; one that is bound to projects has to name one of them.'],
    ['POST', PIPELINE_PATHS.fix, 'Needs a key that may write; for a dry run, one that may read.'],
    ['GET', '/cluster', 'Needs a key that may read and sees all projects.'],
    ['POST', '/resolve', /^Needs a key that may read where no model is called and no job is made, else one that may w/],
    ['GET', '/undeclared', 'Needs a key that may do everything.'],
    [[], '/jobs', 'Needs a key that may read.'],
  ] as const) {
    t.match(note(method as string | string[], url), words, `${String(method)} ${url}`)
  }
  t.equal(note('GET', '/health'), '')
  t.equal(note('GET', '/jobs', 'Lists jobs.'), 'Lists jobs.\n\nNeeds a key that may read.')
  t.equal(note('GET', '/health', 'Is it there?'), 'Is it there?')
})

test('what stands for the rest of an address has a name, beside the parameters before it', async t => {
  const params = { type: 'object', properties: { id: { type: 'string' } } }
  const files = told({ url: '/jobs/:id/files/*', schema: { params } })
  t.equal(files.url, '/jobs/:id/files/:path')
  t.match(files.schema.params, { required: ['id', 'path'], properties: { id: {}, path: { type: 'string' } } })
  t.match(told({ url: '/*' }).schema.params, { required: ['path'], properties: { path: {} } })
  const plain = told({ url: '/jobs/:id', schema: { params } })
  t.equal(plain.url, '/jobs/:id')
  t.equal(plain.schema.params, params)
  t.notOk('params' in told({}).schema)
})

test('a body is JSON, also text where the route takes it, or a file', async t => {
  const body = Type.Object({ a: Type.String() })
  t.equal(told({ method: 'POST', schema: { body } }).schema.body, body)
  t.equal(told({ method: 'POST', schema: { body, consumes: ['application/json'] } }).schema.body, body)
  const both = told({ method: 'POST', schema: { body, consumes: ['application/json', 'text/plain'] } })
  t.match(both.schema.body, {
    content: { 'application/json': { schema: body }, 'text/plain': { example: /^Traceback/ } },
  })
  const consumes = ['application/x-tar', 'application/zip']
  const file = told({ method: 'POST', schema: { consumes }, config: { takesLongBody: true } })
  const binary = { schema: { type: 'string', format: 'binary' } }
  t.match(file.schema.body, { content: { 'application/x-tar': binary, 'application/zip': binary } })
  t.notOk('body' in told({ schema: { consumes }, config: {} }).schema)
  t.notOk('consumes' in told({ schema: { consumes } }).schema)
})

const JOB = { $ref: 'Job#' }
const IDEMPOTENT = { properties: { 'idempotency-key': {} } }
const answers = (schema: object) => told({ method: 'POST', schema }).schema.response

test('an answer that makes a job has its headers, and the job as an alternative to what is answered at once', async t => {
  const whole = Type.Object({ frames: Type.String() })
  const made = answers({ headers: IDEMPOTENT, response: { 200: whole, 202: JOB, 404: { description: 'None' } } })
  t.match(made['200'], {
    description: /^Done; with `Prefer: respond-async`/,
    headers: { location: {}, 'idempotency-replayed': {} },
    content: { 'application/json': { schema: { anyOf: [whole, JOB] } } },
  })
  t.same(Object.keys(made['200']?.content ?? {}), ['application/json'])
  t.match(made['202'], {
    description: 'The job',
    headers: { location: {}, 'retry-after': {}, 'idempotency-replayed': {} },
    content: { 'application/json': { schema: JOB } },
  })
  t.match(made['404'], { description: 'None' })
  const union = { anyOf: [whole, { type: 'null' }] }
  const several = answers({ headers: IDEMPOTENT, response: { 200: union, 202: JOB } })
  t.match(several['200']?.content, { 'application/json': { schema: { anyOf: [whole, { type: 'null' }, JOB] } } })
  const same = answers({ headers: IDEMPOTENT, response: { 200: { $ref: 'Job#' }, 202: JOB } })
  t.match(same['200'], { description: 'Done', headers: {}, content: { 'application/json': { schema: JOB } } })
})

test('an answer that makes no job has none of its headers', async t => {
  const cancelled = answers({ response: { 200: JOB, 202: JOB } })
  for (const status of ['200', '202']) t.equal(cancelled[status]?.headers, undefined, status)
  const other = answers({ headers: { properties: { prefer: {} } }, response: { 202: JOB } })
  t.match(other['202'], { description: 'The job' })
  t.equal(other['202']?.headers, undefined)
  const read = answers({ headers: IDEMPOTENT, response: { 200: { type: 'object' } } })
  t.same(read['200'], { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } })
  t.notOk('200' in answers({}))
  const streamed = answers({
    produces: ['application/json', 'text/event-stream'],
    response: { 200: { type: 'object' } },
  })
  t.match(streamed['200']?.content, { 'text/event-stream': { schema: { type: 'string' } } })
})

test('a hidden route stays as it is', async t => {
  const hidden = { hide: true, description: 'Not for people' }
  t.same(told({ schema: hidden }), { schema: hidden, url: '/jobs' })
  t.same(createTransform({ withKeys: true })({ url: '/x', route: { method: 'GET' } } as never), {
    schema: undefined,
    url: '/x',
  })
})

test('a body that may be null is not required, any other is', async t => {
  const operation = (schema: object, type = 'application/json') => ({
    requestBody: { required: true, content: { [type]: { schema } } },
  })
  const paths = {
    '/a': { post: operation({ type: ['object', 'null'] }), get: {} },
    '/b': { post: operation({ type: ['object'] }), put: operation({ type: 'null' }) },
    '/c': {
      post: {
        requestBody: {
          required: true,
          content: { 'application/zip': { schema: {} }, 'application/json': { schema: {} } },
        },
      },
    },
  }
  const openapiObject = { paths: structuredClone(paths) }
  const document = withOptionalBodies({ openapiObject } as never) as unknown as typeof openapiObject
  t.equal(document.paths['/a'].post.requestBody.required, false)
  t.same(document.paths['/b'], paths['/b'])
  t.same(document.paths['/c'], paths['/c'])
})
