import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { test } from 'tap'
import { ModelError } from '../../src/core/errors.ts'
import type { LlmOptions } from '../../src/llm/client/client.ts'
import type { Reply } from '../fakes/model-server.ts'
import { MESSAGES, scriptedLlm } from '../helpers/scripted-llm.ts'

const GOOD: Reply = { text: 'fine' }
const FALLBACK = { fallbackModels: ['small'] }
const DOCS = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8').replace(/ +\|/g, ' |')
const LIMITS = { timeoutMs: 60_000, maxReplyBytes: 50_000 }
const SHORT = { firstTokenTimeoutMs: 1000, tokenTimeoutMs: 300 } // a busy machine needs a while for a request to arrive

interface Case {
  /** The row of docs/models.md. */
  name: string
  replies: Reply[]
  options?: Partial<LlmOptions> & { baseUrlSuffix?: string }
  /** `Completion` fields, or the code of the error. */
  result: object | string
  requests: number
  waits?: number[]
  /** What the error's message says, and below what its advice says. */
  said?: RegExp
  fix?: RegExp
  only?: 'plain' | 'streamed'
}

const times = (n: number, reply: Reply): Reply[] => Array.from({ length: n }, () => reply)
const inAnHour = () => new Date(Date.now() + 3_600_000).toUTCString()

