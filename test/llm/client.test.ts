import { createServer } from 'node:net'
import { once } from 'node:events'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { createLlm, type LlmOptions } from '../../src/llm/client.ts'
import { startModelServer, type ModelServer, type Reply } from '../fakes/model-server.ts'

const MESSAGES = [{ role: 'user' as const, content: 'Why does it crash?' }]

interface Setup { server: ModelServer, waits: number[], llm: ReturnType<typeof createLlm> }

/** A client of a scripted server whose waits are recorded and take no time; `random` is 0.5. */
async function setUp (t: Test, chat: Reply[], options: Partial<LlmOptions> = {}): Promise<Setup> {
  const server = await startModelServer({ chat })
  t.teardown(() => server.close())
  const waits: number[] = []
  const llm = createLlm({
    baseUrl: server.baseUrl, apiKey: 'key-0123456789', model: 'big', random: () => 0.5, sleep: async ms => { waits.push(ms) }, ...options
  })
  return { server, waits, llm }
}

async function failureOf (promise: Promise<unknown>): Promise<FaultlineError> {
  const error = await promise.then(() => new Error('did not fail'), (error: unknown) => error)
  if (!(error instanceof FaultlineError)) throw error
  return error
}

test('a plain answer comes back with its usage and is one request with the key, the limit and no stream', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'Because of line 42.', usage: { prompt_tokens: 1000, completion_tokens: 500 } }], {
    prices: new Map([['big', { input: 2, output: 8 }]]), maxOutputTokens: 99, headers: { 'x-title': 'Faultline' }
  })
  const completion = await llm.complete({ messages: MESSAGES, temperature: 0.2 })
  t.same(completion, {
    text: 'Because of line 42.',
    model: 'big',
    usage: { llmCalls: 1, promptTokens: 1000, completionTokens: 500, usd: 0.006 },
    usageReported: true,
    finishReason: 'stop',
    attempts: 1,
    redactions: 0
  })
  t.equal(server.requests.length, 1)
  const [request] = server.requests
  t.equal(request?.path, '/v1/chat/completions')
  t.equal(request?.headers.authorization, 'Bearer key-0123456789')
  t.equal(request?.headers['x-title'], 'Faultline')
  t.same(request?.body, { model: 'big', messages: MESSAGES, max_tokens: 99, temperature: 0.2 })
})

test('a server without a key is sent no Authorization header', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'yes' }], { apiKey: null })
  await llm.complete({ messages: MESSAGES })
  t.equal(server.requests[0]?.headers.authorization, undefined)
})

test('a streamed answer arrives in pieces that add up to its text, with the usage of the last event', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'one two three', reasoning: 'hm', usage: { prompt_tokens: 7, completion_tokens: 3 } }])
  const pieces: string[] = []
  const completion = await llm.complete({ messages: MESSAGES, onToken: text => { pieces.push(text) } })
  t.same(pieces, ['one', ' two', ' three'])
  t.match(completion, { text: 'one two three', finishReason: 'stop', usage: { promptTokens: 7, completionTokens: 3, usd: null } })
  t.equal(server.requests.length, 1)
  t.match(server.requests[0]?.body, { stream: true, stream_options: { include_usage: true } })
})

test('the first token is passed on before the last one exists', async (t) => {
  const rest = Promise.withResolvers<void>()
  const { llm } = await setUp(t, [{ text: 'first last', slowTokensUntil: rest.promise }])
  const first = Promise.withResolvers<string>()
  const completion = llm.complete({ messages: MESSAGES, onToken: text => first.resolve(text) })
  t.equal(await first.promise, 'first')
  rest.resolve()
  t.equal((await completion).text, 'first last')
})

test('a server that does not count leaves zero tokens, says so, and has no price', async (t) => {
  const { llm } = await setUp(t, [{ text: 'yes', usage: null }, { text: 'yes', usage: null }], { prices: new Map([['big', { input: 1, output: 1 }]]) })
  for (const onToken of [undefined, () => {}]) {
    t.match(await llm.complete({ messages: MESSAGES, onToken }), { usageReported: false, usage: { promptTokens: 0, completionTokens: 0, usd: null } })
  }
})

