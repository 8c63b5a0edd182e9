import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test, type Test } from 'tap'
import { Type } from 'typebox'
import type { JsonObject } from '../../../../src/core/job.ts'
import type { JobContext } from '../../../../src/jobs/job-context.ts'
import type { LlmOptions } from '../../../../src/llm/client/client.ts'
import { completeJson } from '../../../../src/llm/json/complete-json.ts'
import { jsonValuesIn } from '../../../../src/llm/json/json-text.ts'
import { createEstimate } from '../../../../src/llm/client/estimate.ts'
import { createPrompts } from '../../../../src/llm/prompts.ts'
import {
  createAskModel,
  type AskModel,
  type AskModelDeps,
  type Asked,
} from '../../../../src/pipelines/steps/model/ask-model.ts'
import type { Reply } from '../../../fakes/model-server.ts'
import { openJobs } from '../../../helpers/open-jobs.ts'
import { eventually } from '../../../helpers/processes.ts'
import { scriptedJob } from '../../../helpers/scripted-job.ts'
import { scriptedLlm } from '../../../helpers/scripted-llm.ts'

const QUESTION = {
  messages: [
    { role: 'system', content: { prompt: 'resolve-system', slots: { locale: 'en' } } },
    {
      role: 'user',
      content: {
        prompt: 'resolve-user',
        slots: {
          stacktrace: { label: 'stack trace', text: 'PASSWORD=hunter22' },
          frames: { label: 'frames', text: 'a.py:1' },
          context: { label: 'a.py', text: '1 / 0' },
        },
      },
    },
  ],
} as const satisfies Asked
const USAGE = { prompt_tokens: 100, completion_tokens: 10 }
const PRICES = new Map([['big', { input: 1, output: 10 }]])
const Verdict = Type.Object({ ok: Type.Boolean() })
const sha256 = (prompt: string) =>
  createHash('sha256')
    .update(readFileSync(new URL(`../../../../prompts/${prompt}.md`, import.meta.url), 'utf8').trimEnd())
    .digest('hex')

type Body = (context: JobContext, model: AskModel) => Promise<unknown>

const askModelOver = (complete: AskModelDeps['complete']) =>
  createAskModel({
    complete,
    completeJson,
    jsonValuesIn,
    prompts: createPrompts(),
    estimate: createEstimate({
      model: 'big',
      prices: new Map([['big', { input: 1e6, output: 0 }]]),
      countTokens: text => text.length,
    }),
    redact: text => text,
  })

/** A job with that body over a real client of a scripted server, settled. */
async function run(
  t: Test,
  replies: Reply[],
  body: Body,
  { options = {}, input = {} }: { options?: Partial<LlmOptions>; input?: JsonObject } = {},
) {
  const { server, llm } = await scriptedLlm(t, replies, { prices: PRICES, ...options })
  const opened = await openJobs(
    t,
    { generate: scriptedJob(context => body(context, askModelOver(llm.complete))) },
    { knowsPrices: true },
  )
  const { job } = await opened.jobs.create('generate', input)
  const settle = () => opened.jobs.settled(job.id, 10_000)
  return {
    ...opened,
    server,
    settle,
    job: await settle(),
    events: () => opened.jobs.events(job.id, 0),
    async transcript() {
      const { entries } = await opened.jobs.transcript(job.id)
      return entries.map(({ step, entry }) => ({ step, ...entry }))
    },
  }
}