const sse = (text: string): Reply => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  body: text,
})
const chunk = (delta: object, finishReason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}`
const WHOLE = JSON.stringify({
  model: 'another',
  choices: [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 10 },
})
const zipped = (text: string, type: string): Reply => ({
  status: 200,
  headers: { 'content-type': type, 'content-encoding': 'gzip' },
  body: gzipSync(text),
})
const STREAM =
  `${chunk({ role: 'assistant', content: 'fi' })}\n\n${chunk({ content: 'ne' })}\n\n${chunk({}, 'stop')}\n` +
  '\ndata: [DONE]\n\n'
const PRICES = { prices: new Map([['big', { input: 1, output: 1 }]]) }

/** What a server may do once, and what it refuses for good with the setting that the advice names. */
const PASSING: Reply[] = [
  { status: 429 },
  { refuse: true },
  { text: 'one two three', cutAfter: 2 },
  { text: 'one two', cutAfter: 0 },
  { malformed: 'json' },
  { malformed: 'html' },
  { errorIn200: true },
  { text: 'one two', errorAfter: 1 },
  { emptyChoices: true },
  { text: '' },
  { text: '', toolCall: true, finishReason: 'tool_calls' },
  { status: 502, body: '<html><title>Bad Gateway</title></html>' },
]
const REFUSED: Array<[status: number, fix: RegExp]> = [
  [400, /LLM_MAX_OUTPUT_TOKENS/],
  [401, /LLM_API_KEY/],
  [402, /credit/],
  [403, /LLM_API_KEY/],
  [404, /LLM_MODEL.*LLM_BASE_URL/],
  [405, /LLM_BASE_URL/],
  [413, /max_context_tokens/],
  [422, /LLM_MAX_OUTPUT_TOKENS/],
]

function sizes(contexts: Record<string, number>): Partial<LlmOptions> {
  return { sizes: { contexts: new Map(Object.entries(contexts)), countTokens: text => text.length } }
}

const CASES: Case[] = [
  { name: 'answers', replies: [GOOD], result: { text: 'fine', attempts: 1 }, requests: 1 },
  ...[408, 429, 500, 502, 503, 504, 529].map(status => ({
    name: '408, 429 or 5xx, then answers',
    replies: [{ status }, GOOD],
    result: { text: 'fine', attempts: 2 },
    requests: 2,
    waits: [250],
  })),
  ...PASSING.map(reply => ({
    name: 'fails once in a way that may pass',
    replies: [reply, GOOD],
    result: { text: 'fine', attempts: 2 },
    requests: 2,
    waits: [250],
  })),
  {
    name: '408, 429 or 5xx for ever',
    replies: times(3, { status: 502, body: '<!doctype html><title>Bad Gateway</title><p>nginx</p>' }),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    said: /^The model did not answer after 3 attempts: status 502: a page of HTML, Bad Gateway\.$/,
  },
  {
    name: '408, 429 or 5xx for ever',
    replies: times(3, { status: 503 }),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    waits: [250, 500],
  },
  {
    name: '`Retry-After` in seconds',
    replies: [{ status: 429, headers: { 'retry-after': '7' } }, GOOD],
    result: { text: 'fine' },
    requests: 2,
    waits: [7000],
  },
  {
    name: '`Retry-After` as a date',
    replies: [{ status: 503, headers: { 'retry-after': inAnHour() } }, GOOD],
    options: { timeoutMs: 300_000 },
    result: { text: 'fine' },
    requests: 2,
    waits: [60_000],
  },
  ...['3600', '99999999999999'].map(after => ({
    name: '`Retry-After` in seconds',
    replies: [{ status: 429, headers: { 'retry-after': after } }, GOOD],
    options: { timeoutMs: 300_000 },
    result: { text: 'fine' },
    requests: 2,
    waits: [60_000],
  })),
  {
    name: '`Retry-After` that cannot be read',
    replies: [{ status: 429, headers: { 'retry-after': 'soon' } }, GOOD],
    result: { text: 'fine' },
    requests: 2,
    waits: [250],
  },
  {
    name: '`Retry-After` beyond `LLM_TIMEOUT_S`',
    replies: [{ status: 429, headers: { 'retry-after': '50' } }],
    options: { timeoutMs: 5000 },
    result: 'LLM_UNAVAILABLE',
    requests: 1,
    waits: [],
  },
  {
    name: 'a model fails for ever, and there is a fallback',
    replies: [...times(3, { status: 500 }), GOOD],
    options: FALLBACK,
    result: { text: 'fine', model: 'small', attempts: 4 },
    requests: 4,
  },
  {
    name: 'all models fail for ever',
    replies: times(6, { status: 500 }),
    options: FALLBACK,
    result: 'LLM_UNAVAILABLE',
    requests: 6,
  },
  ...REFUSED.map(([status, fix]) => ({
    name: 'another 4xx',
    replies: [{ status, body: { error: { message: 'no such thing' } } }],
    options: FALLBACK,
    result: 'LLM_REJECTED',
    requests: 1,
    said: new RegExp(`status ${status}: no such thing`),
    fix,
  })),
  {
    name: 'a redirect',
    replies: [{ status: 308, headers: { location: 'http://127.0.0.1:9/v1/chat/completions' } }],
    result: 'LLM_REJECTED',
    requests: 1,
  },
  {
    name: 'is not where `LLM_BASE_URL` says',
    replies: [],
    options: { baseUrlSuffix: '/v2/x' },
    result: 'LLM_REJECTED',
    requests: 1,
    said: /status 404/,
    fix: /LLM_BASE_URL \(most end in \/v1\)/,
  },
  { name: 'answers', replies: [GOOD], options: { baseUrlSuffix: '/' }, result: { text: 'fine' }, requests: 1 },
  {
    name: 'says that the request is too long',
    replies: [
      {
        status: 400,
        body: {
          error: { message: "This model's maximum context length is 8192 tokens.", code: 'context_length_exceeded' },
        },
      },
    ],
    result: 'LLM_REQUEST_TOO_LARGE',
    requests: 1,
  },
  {
    name: 'says that the request is too long',
    replies: times(2, { status: 413, body: { error: { message: 'the request exceeds the available context size' } } }),
    options: FALLBACK,
    result: 'LLM_REQUEST_TOO_LARGE',
    requests: 2,
    fix: /MODEL_CONTEXTS/,
  },
  {
    name: 'says that the request is too long',
    replies: [
      { status: 400, body: { error: { message: 'prompt is too long: 208310 tokens > 200000 maximum' } } },
      GOOD,
    ],
    options: FALLBACK,
    result: { text: 'fine', model: 'small' },
    requests: 2,
    waits: [],
  },
  {
    name: '`MODEL_CONTEXTS` says so before',
    replies: [],
    options: sizes({ big: 1000 }),
    result: 'LLM_REQUEST_TOO_LARGE',
    requests: 0,
  },
  {
    name: '`MODEL_CONTEXTS` says so of the first model',
    replies: [GOOD],
    options: { ...FALLBACK, ...sizes({ big: 1000 }) },
    result: { text: 'fine', model: 'small' },
    requests: 1,
  },
  { name: 'closes the connection', replies: times(3, { refuse: true }), result: 'LLM_UNAVAILABLE', requests: 3 },
  {
    name: 'breaks off in the middle',
    replies: times(3, { text: 'one two', cutAfter: 0 }),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
  },
  {
    name: 'breaks off in the middle',
    replies: times(3, { text: 'one two three four', cutAfter: 2 }),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
  },
  {
    name: 'ends a stream without `finish_reason`',
    replies: times(3, { text: 'one two', noFinish: true }),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    only: 'streamed',
  },
  {
    name: 'leaves out only the end mark or the usage',
    replies: [{ text: 'fine', noDone: true }],
    result: { text: 'fine', attempts: 1 },
    requests: 1,
    only: 'streamed',
  },
  {
    name: 'leaves out only the end mark or the usage',
    replies: [{ text: 'fine', cutAfterFinish: true }],
    result: { text: 'fine', attempts: 1, usageReported: false },
    requests: 1,
    only: 'streamed',
  },
  {
    name: 'leaves out only the end mark or the usage',
    replies: [{ text: 'fine', usage: null }],
    result: { text: 'fine', usageReported: false, usage: { promptTokens: 12, completionTokens: 1 } },
    requests: 1,
  },
  { name: 'an error inside a `200`', replies: times(3, { errorIn200: true }), result: 'LLM_UNAVAILABLE', requests: 3 },
  {
    name: 'an error inside a `200`',
    replies: times(3, { status: 200, body: { error: { message: 'overloaded' } } }),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    said: /the server reported an error: overloaded/,
  },
  {
    name: 'an error inside a `200`',
    replies: times(3, { text: 'one two', errorAfter: 0 }),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    said: /Provider returned error/,
  },
  {
    name: 'an error inside a `200`',
    replies: times(3, { text: 'one two', errorAfter: 2 }),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    said: /Provider returned error/,
  },
  {
    name: 'an error inside a `200`',
    replies: times(3, sse('event: error\ndata: {"message": "overloaded"}\n\n')),
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    said: /overloaded/,
    only: 'streamed',
  },
  {
    name: 'an error inside a `200`',
    replies: [{ errorIn200: { message: 'busy', code: 429 } }, GOOD],
    result: { text: 'fine' },
    requests: 2,
  },
  {
    name: 'an error inside a `200` with a `code` of 4xx',
    replies: [{ errorIn200: { message: 'no credits', code: 402 } }],
    result: 'LLM_REJECTED',
    requests: 1,
  },
  {
    name: 'an error inside a `200` with a `code` of 4xx',
    replies: [{ errorIn200: { message: 'the context length is 8192', code: 400 } }],
    result: 'LLM_REQUEST_TOO_LARGE',
    requests: 1,
  },
  {
    name: 'no JSON, a page of HTML, no choices, no words',
    replies: [{ malformed: 'json' }, { malformed: 'html' }, { emptyChoices: true }],
    result: 'LLM_BAD_REPLY',
    requests: 3,
  },
  {
    name: 'no JSON, a page of HTML, no choices, no words',
    replies: [{ malformed: 'sse' }, { text: '' }, { text: ' \n', finishReason: 'content_filter' }],
    result: 'LLM_BAD_REPLY',
    requests: 3,
  },
  {
    name: 'no JSON, a page of HTML, no choices, no words',
    replies: times(3, sse(`${chunk({ content: 'fine' })}\n\ndata: nonsense\n\n${chunk({}, 'stop')}\n\n`)),
    result: 'LLM_BAD_REPLY',
    requests: 3,
    only: 'streamed',
  },
  {
    name: 'thinks and says nothing',
    replies: times(3, { text: '', reasoning: 'hm' }),
    result: 'LLM_BAD_REPLY',
    requests: 3,
    said: /the reply was empty/,
  },
  {
    name: 'calls a tool instead of answering',
    replies: times(3, { text: '', toolCall: true, finishReason: 'tool_calls' }),
    result: 'LLM_BAD_REPLY',
    requests: 3,
    said: /a call of a tool, and none was offered/,
  },
  {
    name: 'thinks or calls a tool beside its answer',
    replies: [{ text: 'fine', reasoning: 'hm', toolCall: true }],
    result: { text: 'fine' },
    requests: 1,
  },
  {
    name: 'names another model in its answer',
    replies: [{ status: 200, body: JSON.parse(WHOLE) }],
    options: PRICES,
    result: { text: 'fine', model: 'big', usage: { usd: 110 / 1e6 } },
    requests: 1,
  },
  {
    name: 'answers a stream with one document',
    replies: [{ text: 'fine', ignoresStream: true }],
    result: { text: 'fine', usageReported: true },
    requests: 1,
    only: 'streamed',
  },
  {
    name: 'sends JSON under another type',
    replies: [{ status: 200, body: WHOLE }],
    result: { text: 'fine' },
    requests: 1,
    only: 'plain',
  },
  { name: 'compresses', replies: [zipped(WHOLE, 'application/json')], result: { text: 'fine' }, requests: 1 },
  {
    name: 'compresses',
    replies: [zipped(STREAM, 'text/event-stream')],
    result: { text: 'fine' },
    requests: 1,
    only: 'streamed',
  },
  {
    name: 'compresses megabytes into little',
    replies: [zipped(WHOLE.replace('fine', 'fine'.repeat(500_000)), 'application/json')],
    options: FALLBACK,
    result: 'LLM_BAD_REPLY',
    requests: 1,
    said: /longer than 50000 bytes/,
  },
  ...[
    STREAM.replaceAll('\n', '\r\n'),
    STREAM.replaceAll('\n', '\r'),
    `\uFEFF${STREAM}`,
    `: at work\n\nid: 1\nretry: 5\nnonsense\n\n${STREAM}`,
    STREAM.replaceAll('data: ', 'data:'),
  ].map(text => ({
    name: 'streams in any way of writing events',
    replies: [sse(text)],
    result: { text: 'fine', attempts: 1 },
    requests: 1,
    only: 'streamed' as const,
  })),
  {
    name: 'no words until the output limit',
    replies: [{ text: '', finishReason: 'length' }],
    options: FALLBACK,
    result: 'LLM_BAD_REPLY',
    requests: 1,
  },
  {
    name: 'cut at the output limit',
    replies: [{ text: 'half', finishReason: 'length' }],
    result: { text: 'half', finishReason: 'length' },
    requests: 1,
  },
  { name: 'never ends', replies: [{ endless: 'text' }], options: FALLBACK, result: 'LLM_BAD_REPLY', requests: 1 },
  {
    name: 'never ends',
    replies: [{ endless: 'thoughts' }],
    options: FALLBACK,
    result: 'LLM_BAD_REPLY',
    requests: 1,
    only: 'streamed',
  },
  {
    name: 'silent before the first token',
    replies: times(3, { hang: true }),
    options: SHORT,
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    only: 'streamed',
  },
  {
    name: 'silent before the first token',
    replies: times(3, { text: 'one', hangAfter: 0 }),
    options: SHORT,
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    only: 'streamed',
  },
  {
    name: 'silent before the first token',
    replies: times(3, { endless: 'nothing' }),
    options: SHORT,
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    only: 'streamed',
  },
  {
    name: 'silent before the first token',
    replies: times(3, { endless: 'comments' }),
    options: SHORT,
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    only: 'streamed',
  },
  {
    name: 'silent between two tokens',
    replies: times(3, { text: 'one two three', hangAfter: 2 }),
    options: SHORT,
    result: 'LLM_UNAVAILABLE',
    requests: 3,
    only: 'streamed',
  },
  {
    name: 'slower than `LLM_TIMEOUT_S`',
    replies: [{ hang: true }],
    options: { timeoutMs: 150 },
    result: 'LLM_UNAVAILABLE',
    requests: 1,
    only: 'plain',
  },
  {
    name: 'slower than `LLM_TIMEOUT_S`',
    replies: [{ text: 'one two', hangAfter: 1 }, GOOD],
    options: { timeoutMs: 800, ...FALLBACK },
    result: { text: 'fine', model: 'small' },
    requests: 2,
    only: 'plain',
  },
  {
    name: 'slower than `LLM_TIMEOUT_S`',
    replies: [{ text: 'word '.repeat(100), pauseMs: 20 }, GOOD],
    options: { timeoutMs: 800, ...FALLBACK },
    result: { text: 'fine', model: 'small' },
    requests: 2,
    only: 'streamed',
  },
]

for (const how of ['plain', 'streamed'] as const) {
  for (const { name, replies, options, result, requests, waits: expectedWaits, said = /./, fix = /\S/ } of CASES.filter(
    ({ only }) => only === undefined || only === how,
  )) {
    test(`${how}: ${name} (${JSON.stringify(replies).slice(0, 80)})`, async t => {
      const { server, waits, calls, llm } = await scriptedLlm(t, replies, { ...LIMITS, ...options })
      const outcome = await llm
        .complete({ messages: MESSAGES, onToken: how === 'streamed' ? () => {} : undefined })
        .catch((error: unknown) => error)
      if (typeof result === 'string') {
        t.ok(outcome instanceof ModelError)
        t.match(outcome, { code: result, message: said, fix, usage: { llmCalls: requests } })
      } else {
        t.match(outcome, result)
      }
      t.equal(server.requests.length, requests, 'requests sent')
      if (expectedWaits !== undefined) t.same(waits, expectedWaits)
      t.match(
        calls,
        {
          length: 1,
          0: {
            outcome: typeof result === 'string' ? result : 'ok',
            retries: Math.max(0, requests - 1),
            usage: { llmCalls: requests },
          },
        },
        'told once',
      )
      for (const [i, { hungUp }] of server.requests.entries()) {
        if (replies[i]?.hang === true || replies[i]?.endless !== undefined || replies[i]?.hangAfter !== undefined) {
          t.equal(await hungUp, true, 'the server saw the client leave')
        }
      }
      t.ok(DOCS.includes(`| ${name} |`), `docs/models.md has a row for: ${name}`)
    })
  }
}

/** Rows that other tests act out: those of connecting and of answers in JSON. */
const ELSEWHERE = [
  'is not there, or does not finish connecting within 10 s',
  'refuses `response_format` (400, 422)',
  'JSON in fences or prose, with fields too many',
  'JSON that does not fit, then fits',
  'JSON that does not fit, twice',
  'JSON cut at the output limit',
]

test('the documentation promises nothing that is not acted out', async t => {
  const rows = Array.from(DOCS.matchAll(/^\| (?<row>[^|]+?) \|/gm), match => match.groups?.row ?? '').filter(
    row => row !== 'the server' && !/^-+$/.test(row),
  )
  t.same(new Set(rows), new Set([...CASES.map(({ name }) => name), ...ELSEWHERE]))
})