test('an answer that was cut at the output limit says so', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'half of', finishReason: 'length' }, { text: 'half of', finishReason: 'length' }])
  t.equal((await llm.complete({ messages: MESSAGES })).finishReason, 'length')
  t.equal((await llm.complete({ messages: MESSAGES, onToken: () => {} })).finishReason, 'length')
  t.equal(server.requests.length, 2)
})

test('an answer without a word is none, whatever reason the server gives; an empty one at the output limit is not paid for again', async (t) => {
  for (const onToken of [undefined, () => {}]) {
    const cut = await setUp(t, [{ text: '', finishReason: 'length' }])
    const error = await failureOf(cut.llm.complete({ messages: MESSAGES, onToken }))
    t.match(error, { code: 'LLM_BAD_REPLY', message: /output limit/, fix: /LLM_MAX_OUTPUT_TOKENS/ })
    t.equal(cut.server.requests.length, 1)

    for (const finishReason of ['content_filter', 'tool_calls', 'stop']) {
      const { server, llm } = await setUp(t, [{ text: ' \n', finishReason }, { text: 'yes' }])
      t.match(await llm.complete({ messages: MESSAGES, onToken }), { text: 'yes', attempts: 2 }, finishReason)
      t.equal(server.requests.length, 2)
    }
  }
})

test('every request counts in the usage, also when all of them failed', async (t) => {
  const late = await setUp(t, [{ status: 500 }, { status: 500 }, { text: 'yes' }])
  t.match((await late.llm.complete({ messages: MESSAGES })).usage, { llmCalls: 3 })
  const never = await setUp(t, [{ status: 500 }, { status: 500 }, { status: 500 }])
  const error = await failureOf(never.llm.complete({ messages: MESSAGES }))
  t.match(error, { code: 'LLM_UNAVAILABLE', usage: { llmCalls: 3 } })
})

const PASSING: Array<[string, Reply]> = [
  ['429', { status: 429, body: { error: { message: 'slow down' } } }],
  ['408', { status: 408 }],
  ['500', { status: 500 }],
  ['503 with a text body', { status: 503, body: 'upstream gone' }],
  ['a refused connection', { refuse: true }],
  ['a cut', { text: 'one two three four', cutAfter: 2 }],
  ['malformed JSON', { malformed: 'json' }],
  ['HTML', { malformed: 'html' }],
  ['an error inside a 200', { errorIn200: true }],
  ['no choices', { emptyChoices: true }],
  ['an empty text', { text: '' }],
]

