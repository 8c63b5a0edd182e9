import { test, type Test } from 'tap'
import { Type } from 'typebox'
import type { LlmOptions } from '../../../src/llm/client/client.ts'
import { completeJson, type JsonRequest } from '../../../src/llm/json/complete-json.ts'
import { createPrompts } from '../../../src/llm/prompts.ts'
import type { Reply } from '../../fakes/model-server.ts'
import { scriptedLlm } from '../../helpers/scripted-llm.ts'

const Verdict = Type.Object(
  { decision: Type.Enum(['approve', 'reject']), issues: Type.Array(Type.String(), { maxItems: 3 }) },
  { additionalProperties: false },
)
const GOOD = { decision: 'approve', issues: ['none'] }
const USAGE = { prompt_tokens: 10, completion_tokens: 5 }
const REQUEST: JsonRequest<typeof Verdict> = {
  messages: [
    { role: 'system', content: 'You review.' },
    { role: 'user', content: 'Review this.' },
  ],
  json: { name: 'verdict', schema: Verdict },
}

async function setUp(t: Test, chat: Reply[], options: Partial<LlmOptions> = {}) {
  const { server, llm } = await scriptedLlm(t, chat, options)
  const { render } = createPrompts()
  return {
    server,
    ask: (request: Partial<typeof REQUEST> = {}) => completeJson(llm.complete, render, { ...REQUEST, ...request }),
  }
}

test(
  'the server is asked for the schema, strictly where it names all fields, and so is the model in the last ' +
    'message',
  async t => {
    const { server, ask } = await setUp(t, [{ text: JSON.stringify(GOOD), usage: USAGE }])
    t.match(await ask(), { value: GOOD, attempts: 1, usage: { llmCalls: 1, promptTokens: 10 } })
    const body = server.requests[0]?.body
    t.match(body, {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'verdict', strict: true, schema: { type: 'object', required: ['decision', 'issues'] } },
      },
    })
    const messages = body?.messages as Array<{ role: string; content: string }>
    t.same(
      messages.map(({ role }) => role),
      ['system', 'user'],
    )
    t.match(messages[1]?.content, /^Review this\.\n\nAnswer with one JSON value[^]*"maxItems":3/)
    t.equal(server.requests.length, 1)

    const loose = await setUp(t, [{ text: '{}' }])
    await loose.ask({ json: { name: 'x', schema: Type.Object({ a: Type.Optional(Type.String()) }) as never } })
    t.match(loose.server.requests[0]?.body, { response_format: { json_schema: { strict: false } } })
  },
)

const ACCEPTED: Array<[what: string, text: string]> = [
  ['in a fence', `\`\`\`json\n${JSON.stringify(GOOD, null, 2)}\n\`\`\``],
  ['with prose around it', `Sure! ${JSON.stringify(GOOD)} Anything else?`],
  ['after a draft that fits, too', `${JSON.stringify({ ...GOOD, decision: 'reject' })} No: ${JSON.stringify(GOOD)}`],
  ['before an example that does not fit', `${JSON.stringify(GOOD)} (see {"decision": "maybe"} and [1])`],
  ['with a field too many', JSON.stringify({ ...GOOD, confidence: 0.9 })],
]

for (const [what, text] of ACCEPTED) {
  test(`JSON ${what} is the answer, at one request`, async t => {
    const { server, ask } = await setUp(t, [{ text }])
    t.strictSame((await ask()).value, GOOD)
    t.equal(server.requests.length, 1)
  })
}

const REFUSED: Array<[what: string, text: string, said: RegExp]> = [
  ['prose', 'I approve.', /It holds no JSON/],
  ['JSON that does not end', '{"decision": "approve", "issues": [', /does not end/],
  ['a missing field', '{"decision": "approve"}', /must have required properties issues/],
  ['another value', '{"decision": "yes", "issues": []}', /\/decision must be .*\["approve","reject"\]/],
  ['another type', '{"decision": "approve", "issues": "none"}', /\/issues must be array/],
  ['too many', '{"decision": "approve", "issues": ["1", "2", "3", "4"]}', /\/issues must not have more than 3 items/],
  ['a forbidden name', '{"__proto__": {}, "decision": "approve", "issues": []}', /forbidden/],
]