test("a reply becomes a step; what was sent and said, its cost and its redactions are the job's", async t => {
  const { job, server, transcript } = await run(t, [{ text: 'It divides by 0.', usage: USAGE }], (context, model) =>
    model.askModel(context, { name: 'explain', ...QUESTION }),
  )
  t.match(job, {
    status: 'succeeded',
    result: { text: 'It divides by 0.', model: 'big', finishReason: 'stop' },
    usage: { llmCalls: 1, promptTokens: 100, completionTokens: 10, usd: 200 / 1e6 },
    redactions: 1,
  })
  const sent = server.requests[0]?.body?.messages
  t.match(await transcript(), [
    {
      step: 'explain',
      kind: 'messages',
      model: 'big',
      redactions: 1,
      prompts: ['resolve-system', 'resolve-user', 'data-rule'].map(name => ({ name, sha256: sha256(name) })),
    },
    {
      step: 'explain',
      kind: 'reply',
      model: 'big',
      text: 'It divides by 0.',
      finishReason: 'stop',
      usage: { llmCalls: 1 },
    },
  ])
  t.same(((await transcript())[0] as { messages?: unknown }).messages, sent, 'as they left')
  t.notMatch(JSON.stringify(await transcript()), 'hunter22')
  t.equal(server.requests.length, 1)
})

test('tokens are events of the job, and so is that an answer begins again', async t => {
  const { job, events } = await run(
    t,
    [{ text: 'one two three', cutAfter: 2 }, { text: 'one two three' }],
    (context, model) => model.askModel(context, { name: 'explain', ...QUESTION }),
  )
  t.equal(job.status, 'succeeded')
  const told = (await events())
    .filter(({ event }) => event === 'token' || event === 'log')
    .map(({ event, data }) => `${event}: ${String(data.text)}`)
  t.same(told, [
    'token: one two',
    'log: The model begins its answer again; the tokens so far are void.',
    'token: one two three',
  ])
})

test(
  'a budget that is used up makes the job wait before the next call; raised, it goes on and repeats no ' +
    'call that was answered',
  async t => {
    const replies = Array.from({ length: 2 }, (_, i) => ({ text: `reply ${i}`, usage: USAGE }))
    const { job, jobs, server, settle } = await run(
      t,
      replies,
      async (context, model) => {
        const first = await model.askModel(context, { name: 'explain', ...QUESTION })
        const second = await model.askModel(context, { name: 'explain', ...QUESTION })
        return [first.text, second.text]
      },
      { input: { budget: { tokens: 100 } } },
    )
    t.match(job, { status: 'waiting', request: { kind: 'budget', spent: { tokens: 110 } }, usage: { llmCalls: 1 } })
    t.equal(server.requests.length, 1)
    await jobs.reply(job.id, { budget: { tokens: 1000 } }, null)
    t.match(await settle(), {
      status: 'succeeded',
      result: ['reply 0', 'reply 1'],
      usage: { llmCalls: 2, promptTokens: 200 },
    })
    t.equal(server.requests.length, 2)
  },
)

test('a call that fails is in the transcript with what it cost', async t => {
  const { job, server, transcript } = await run(
    t,
    Array.from({ length: 3 }, () => ({ text: '', usage: USAGE })),
    (context, model) => model.askModel(context, { name: 'explain', ...QUESTION }),
  )
  t.match(job, {
    status: 'failed',
    error: { code: 'LLM_BAD_REPLY', step: 'explain' },
    usage: { llmCalls: 3, promptTokens: 300 },
    redactions: 1,
  })
  t.match(await transcript(), [
    { kind: 'messages' },
    { kind: 'model_error', model: 'big', code: 'LLM_BAD_REPLY', usage: { llmCalls: 3 } },
  ])
  t.equal(server.requests.length, 3)
})

test('a request that is too large costs nothing and leaves no message', async t => {
  const { job, server, transcript } = await run(
    t,
    [],
    (context, model) => model.askModel(context, { name: 'explain', ...QUESTION }),
    { options: { sizes: { contexts: new Map([['big', 500]]), countTokens: text => text.length } } },
  )
  t.match(job, {
    status: 'failed',
    error: { code: 'LLM_REQUEST_TOO_LARGE', fix: /tokens less/ },
    usage: { llmCalls: 0 },
    redactions: 0,
  })
  t.match(await transcript(), [{ kind: 'model_error', code: 'LLM_REQUEST_TOO_LARGE' }])
  t.equal(server.requests.length, 0)
})

