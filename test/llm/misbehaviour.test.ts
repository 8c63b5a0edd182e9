import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { test, type Test } from 'tap'
import { ModelError } from '../../src/core/errors.ts'
import { createLlm, type CallRecord, type LlmOptions } from '../../src/llm/client.ts'
import { startModelServer, type ModelServer, type Reply } from '../fakes/model-server.ts'

const MESSAGES = [{ role: 'user' as const, content: 'Why does it crash?' }]
const GOOD: Reply = { text: 'fine' }
const FALLBACK = { fallbackModels: ['small'] }
const DOCS = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')
const LIMITS = { timeoutMs: 60_000, maxReplyBytes: 50_000 }
const SHORT = { connectTimeoutMs: 600, firstTokenTimeoutMs: 600, tokenTimeoutMs: 300 } // a busy machine needs a while for a request to arrive

interface Setup { server: ModelServer, waits: number[], calls: CallRecord[], llm: ReturnType<typeof createLlm> }

async function setUp (t: Test, chat: Reply[], options: Partial<LlmOptions> = {}): Promise<Setup> {
  const server = await startModelServer({ chat })
  t.teardown(() => server.close())
  const waits: number[] = []
  const calls: CallRecord[] = []
  const llm = createLlm({
    baseUrl: server.baseUrl, apiKey: 'key-0123456789', model: 'big', random: () => 0.5, sleep: async ms => { waits.push(ms) }, onCall: call => calls.push(call), ...LIMITS, ...options
  })
  return { server, waits, calls, llm }
}

interface Case {
  /** The row of docs/models.md. */
  name: string
  replies: Reply[]
  options?: Partial<LlmOptions>
  /** `Completion` fields, or the code of the error. */
  result: object | string
  requests: number
  waits?: number[]
  only?: 'plain' | 'streamed'
}

const times = (n: number, reply: Reply): Reply[] => Array.from({ length: n }, () => reply)
const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString()

