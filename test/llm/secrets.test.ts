import { inspect } from 'node:util'
import { test } from 'tap'
import { createEmbeddingsRequest } from '../../src/llm/client/embeddings.ts'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { API_KEY, failureOf, MESSAGES, scriptedLlm } from '../helpers/scripted-llm.ts'

/** All that a log could make of an error: messages, stacks and fields of it and its causes. */
const shown = (error: unknown): string => inspect(error, { depth: 20, showHidden: true, maxStringLength: null })

test('neither the key nor other secrets that a server repeats come out in a message, a cause or a stack', async t => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const { llm } = await scriptedLlm(t, [
    {
      status: 401,
      body: { error: { message: `Incorrect API key: key-0123456789,\n\n ${secret} ${'long '.repeat(200)}` } },
    },
  ])
  const error = await failureOf(llm.complete({ messages: MESSAGES }))
  t.ok(error.message.length < 450)
  t.match(error.message, 'Incorrect API key: [redacted:api-key], [redacted:github-token] long')
  t.match(error.fix, 'LLM_API_KEY')
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    t.notMatch(`${current.message}${current.stack}`, 'key-0123456789')
    t.notMatch(`${current.message}${current.stack}`, secret)
  }
})

test('a redirect is not followed, since it would carry code elsewhere', async t => {
  const elsewhere = await startModelServer({ chat: [{ text: 'stolen' }] })
  t.teardown(() => elsewhere.close())
  const { server, llm } = await scriptedLlm(t, [
    { status: 307, headers: { location: `${elsewhere.baseUrl}/chat/completions` } },
  ])
  const error = await failureOf(llm.complete({ messages: MESSAGES }))
  t.equal(error.code, 'LLM_REJECTED')
  t.match(error.fix, 'redirects')
  t.equal(server.requests.length, 1)
  t.equal(elsewhere.requests.length, 0)
})

test('secrets in messages never leave, and are counted', async t => {
  const { server, llm } = await scriptedLlm(t, [{ text: 'fine' }])
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const completion = await llm.complete({
    messages: [
      { role: 'system', content: `token ${secret}` },
      { role: 'user', content: `password = "hunter22" and ${secret}` },
    ],
  })
  t.equal(completion.redactions, 3)
  const sent = JSON.stringify(server.requests[0]?.body)
  t.notMatch(sent, secret)
  t.notMatch(sent, 'hunter22')
})

test('configured headers go with each request, win over ours, and never come out of an error', async t => {
  const secret = 'gateway-secret-0123'
  const { server, llm } = await scriptedLlm(
    t,
    [{ status: 401, body: { error: { message: `unknown key ${secret}` } } }],
    { apiKey: null, headers: { 'x-team': 'ann', authorization: `Token ${secret}`, 'user-agent': 'mine' } },
  )
  const error: unknown = await llm.complete({ messages: MESSAGES }).catch((reason: unknown) => reason)
  t.match(server.requests[0]?.headers, { 'x-team': 'ann', authorization: `Token ${secret}`, 'user-agent': 'mine' })
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    t.notMatch(`${current.message}${current.stack}`, secret)
  }
})

const PATH_SECRET = 'sk-gateway-0a1B2c3D4e5F'
const QUERY_SECRET = 'query-secret-0123'
const HEADER_SECRET = 'header-secret-0123'
const OURS = [API_KEY, PATH_SECRET, QUERY_SECRET, HEADER_SECRET]
const echo = {
  message: `cannot serve ${PATH_SECRET} ?key=${QUERY_SECRET} for ${API_KEY} with ${HEADER_SECRET}`,
  code: 500,
}

const FAULTS: Array<[what: string, reply: Reply]> = [
  ['a refusal that repeats all', { status: 401, body: { error: echo } }],
  ['an error page that repeats all', { status: 502, body: `<html>${echo.message}</html>` }],
  ['an error inside a 200', { errorIn200: echo }],
  [
    'a redirect that repeats all',
    { status: 302, headers: { location: `http://127.0.0.1:9/${PATH_SECRET}?key=${QUERY_SECRET}` } },
  ],
  ['an answer that is no JSON', { status: 200, headers: { 'content-type': 'application/json' }, body: echo.message }],
  [
    'a stream that is no JSON',
    { status: 200, headers: { 'content-type': 'text/event-stream' }, body: `data: ${echo.message}\n\n` },
  ],
  ['a cut', { text: 'one two', cutAfter: 1 }],
  ['a closed connection', { refuse: true }],
  ['silence', { hang: true }],
]

for (const [what, reply] of FAULTS) {
  test(
    `${what}: no error of ours holds the key, a header, or a secret in the base URL, nor does one of its ` + 'causes',
    async t => {
      for (const onToken of [undefined, () => {}]) {
        const { server, llm, calls } = await scriptedLlm(t, [reply, reply, reply], {
          headers: { 'x-gateway': HEADER_SECRET },
          timeoutMs: 2000,
          baseUrlSuffix: `/${PATH_SECRET}?key=${QUERY_SECRET}`,
        })
        const error = await failureOf(llm.complete({ messages: MESSAGES, onToken }))
        t.match(server.requests[0], {
          path: `/v1/${PATH_SECRET}/chat/completions?key=${QUERY_SECRET}`,
          headers: { authorization: `Bearer ${API_KEY}`, 'x-gateway': HEADER_SECRET },
        })
        for (const secret of OURS) {
          t.notMatch(`${error.message}${error.fix}${JSON.stringify(error)}`, secret)
          t.notMatch(shown(error), secret, 'not even in its causes')
          t.notMatch(JSON.stringify(calls), secret)
        }
      }
    },
  )
}

test('the same holds for embeddings', async t => {
  for (const reply of [
    { status: 401, body: { error: echo } },
    { errorIn200: echo },
    { status: 503, body: echo.message },
    { refuse: true },
  ]) {
    await using server = await startModelServer({ embeddings: [reply, reply, reply] })
    const request = createEmbeddingsRequest({
      baseUrl: server.baseUrl,
      apiKey: API_KEY,
      headers: { 'x-gateway': HEADER_SECRET },
      model: 'e',
      sleep: async () => {},
    })
    const error = await request(['x']).catch((reason: unknown) => reason)
    t.match(error, { code: 'EMBEDDING_UNAVAILABLE' })
    for (const secret of [API_KEY, HEADER_SECRET]) t.notMatch(shown(error), secret)
  }
})