for (const streamed of [false, true]) {
  const how = streamed ? 'streamed' : 'plain'
  const onToken = streamed ? () => {} : undefined

  for (const [what, reply] of PASSING) {
    test(`${how}: ${what} is tried again`, async (t) => {
      const { server, waits, llm } = await setUp(t, [reply, { text: 'fine' }])
      const completion = await llm.complete({ messages: MESSAGES, onToken })
      t.match(completion, { text: 'fine', attempts: 2 })
      t.equal(server.requests.length, 2)
      t.same(waits, [250], 'half of the first 500 ms')
    })
  }

  for (const status of [400, 401, 402, 403, 404, 413, 422]) {
    test(`${how}: status ${status} is not tried again, not even with a fallback`, async (t) => {
      const { server, llm } = await setUp(t, [{ status, body: { error: { message: 'no such thing' } } }], { fallbackModels: ['small'] })
      const error = await failureOf(llm.complete({ messages: MESSAGES, onToken }))
      t.equal(error.code, 'LLM_REJECTED')
      t.match(error.message, `status ${status}: no such thing`)
      t.ok(error.fix)
      t.equal(server.requests.length, 1)
    })
  }

  test(`${how}: three failures of a model end in LLM_UNAVAILABLE that names attempts and status`, async (t) => {
    const down = { status: 503, body: { error: { message: 'overloaded' } } }
    const { server, waits, llm } = await setUp(t, [down, down, down])
    const error = await failureOf(llm.complete({ messages: MESSAGES, onToken }))
    t.equal(error.code, 'LLM_UNAVAILABLE')
    t.equal(error.message, 'The model did not answer after 3 attempts: status 503: overloaded.')
    t.match(error.fix, 'LLM_BASE_URL')
    t.equal(server.requests.length, 3)
    t.same(waits, [250, 500])
  })

  test(`${how}: replies that are none end in LLM_BAD_REPLY`, async (t) => {
    const { server, llm } = await setUp(t, [{ malformed: 'html' }, { malformed: 'html' }, { emptyChoices: true, text: 'x' }])
    const error = await failureOf(llm.complete({ messages: MESSAGES, onToken }))
    t.equal(error.code, 'LLM_BAD_REPLY')
    t.equal(server.requests.length, 3)
  })

  test(`${how}: the fallback models follow in order, each with its own tries`, async (t) => {
    const { server, llm } = await setUp(t, [...Array(6).fill({ status: 500 }), { text: 'from the third' }], { fallbackModels: ['middle', 'small'] })
    const completion = await llm.complete({ messages: MESSAGES, onToken })
    t.match(completion, { text: 'from the third', model: 'small', attempts: 7 })
    t.same(server.requests.map(request => request.body?.model), ['big', 'big', 'big', 'middle', 'middle', 'middle', 'small'])
  })

  test(`${how}: a model that hangs is given up when its time is over, and the next one is asked`, async (t) => {
    const { server, llm } = await setUp(t, [{ hang: true }, { text: 'from the second' }], { timeoutMs: 150, fallbackModels: ['small'] })
    const completion = await llm.complete({ messages: MESSAGES, onToken })
    t.match(completion, { text: 'from the second', model: 'small', attempts: 2 })
    t.equal(await server.requests[0]?.hungUp, true)
    t.equal(server.requests.length, 2)
  })

  test(`${how}: a hang without a fallback ends in LLM_UNAVAILABLE that names the time`, async (t) => {
    const { server, llm } = await setUp(t, [{ hang: true }], { timeoutMs: 100 })
    const error = await failureOf(llm.complete({ messages: MESSAGES, onToken }))
    t.equal(error.code, 'LLM_UNAVAILABLE')
    t.match(error.message, 'after 1 attempt: no complete answer within 0.1 s')
    t.equal(server.requests.length, 1)
  })

  test(`${how}: an abort ends the request at once and is not tried again`, async (t) => {
    const { server, llm } = await setUp(t, [{ hang: true }], { fallbackModels: ['small'] })
    const abort = new AbortController()
    const completion = llm.complete({ messages: MESSAGES, onToken, signal: abort.signal })
    const request = await server.waitForRequest(1)
    abort.abort()
    await t.rejects(completion, { name: 'AbortError' })
    t.equal(await request.hungUp, true)
    t.equal(server.requests.length, 1)
  })

  test(`${how}: an aborted signal sends nothing`, async (t) => {
    const { server, llm } = await setUp(t, [{ text: 'never' }])
    await t.rejects(llm.complete({ messages: MESSAGES, onToken, signal: AbortSignal.abort() }), { name: 'AbortError' })
    t.equal(server.requests.length, 0)
  })

  test(`${how}: a reply beyond the byte cap is cut off and not paid for again`, async (t) => {
    const { server, llm } = await setUp(t, [{ text: 'word '.repeat(2000) }], { maxReplyBytes: 3000 })
    const error = await failureOf(llm.complete({ messages: MESSAGES, onToken }))
    t.equal(error.code, 'LLM_BAD_REPLY')
    t.match(error.message, '3000 bytes')
    t.equal(server.requests.length, 1)
  })
}

test('a stream longer than the byte cap is whole as long as its text is not', async (t) => {
  const { llm } = await setUp(t, [{ text: 'a '.repeat(200).trim() }], { maxReplyBytes: 1000 })
  t.equal((await llm.complete({ messages: MESSAGES, onToken: () => {} })).text.length, 399)
})

test('a stream whose one event never ends is cut off at the byte cap', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'a'.repeat(100_000) }], { maxReplyBytes: 1000 })
  t.equal((await failureOf(llm.complete({ messages: MESSAGES, onToken: () => {} }))).code, 'LLM_BAD_REPLY')
  t.equal(server.requests.length, 1)
})