const CASES: Case[] = [
  { name: 'answers', replies: [GOOD], result: { text: 'fine', attempts: 1 }, requests: 1 },
  ...[408, 429, 500, 502, 503, 504, 529].map(status => ({ name: '408, 429 or 5xx, then answers', replies: [{ status }, GOOD], result: { text: 'fine', attempts: 2 }, requests: 2, waits: [250] })),
  { name: '408, 429 or 5xx for ever', replies: times(3, { status: 503 }), result: 'LLM_UNAVAILABLE', requests: 3, waits: [250, 500] },
  { name: '`Retry-After` in seconds', replies: [{ status: 429, headers: { 'retry-after': '7' } }, GOOD], result: { text: 'fine' }, requests: 2, waits: [7000] },
  { name: '`Retry-After` as a date', replies: [{ status: 503, headers: { 'retry-after': inAnHour() } }, GOOD], options: { timeoutMs: 300_000 }, result: { text: 'fine' }, requests: 2, waits: [60_000] },
  { name: '`Retry-After` beyond `LLM_TIMEOUT_S`', replies: [{ status: 429, headers: { 'retry-after': '50' } }], options: { timeoutMs: 5000 }, result: 'LLM_UNAVAILABLE', requests: 1, waits: [] },
  { name: 'a model fails for ever, and there is a fallback', replies: [...times(3, { status: 500 }), GOOD], options: FALLBACK, result: { text: 'fine', model: 'small', attempts: 4 }, requests: 4 },
  { name: 'all models fail for ever', replies: times(6, { status: 500 }), options: FALLBACK, result: 'LLM_UNAVAILABLE', requests: 6 },
  ...[400, 401, 402, 403, 404, 413, 422].map(status => ({ name: 'another 4xx', replies: [{ status }], options: FALLBACK, result: 'LLM_REJECTED', requests: 1 })),
  { name: 'a redirect', replies: [{ status: 308, headers: { location: 'http://127.0.0.1:9/v1/chat/completions' } }], result: 'LLM_REJECTED', requests: 1 },
  { name: 'says that the request is too long', replies: [{ status: 400, body: { error: { message: 'This model\'s maximum context length is 8192 tokens.', code: 'context_length_exceeded' } } }], result: 'LLM_REQUEST_TOO_LARGE', requests: 1 },
  { name: 'says that the request is too long', replies: [{ status: 400, body: { error: { message: 'prompt is too long: 208310 tokens > 200000 maximum' } } }, GOOD], options: FALLBACK, result: { text: 'fine', model: 'small' }, requests: 2, waits: [] },
  { name: '`MODEL_CONTEXTS` says so before', replies: [], options: sizes({ big: 1000 }), result: 'LLM_REQUEST_TOO_LARGE', requests: 0 },
  { name: '`MODEL_CONTEXTS` says so of the first model', replies: [GOOD], options: { ...FALLBACK, ...sizes({ big: 1000 }) }, result: { text: 'fine', model: 'small' }, requests: 1 },
  { name: 'closes the connection', replies: times(3, { refuse: true }), result: 'LLM_UNAVAILABLE', requests: 3 },
  { name: 'breaks off in the middle', replies: times(3, { text: 'one two three four', cutAfter: 2 }), result: 'LLM_UNAVAILABLE', requests: 3 },
  { name: 'ends a stream without `finish_reason`', replies: times(3, { text: 'one two', noFinish: true }), result: 'LLM_UNAVAILABLE', requests: 3, only: 'streamed' },
  { name: 'leaves out only the end mark or the usage', replies: [{ text: 'fine', noDone: true }], result: { text: 'fine', attempts: 1 }, requests: 1, only: 'streamed' },
  { name: 'leaves out only the end mark or the usage', replies: [{ text: 'fine', cutAfterFinish: true }], result: { text: 'fine', attempts: 1, usageReported: false }, requests: 1, only: 'streamed' },
  { name: 'leaves out only the end mark or the usage', replies: [{ text: 'fine', usage: null }], result: { text: 'fine', usageReported: false, usage: { promptTokens: 0, usd: null } }, requests: 1 },
  { name: 'an error inside a `200`', replies: times(3, { errorIn200: true }), result: 'LLM_UNAVAILABLE', requests: 3 },
  { name: 'an error inside a `200`', replies: [{ errorIn200: { message: 'busy', code: 429 } }, GOOD], result: { text: 'fine' }, requests: 2 },
  { name: 'an error inside a `200` with a `code` of 4xx', replies: [{ errorIn200: { message: 'no credits', code: 402 } }], result: 'LLM_REJECTED', requests: 1 },
  { name: 'an error inside a `200` with a `code` of 4xx', replies: [{ errorIn200: { message: 'the context length is 8192', code: 400 } }], result: 'LLM_REQUEST_TOO_LARGE', requests: 1 },
  { name: 'no JSON, a page of HTML, no choices, no words', replies: [{ malformed: 'json' }, { malformed: 'html' }, { emptyChoices: true }], result: 'LLM_BAD_REPLY', requests: 3 },
  { name: 'no JSON, a page of HTML, no choices, no words', replies: [{ malformed: 'sse' }, { text: '' }, { text: ' \n', finishReason: 'content_filter' }], result: 'LLM_BAD_REPLY', requests: 3 },
  { name: 'no words until the output limit', replies: [{ text: '', finishReason: 'length' }], options: FALLBACK, result: 'LLM_BAD_REPLY', requests: 1 },
  { name: 'cut at the output limit', replies: [{ text: 'half', finishReason: 'length' }], result: { text: 'half', finishReason: 'length' }, requests: 1 },
  { name: 'never ends', replies: [{ endless: 'text' }], options: FALLBACK, result: 'LLM_BAD_REPLY', requests: 1 },
  { name: 'never ends', replies: [{ endless: 'thoughts' }], options: FALLBACK, result: 'LLM_BAD_REPLY', requests: 1, only: 'streamed' },
  { name: 'silent before the first token', replies: times(3, { hang: true }), options: SHORT, result: 'LLM_UNAVAILABLE', requests: 3, only: 'streamed' },
  { name: 'silent before the first token', replies: times(3, { text: 'one', hangAfter: 0 }), options: SHORT, result: 'LLM_UNAVAILABLE', requests: 3, only: 'streamed' },
  { name: 'silent before the first token', replies: times(3, { endless: 'nothing' }), options: SHORT, result: 'LLM_UNAVAILABLE', requests: 3, only: 'streamed' },
  { name: 'silent between two tokens', replies: times(3, { text: 'one two three', hangAfter: 2 }), options: SHORT, result: 'LLM_UNAVAILABLE', requests: 3, only: 'streamed' },
  { name: 'slower than `LLM_TIMEOUT_S`', replies: [{ hang: true }], options: { timeoutMs: 150 }, result: 'LLM_UNAVAILABLE', requests: 1, only: 'plain' },
  { name: 'slower than `LLM_TIMEOUT_S`', replies: [{ text: 'one two', hangAfter: 1 }, GOOD], options: { timeoutMs: 800, ...FALLBACK }, result: { text: 'fine', model: 'small' }, requests: 2, only: 'plain' },
  { name: 'slower than `LLM_TIMEOUT_S`', replies: [{ text: 'word '.repeat(100), pauseMs: 20 }, GOOD], options: { timeoutMs: 800, ...FALLBACK }, result: { text: 'fine', model: 'small' }, requests: 2, only: 'streamed' },
]