test(
  "a cancelled job ends its call at the server, too; what it had cost by then is the job's, and in its " + 'transcript',
  async t => {
    const { server, llm } = await scriptedLlm(t, [{ text: 'one two three', hangAfter: 2 }], {
      prices: PRICES,
      sizes: { contexts: new Map(), countTokens: text => text.split(' ').length },
    })
    const { jobs } = await openJobs(
      t,
      {
        generate: scriptedJob(context =>
          askModelOver(llm.complete).askModel(context, { name: 'explain', ...QUESTION }),
        ),
      },
      { knowsPrices: true },
    )
    const { job } = await jobs.create('generate', {})
    const request = await server.waitForRequest(1)
    for await (const event of jobs.follow(job.id, 0, new AbortController().signal)) if (event.event === 'token') break
    await jobs.cancel(job.id)
    t.equal(await request.hungUp, true)
    await jobs.settled(job.id, 10_000)
    t.ok(
      await eventually(async () => (await jobs.transcript(job.id)).entries.length === 2),
      'the call has put its tools down',
    )
    const { status, usage, redactions } = await jobs.get(job.id)
    t.match({ status, redactions }, { status: 'cancelled', redactions: 1 })
    t.match(usage, { llmCalls: 1, completionTokens: 2, usd: (usage.promptTokens + 20) / 1e6 })
    t.ok(usage.promptTokens > 50)
    t.match((await jobs.transcript(job.id)).entries[1], {
      step: 'explain',
      entry: { kind: 'model_error', model: 'big', code: 'CANCELLED', usage },
    })
    t.equal(server.requests.length, 1)
  },
)

test('without a model asking is LLM_NOT_CONFIGURED, and what would be asked can be told all the same', async t => {
  const model = askModelOver(null)
  t.throws(() => model.needModel(), { code: 'LLM_NOT_CONFIGURED', fix: /LLM_BASE_URL/ })
  const { jobs } = await openJobs(t, {
    generate: scriptedJob(context => model.askModel(context, { name: 'explain', ...QUESTION })),
  })
  t.match(await jobs.settled((await jobs.create('generate', {})).job.id, 10_000), {
    status: 'failed',
    error: { code: 'LLM_NOT_CONFIGURED' },
    usage: { llmCalls: 0 },
  })

  const { messages, tokens, usd } = model.estimate(QUESTION)
  t.same(
    messages.map(({ role }) => role),
    ['system', 'user'],
  )
  t.match(messages[1]?.content, 'PASSWORD=[redacted:password]')
  t.equal(usd, tokens)
  t.equal(model.estimate({ ...QUESTION, model: 'unknown' }).usd, null)
})

test(
  'an answer in JSON is checked; of two calls both are recorded, counted and checked against the ' + 'budget',
  async t => {
    const ask: Body = (context, model) =>
      model.askModelForJson(context, { name: 'review', ...QUESTION, json: { name: 'verdict', schema: Verdict } })
    const { job, server, transcript } = await run(
      t,
      [
        { text: 'yes', usage: USAGE },
        { text: '{"ok": true}', usage: USAGE },
      ],
      ask,
    )
    t.match(job, {
      status: 'succeeded',
      result: { value: { ok: true } },
      usage: { llmCalls: 2, promptTokens: 200 },
      redactions: 2,
    })
    t.match(await transcript(), [
      { kind: 'messages' },
      { kind: 'reply', text: 'yes' },
      { kind: 'messages' },
      { kind: 'reply', text: '{"ok": true}' },
    ])
    const prompts = (await transcript()).map(entry => ('prompts' in entry ? entry.prompts.map(({ name }) => name) : []))
    t.same(
      [prompts[0], prompts[2]],
      [
        ['resolve-system', 'resolve-user', 'data-rule', 'json-answer'],
        ['resolve-system', 'resolve-user', 'data-rule', 'json-answer', 'json-again'],
      ],
    )
    t.equal(server.requests.length, 2)

    const poor = await run(t, [{ text: 'yes', usage: USAGE }], ask, { input: { budget: { tokens: 50 } } })
    t.match(poor.job, { status: 'waiting', request: { kind: 'budget' } })
    t.equal(poor.server.requests.length, 1)
  },
)