test('an abort in the middle of a stream ends it, and the server sees the client leave', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'one two three', hangAfter: 2 }])
  const abort = new AbortController()
  const completion = llm.complete({ messages: MESSAGES, signal: abort.signal, onToken: text => { if (text === ' two') abort.abort() } })
  await t.rejects(completion, { name: 'AbortError' })
  t.equal(await server.requests[0]?.hungUp, true)
  t.equal(server.requests.length, 1)
})

test('an abort while waiting for the next try ends the wait', async (t) => {
  const waiting = Promise.withResolvers<void>()
  const { server, llm } = await setUp(t, [{ status: 503 }], {
    sleep: (_, signal) => new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('woken')))
      waiting.resolve()
    })
  })
  const abort = new AbortController()
  const completion = llm.complete({ messages: MESSAGES, signal: abort.signal })
  await waiting.promise
  abort.abort(new Error('the job was cancelled'))
  await t.rejects(completion, { message: 'the job was cancelled' })
  t.equal(server.requests.length, 1)
})

test('when a stream breaks after tokens, onRestart comes before the tokens of the next try', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'one two three', cutAfter: 2 }, { status: 500 }, { text: 'one two three' }])
  const heard: string[] = []
  const completion = await llm.complete({ messages: MESSAGES, onToken: text => { heard.push(text) }, onRestart: () => { heard.push('RESTART') } })
  t.same(heard, ['one', ' two', 'RESTART', 'one', ' two', ' three'])
  t.equal(completion.text, 'one two three')
  t.equal(server.requests.length, 3)
})

test('a stream that ends without a finish_reason is incomplete; one that only lacks [DONE] or its usage is whole', async (t) => {
  const incomplete = await setUp(t, [{ text: 'one two', noFinish: true }, { text: 'all of it' }])
  t.match(await incomplete.llm.complete({ messages: MESSAGES, onToken: () => {} }), { text: 'all of it', attempts: 2 })
  t.equal(incomplete.server.requests.length, 2)

  const whole = await setUp(t, [{ text: 'one two', noDone: true }])
  t.match(await whole.llm.complete({ messages: MESSAGES, onToken: () => {} }), { text: 'one two', attempts: 1 })
  t.equal(whole.server.requests.length, 1)

  const cut = await setUp(t, [{ text: 'one two', cutAfterFinish: true }])
  t.match(await cut.llm.complete({ messages: MESSAGES, onToken: () => {} }), { text: 'one two', attempts: 1, usageReported: false })
  t.equal(cut.server.requests.length, 1)
})

test('a stream with a malformed event is tried again', async (t) => {
  const { server, llm } = await setUp(t, [{ malformed: 'sse' }, { malformed: 'sse' }, { malformed: 'sse' }])
  t.equal((await failureOf(llm.complete({ messages: MESSAGES, onToken: () => {} }))).code, 'LLM_BAD_REPLY')
  t.equal(server.requests.length, 3)
})

test('a stream that is silent before the first token, or between two, is cut and tried again', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'one two', hangAfter: 0 }, { text: 'one two', hangAfter: 1 }, { hang: true }], { firstTokenTimeoutMs: 600, tokenTimeoutMs: 600 })
  const error = await failureOf(llm.complete({ messages: MESSAGES, onToken: () => {} }))
  t.equal(error.code, 'LLM_UNAVAILABLE')
  t.match(error.message, 'after 3 attempts: no token within 0.6 s')
  t.equal(server.requests.length, 3)
  for (const request of server.requests) t.equal(await request.hungUp, true)
})

test('a stream may last longer than its longest allowed silence', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'one two three four', pauseMs: 120 }], { tokenTimeoutMs: 400 })
  t.match(await llm.complete({ messages: MESSAGES, onToken: () => {} }), { text: 'one two three four', attempts: 1 })
  t.equal(server.requests.length, 1)
})

test('what onToken throws ends the call as it is', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'one two', hangAfter: 1 }])
  await t.rejects(llm.complete({ messages: MESSAGES, onToken: () => { throw new TypeError('a bug of the caller') } }), { message: 'a bug of the caller' })
  t.equal(await server.requests[0]?.hungUp, true)
  t.equal(server.requests.length, 1)
})