function sizes (contexts: Record<string, number>): Partial<LlmOptions> {
  return { sizes: { contexts: new Map(Object.entries(contexts)), countTokens: text => text.length } }
}

for (const how of ['plain', 'streamed'] as const) {
  for (const { name, replies, options, result, requests, waits: expectedWaits } of CASES.filter(({ only }) => only === undefined || only === how)) {
    test(`${how}: ${name} (${JSON.stringify(replies).slice(0, 80)})`, async (t) => {
      const { server, waits, calls, llm } = await setUp(t, replies, options)
      const outcome = await llm.complete({ messages: MESSAGES, onToken: how === 'streamed' ? () => {} : undefined }).catch((error: unknown) => error)
      if (typeof result === 'string') {
        t.ok(outcome instanceof ModelError)
        t.match(outcome, { code: result, usage: { llmCalls: requests }, fix: /\S/ })
      } else {
        t.match(outcome, result)
      }
      t.equal(server.requests.length, requests, 'requests sent')
      if (expectedWaits !== undefined) t.same(waits, expectedWaits)
      t.match(calls, { length: 1, 0: { outcome: typeof result === 'string' ? result : 'ok', retries: Math.max(0, requests - 1), usage: { llmCalls: requests } } }, 'told once')
      for (const [i, { hungUp }] of server.requests.entries()) if (replies[i]?.hang === true || replies[i]?.endless !== undefined || replies[i]?.hangAfter !== undefined) t.equal(await hungUp, true, 'the server saw the client leave')
      t.ok(DOCS.includes(`| ${name} |`), `docs/models.md has a row for: ${name}`)
    })
  }
}

/** A port that takes connections and says nothing. */
async function silentPort (t: Test): Promise<{ port: number, sockets: Socket[] }> {
  const server = createServer().listen(0, '127.0.0.1')
  const sockets: Socket[] = []
  server.on('connection', socket => { sockets.push(socket.resume()) })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  return { port: typeof address === 'object' && address !== null ? address.port : 0, sockets }
}

test('a connection that does not come about is given up in its own time, and tried again', async (t) => {
  const { port, sockets } = await silentPort(t)
  const { llm } = await setUp(t, [], { baseUrl: `https://127.0.0.1:${port}/v1`, ...SHORT }) // it connects, but no handshake comes
  await t.rejects(llm.complete({ messages: MESSAGES }), { code: 'LLM_UNAVAILABLE', message: /3 attempts: the connection failed \(UND_ERR_CONNECT_TIMEOUT\)/ })
  t.equal(sockets.length, 3)
})

test('no server at all: three tries, none of which arrives', async (t) => {
  const { server, llm } = await setUp(t, [])
  await server.close()
  await t.rejects(llm.complete({ messages: MESSAGES }), { code: 'LLM_UNAVAILABLE', message: /3 attempts: the connection failed \(ECONNREFUSED\)/, usage: { llmCalls: 3 } })
})

