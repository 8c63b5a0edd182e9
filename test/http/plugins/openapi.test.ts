import { createHash } from 'node:crypto'
import { test } from 'tap'
import { buildApp } from '../../helpers/build-app.ts'

interface Operation {
  operationId: string
  security?: unknown[]
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> }
  responses: Record<
    string,
    {
      description: string
      headers?: Record<string, unknown>
      content?: Record<string, { schema: Record<string, unknown> }>
    }
  >
}

async function readDocument(t: Parameters<typeof buildApp>[0], env: Record<string, string> = {}) {
  const { app } = await buildApp(t, { env })
  const document = (await app.inject('/docs/json')).json() as {
    components: { schemas: Record<string, unknown> }
    paths: Record<string, Record<string, Operation>>
  }
  const operations = Object.values(document.paths).flatMap(path =>
    Object.entries(path).map(([method, operation]) => ({ ...operation, method })),
  )
  const named = (id: string): Operation => {
    const found = operations.find(({ operationId }) => operationId === id)
    if (found === undefined) throw new Error(`no operation ${id}`)
    return found
  }
  return { document, operations, named }
}

test('every operation names the refusals that any request to it can meet', async t => {
  const { operations } = await readDocument(t)
  t.ok(operations.length >= 12)
  for (const { operationId, method, responses, security } of operations) {
    const expected = [
      '429',
      '503',
      '403',
      ...(security?.length === 0 ? [] : ['401']),
      ...(method === 'get' ? [] : ['400', '401', '413', '415']),
    ]
    for (const status of expected) {
      t.ok(responses[status]?.content?.['application/problem+json'], `${operationId} ${status}`)
    }
    for (const status of ['429', '503']) {
      t.ok(responses[status]?.headers?.['retry-after'], `${operationId} ${status} says when to come back`)
    }
  }
})

test('with keys a read is not refused for its Host, and is not said to be', async t => {
  const { named } = await readDocument(t, { API_KEYS: 'ann:ann-has-a-key-of-some-length' })
  t.notOk(named('listProjects').responses['403'])
  t.ok(named('cancelJob').responses['403'])
})

test(
  'resolving takes a trace as JSON or text and answers a resolution, what a model would be asked, a job or ' +
    'a stream',
  async t => {
    const { named } = await readDocument(t)
    const { requestBody, responses } = named('resolveError')
    t.same(Object.keys(requestBody?.content ?? {}).sort(), ['application/json', 'text/plain'])
    t.match(requestBody?.content['text/plain']?.schema, { type: 'string' })
    t.match(requestBody?.content['application/json']?.schema, {
      type: 'object',
      required: ['stacktrace', 'project_name'],
    })
    const content = responses['200']?.content ?? {}
    t.same(Object.keys(content).sort(), ['application/json', 'text/event-stream'])
    t.match(content['application/json']?.schema, {
      anyOf: [{ properties: { frames: {} } }, { properties: { messages: {} } }, { $ref: '#/components/schemas/Job' }],
    })
    t.match(content['text/event-stream']?.schema, { type: 'string' })
    t.ok(responses['404'] !== undefined && responses['422'] !== undefined)
  },
)

test('events of a job are JSON or a stream', async t => {
  const { named } = await readDocument(t)
  const content = named('listJobEvents').responses['200']?.content ?? {}
  t.match(content['application/json']?.schema, { properties: { data: { type: 'array' } } })
  t.match(content['text/event-stream']?.schema, { type: 'string' })
})

test('whatever makes a job names the headers of its answer, and cancelling does not', async t => {
  const { named } = await readDocument(t)
  for (const id of ['cloneRepository', 'resolveError', 'retryJob']) {
    t.match(
      named(id).responses['202'],
      {
        headers: { location: {}, 'retry-after': {}, 'idempotency-replayed': {} },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Job' } } },
      },
      id,
    )
    t.match(named(id).responses['200'], { headers: { location: {}, 'idempotency-replayed': {} } }, id)
  }
  t.equal(named('cancelJob').responses['202']?.headers, undefined)
  t.equal(named('retryJob').requestBody?.required, false)
  t.equal(named('cloneRepository').requestBody?.required, true)
})

test('every reference of the document leads somewhere', async t => {
  const { document } = await readDocument(t)
  const references = [
    ...new Set([...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(match => match[1] ?? '')),
  ]
  t.ok(references.length >= 3)
  for (const reference of references) {
    t.ok(
      Object.keys(document.components.schemas).includes(
        /^#\/components\/schemas\/([A-Za-z]+)$/.exec(reference)?.[1] ?? '',
      ),
      reference,
    )
  }
})

test(
  'the page of the UI may use every style that the installed UI writes into it, and nothing else that is ' + 'inline',
  async t => {
    const { app } = await buildApp(t)
    const policy = String((await app.inject('/docs/')).headers['content-security-policy'])
    t.notMatch(policy, /unsafe-inline|upgrade-insecure-requests/)
    t.match(policy, /script-src 'self';/)
    const scripts = await Promise.all(
      ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js'].map(name => app.inject(`/docs/static/${name}`)),
    )
    const styles = scripts.flatMap(({ body }) =>
      [...body.matchAll(/createElement\("style",null,"([^"\\]+)"/g)].map(match => match[1] ?? ''),
    )
    t.equal(styles.length, 1)
    for (const style of styles) {
      t.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`), style)
    }
  },
)