test('Retry-After is honoured in seconds and as a date, up to 60 s', async (t) => {
  const { waits, server, llm } = await setUp(t, [
    { status: 429, headers: { 'retry-after': '7' } },
    { status: 503, headers: { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() } },
    { text: 'fine' }
  ])
  t.equal((await llm.complete({ messages: MESSAGES })).attempts, 3)
  t.same(waits, [7000, 60_000])
  t.equal(server.requests.length, 3)
})

test('a wait that is longer than the time left is not waited: the next model is asked', async (t) => {
  const { waits, server, llm } = await setUp(t, [{ status: 429, headers: { 'retry-after': '30' } }, { text: 'fine' }], { timeoutMs: 5000, fallbackModels: ['small'] })
  t.match(await llm.complete({ messages: MESSAGES }), { model: 'small', attempts: 2 })
  t.same(waits, [])
  t.equal(server.requests.length, 2)
})

test('a server that is not there is LLM_UNAVAILABLE with the reason and without its address', async (t) => {
  const { server, llm } = await setUp(t, [])
  await server.close()
  const error = await failureOf(llm.complete({ messages: MESSAGES }))
  t.equal(error.code, 'LLM_UNAVAILABLE')
  t.equal(error.message, 'The model did not answer after 3 attempts: the connection failed (ECONNREFUSED).')
  t.notMatch(error.message, server.baseUrl)
})

test('a port that takes connections and says nothing is given up in time', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1')
  t.teardown(() => silent.close())
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const sockets: Array<{ destroy: () => void }> = []
  silent.on('connection', socket => { sockets.push(socket) })
  t.teardown(() => { for (const socket of sockets) socket.destroy() })
  const { llm } = await setUp(t, [], { baseUrl: `http://127.0.0.1:${port}/v1`, timeoutMs: 100 })
  t.equal((await failureOf(llm.complete({ messages: MESSAGES }))).code, 'LLM_UNAVAILABLE')
  t.equal(sockets.length, 1)
})

test('neither the key nor other secrets that a server repeats come out in a message, a cause or a stack', async (t) => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const { llm } = await setUp(t, [{ status: 401, body: { error: { message: `Incorrect API key: key-0123456789,\n\n ${secret} ${'long '.repeat(200)}` } } }])
  const error = await failureOf(llm.complete({ messages: MESSAGES }))
  t.ok(error.message.length < 450)
  t.match(error.message, 'Incorrect API key: [redacted:api-key], [redacted:github-token] long')
  t.match(error.fix, 'LLM_API_KEY')
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    t.notMatch(`${current.message}${current.stack}`, 'key-0123456789')
    t.notMatch(`${current.message}${current.stack}`, secret)
  }
})

test('a redirect is not followed, since it would carry code elsewhere', async (t) => {
  const elsewhere = await startModelServer({ chat: [{ text: 'stolen' }] })
  t.teardown(() => elsewhere.close())
  const { server, llm } = await setUp(t, [{ status: 307, headers: { location: `${elsewhere.baseUrl}/chat/completions` } }])
  const error = await failureOf(llm.complete({ messages: MESSAGES }))
  t.equal(error.code, 'LLM_REJECTED')
  t.match(error.fix, 'redirects')
  t.equal(server.requests.length, 1)
  t.equal(elsewhere.requests.length, 0)
})

test('secrets in messages never leave, and are counted', async (t) => {
  const { server, llm } = await setUp(t, [{ text: 'fine' }])
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const completion = await llm.complete({ messages: [{ role: 'system', content: `token ${secret}` }, { role: 'user', content: `password = "hunter22" and ${secret}` }] })
  t.equal(completion.redactions, 3)
  const sent = JSON.stringify(server.requests[0]?.body)
  t.notMatch(sent, secret)
  t.notMatch(sent, 'hunter22')
})

test('a model named by the request is asked first, and the fallback models stay', async (t) => {
  const { server, llm } = await setUp(t, [{ status: 500 }, { status: 500 }, { status: 500 }, { text: 'fine' }], { fallbackModels: ['small', 'other'] })
  t.equal((await llm.complete({ messages: MESSAGES, model: 'other' })).model, 'small')
  t.same(server.requests.map(request => request.body?.model), ['other', 'other', 'other', 'small'])
})