const MOMENTS: Array<[moment: string, reply: Reply, streamed: boolean, when: 'sent' | 'token']> = [
  ['before the head of a plain answer', { hang: true }, false, 'sent'],
  ['in the body of a plain answer', { text: 'one two', hangAfter: 1 }, false, 'sent'],
  ['before the head of a stream', { hang: true }, true, 'sent'],
  ['before the first token', { text: 'one two', hangAfter: 0 }, true, 'sent'],
  ['between two tokens', { text: 'one two', hangAfter: 1 }, true, 'token'],
  ['in a flood of tokens', { endless: 'text' }, true, 'token'],
]

for (const [moment, reply, streamed, when] of MOMENTS) {
  test(`an abort ${moment} ends the request at the server, too, and sends no other`, async (t) => {
    const { server, calls, llm } = await setUp(t, [reply], { ...FALLBACK, firstTokenTimeoutMs: 60_000, tokenTimeoutMs: 60_000 })
    const abort = new AbortController()
    const reason = new Error('the job was cancelled')
    const completion = llm.complete({ messages: MESSAGES, signal: abort.signal, onToken: streamed ? () => { if (when === 'token') abort.abort(reason) } : undefined })
    const request = await server.waitForRequest(1)
    if (when === 'sent') setTimeout(() => abort.abort(reason), 30) // the part of the answer that comes is read by then
    await t.rejects(completion, reason)
    t.equal(await request.hungUp, true)
    t.equal(server.requests.length, 1)
    t.match(calls, { length: 1, 0: { outcome: 'cancelled', usage: { llmCalls: 1 } } })
  })
}

test('an abort while connecting closes the connection', async (t) => {
  const { port, sockets } = await silentPort(t)
  const { llm } = await setUp(t, [], { baseUrl: `https://127.0.0.1:${port}/v1`, connectTimeoutMs: 60_000 })
  const abort = new AbortController()
  const completion = llm.complete({ messages: MESSAGES, signal: abort.signal })
  while (sockets.length === 0) await new Promise(resolve => { setImmediate(resolve) })
  const closed = sockets.map(socket => once(socket, 'close'))
  abort.abort(new Error('cancelled'))
  await t.rejects(completion, { message: 'cancelled' })
  await Promise.all(closed)
})

test('what a useless reply cost is counted with the answer, and when there is none', async (t) => {
  const prices = new Map([['big', { input: 1, output: 2 }], ['small', { input: 10, output: 20 }]])
  const empty = { text: '', usage: { prompt_tokens: 100, completion_tokens: 50 } }
  const late = await setUp(t, [empty, { text: 'fine', usage: { prompt_tokens: 100, completion_tokens: 1 } }], { prices })
  t.match((await late.llm.complete({ messages: MESSAGES })).usage, { llmCalls: 2, promptTokens: 200, completionTokens: 51, usd: (200 + 2 * 51) / 1e6 })
  const never = await setUp(t, times(3, empty), { prices })
  await t.rejects(never.llm.complete({ messages: MESSAGES }), { code: 'LLM_BAD_REPLY', usage: { llmCalls: 3, promptTokens: 300, completionTokens: 150, usd: 600 / 1e6 } })
  const other = await setUp(t, [...times(3, empty), { text: 'fine', usage: { prompt_tokens: 100, completion_tokens: 1 } }], { prices, ...FALLBACK })
  t.match((await other.llm.complete({ messages: MESSAGES })).usage, { llmCalls: 4, usd: (600 + 1020) / 1e6 }, 'each at its own price')
})

test('configured headers go with each request, win over ours, and never come out of an error', async (t) => {
  const secret = 'gateway-secret-0123'
  const { server, llm } = await setUp(t, [{ status: 401, body: { error: { message: `unknown key ${secret}` } } }], { apiKey: null, headers: { 'x-team': 'ann', authorization: `Token ${secret}`, 'user-agent': 'mine' } })
  const error: unknown = await llm.complete({ messages: MESSAGES }).catch((reason: unknown) => reason)
  t.match(server.requests[0]?.headers, { 'x-team': 'ann', authorization: `Token ${secret}`, 'user-agent': 'mine' })
  for (let current: unknown = error; current instanceof Error; current = current.cause) t.notMatch(`${current.message}${current.stack}`, secret)
})
