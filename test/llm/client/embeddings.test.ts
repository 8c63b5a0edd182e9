import { test, type Test } from 'tap'
import { createEmbeddingsRequest, type EmbeddingsOptions } from '../../../src/llm/client/embeddings.ts'
import { startModelServer, type Reply } from '../../fakes/model-server.ts'
import { vectorOf } from '../../fakes/text-vectors.ts'

async function setUp(t: Test, embeddings: Reply[], options: Partial<EmbeddingsOptions> = {}) {
  const server = await startModelServer({ embeddings, dimensions: 5 })
  t.teardown(() => server.close())
  const request = createEmbeddingsRequest({
    baseUrl: server.baseUrl,
    apiKey: null,
    model: 'embed-small',
    random: () => 0,
    sleep: async () => {},
    ...options,
  })
  return { server, request }
}

const TEXTS = ['alpha beta', 'gamma', 'alpha']
const expected = (dimensions: number) => TEXTS.map(text => vectorOf(text, dimensions))

test('vectors come back in the order of the texts, from one request', async t => {
  const { server, request } = await setUp(t, [{}, { reversed: true }])
  t.same(await request(TEXTS), expected(5))
  t.same(await request(TEXTS), expected(5), 'also when the server answers in another order')
  t.equal(server.requests.length, 2)
  t.match(server.requests[0], {
    path: '/v1/embeddings',
    body: { model: 'embed-small', input: TEXTS, encoding_format: 'base64' },
  })
})

test('the wanted dimensions are asked for', async t => {
  const { server, request } = await setUp(t, [], { dimensions: 12 })
  t.same(await request(TEXTS), expected(12))
  t.equal(server.requests[0]?.body?.dimensions, 12)
})

test('a server that answers with numbers instead of base64 is understood', async t => {
  const body = {
    data: [
      { index: 0, embedding: [1, 2] },
      { index: 1, embedding: [3, 4] },
      { index: 2, embedding: [5, 6] },
    ],
  }
  const { request } = await setUp(t, [{ status: 200, body }])
  t.same(await request(TEXTS), [
    [1, 2],
    [3, 4],
    [5, 6],
  ])
})

test('no texts need no request', async t => {
  const { server, request } = await setUp(t, [])
  t.same(await request([]), [])
  t.equal(server.requests.length, 0)
})

const FAULTS: Array<[string, Reply]> = [
  ['429', { status: 429 }],
  ['500', { status: 500 }],
  ['a refused connection', { refuse: true }],
  ['malformed JSON', { malformed: 'json' }],
  ['HTML', { malformed: 'html' }],
  ['an error inside a 200', { errorIn200: true }],
  [
    'too few vectors',
    {
      vectors: [
        [1, 2],
        [1, 2],
      ],
    },
  ],
  ['too many vectors', { vectors: [[1], [1], [1], [1]] }],
  ['vectors of different lengths', { vectors: [[1, 2], [1, 2], [1]] }],
  ['empty vectors', { vectors: [[], [], []] }],
  [
    'a vector that is not finite',
    {
      vectors: [
        [1, NaN],
        [1, 2],
        [1, 2],
      ],
    },
  ],
  [
    'an infinite vector',
    {
      vectors: [
        [1, Infinity],
        [1, 2],
        [1, 2],
      ],
    },
  ],
  ['the same index twice', { status: 200, body: { data: [0, 0, 1].map(index => ({ index, embedding: [1] })) } }],
  ['no data', { status: 200, body: { data: null } }],
  ['data that is no object', { status: 200, body: { data: [null, 1, 'x'] } }],
]

for (const [what, reply] of FAULTS) {
  test(`${what}: tried again, and EMBEDDING_UNAVAILABLE after three`, async t => {
    const once = await setUp(t, [reply])
    t.same(await once.request(TEXTS), expected(5))
    t.equal(once.server.requests.length, 2)

    const always = await setUp(t, [reply, reply, reply])
    await t.rejects(always.request(TEXTS), {
      code: 'EMBEDDING_UNAVAILABLE',
      message: /after 3 attempts/,
      fix: /EMBEDDING_BASE_URL/,
    })
    t.equal(always.server.requests.length, 3)
  })
}

test('a refusal is not tried again', async t => {
  const { server, request } = await setUp(t, [{ status: 401, body: { error: { message: 'no key' } } }])
  await t.rejects(request(TEXTS), { code: 'EMBEDDING_UNAVAILABLE', message: /refused the request: status 401: no key/ })
  t.equal(server.requests.length, 1)
})

test('a hang ends when the time is over, an abort at once', async t => {
  const hanging = await setUp(t, [{ hang: true }], { timeoutMs: 100 })
  await t.rejects(hanging.request(TEXTS), { code: 'EMBEDDING_UNAVAILABLE', message: /0\.1 s/ })
  t.equal(hanging.server.requests.length, 1)

  const { server, request } = await setUp(t, [{ hang: true }])
  const abort = new AbortController()
  const call = request(TEXTS, abort.signal)
  const sent = await server.waitForRequest(1)
  abort.abort()
  await t.rejects(call, { name: 'AbortError' })
  t.equal(await sent.hungUp, true)
  t.equal(server.requests.length, 1)
})

test('secrets in texts never leave', async t => {
  const { server, request } = await setUp(t, [])
  await request(['DB_PASSWORD=hunter22'])
  t.same(server.requests[0]?.body?.input, ['DB_PASSWORD=[redacted:password]'])
})