for (const [what, text, said] of REFUSED) {
  test(`${what} is asked for once more, with what is wrong with it`, async t => {
    const { server, ask } = await setUp(t, [
      { text, usage: USAGE },
      { text: JSON.stringify(GOOD), usage: USAGE },
    ])
    t.match(await ask(), { value: GOOD, attempts: 2, usage: { llmCalls: 2, promptTokens: 20, completionTokens: 10 } })
    const messages = server.requests[1]?.body?.messages as Array<{ role: string; content: string }>
    t.same(
      messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    )
    t.equal(messages[2]?.content, text)
    t.match(messages[3]?.content, said)
    t.equal(server.requests.length, 2)
  })
}

test('twice not what was asked for is LLM_BAD_REPLY with what is wrong and what both cost', async t => {
  const { server, ask } = await setUp(
    t,
    [
      { text: 'no', usage: USAGE },
      { text: '{"decision": "no", "issues": []}', usage: USAGE },
    ],
    { fallbackModels: ['small'], prices: new Map([['big', { input: 1, output: 1 }]]) },
  )
  await t.rejects(ask(), {
    code: 'LLM_BAD_REPLY',
    message: /asked twice.*\/decision must be/,
    usage: { llmCalls: 2, promptTokens: 20, usd: 30 / 1e6 },
    fix: /LLM_MODEL/,
  })
  t.equal(server.requests.length, 2)
})

test('JSON that was cut at the output limit is not asked for again', async t => {
  const { server, ask } = await setUp(t, [{ text: '{"decision": "approve", "iss', finishReason: 'length' }])
  await t.rejects(ask(), { code: 'REPLY_TRUNCATED', message: /output limit/, fix: /LLM_MAX_OUTPUT_TOKENS/ })
  t.equal(server.requests.length, 1)
})

test('JSON that a filter held back is not asked for again', async t => {
  const { server, ask } = await setUp(t, [{ text: '{"decision": "app', finishReason: 'content_filter' }])
  await t.rejects(ask(), { code: 'REPLY_FILTERED', message: /content_filter/ })
  t.equal(server.requests.length, 1)
})

test('a server that refuses response_format is asked without it, and from then on at once', async t => {
  for (const status of [400, 422]) {
    const reply = { text: JSON.stringify(GOOD), refusesFormat: { status, message: 'response_format is not supported' } }
    const { server, ask } = await setUp(t, [reply, reply, reply])
    t.match(await ask(), { value: GOOD, attempts: 2 })
    t.same(
      server.requests.map(({ body }) => body?.response_format !== undefined),
      [true, false],
    )
    t.match(await ask(), { value: GOOD, attempts: 1 })
    t.equal(server.requests.length, 3)
  }
})

test(
  'a request that is refused with and without response_format is LLM_REJECTED, and the format is tried ' +
    'again the next time',
  async t => {
    const refusal = { status: 400, body: { error: { message: 'bad temperature' } } }
    const { server, ask } = await setUp(t, [refusal, refusal, { text: JSON.stringify(GOOD) }])
    await t.rejects(ask(), { code: 'LLM_REJECTED', message: /bad temperature/, usage: { llmCalls: 2 } })
    t.match(await ask(), { value: GOOD })
    t.same(
      server.requests.map(({ body }) => body?.response_format !== undefined),
      [true, false, true],
    )
  },
)

test('in a stream the second answer begins with a restart; an abort between the two sends no more', async t => {
  const streamed = await setUp(t, [{ text: 'no idea' }, { text: JSON.stringify(GOOD) }])
  const heard: string[] = []
  await streamed.ask({
    onToken: text => {
      heard.push(text)
    },
    onRestart: () => {
      heard.push('RESTART')
    },
  })
  t.same(heard, ['no', ' idea', 'RESTART', JSON.stringify(GOOD)])

  const { server, ask } = await setUp(t, [{ text: 'no idea' }])
  const abort = new AbortController()
  await t.rejects(ask({ signal: abort.signal, onToken: () => {}, onRestart: () => abort.abort(new Error('enough')) }), {
    message: 'enough',
  })
  t.equal(server.requests.length, 1)
})

test('a model is told of eight problems of a kind of its own each, and of none at length', async t => {
  const issues = Array.from({ length: 20 }, (_, at) => at)
  const { server, ask } = await setUp(t, [
    { text: JSON.stringify({ decision: 'x'.repeat(900), issues }) },
    { text: JSON.stringify(GOOD) },
  ])
  await ask()
  const messages = server.requests[1]?.body?.messages as Array<{ content: string }>
  const told = messages[3]?.content.match(/^- .*$/gm) ?? []
  t.equal(told.length, 8)
  t.equal(new Set(told).size, 8)
})
