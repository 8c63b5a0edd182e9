import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test, type Test } from 'tap'
import { Type } from 'typebox'
import type { JsonObject } from '../../../src/core/job.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { createLlm, type LlmOptions } from '../../../src/llm/client.ts'
import { completeJson } from '../../../src/llm/complete-json.ts'
import { createPrompts } from '../../../src/llm/prompts.ts'
import { askModel, askModelForJson, type AskModelDeps, type ModelQuestion } from '../../../src/pipelines/steps/ask-model.ts'
import { startModelServer, type Reply } from '../../fakes/model-server.ts'
import { openJobs } from '../../helpers/open-jobs.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'

const QUESTION: ModelQuestion = {
  system: { prompt: 'resolve-system', slots: { locale: 'en' } },
  turns: [{
    prompt: 'resolve-user',
    data: { stacktrace: { label: 'stack trace', text: 'PASSWORD=hunter22' }, frames: { label: 'frames', text: 'a.py:1' }, context: { label: 'a.py', text: '1 / 0' } },
  }],
}
const USAGE = { prompt_tokens: 100, completion_tokens: 10 }
const Verdict = Type.Object({ ok: Type.Boolean() })
const sha256 = (prompt: string) => createHash('sha256').update(readFileSync(new URL(`../../../prompts/${prompt}.md`, import.meta.url), 'utf8').trimEnd()).digest('hex')

type Body = (context: JobContext, deps: AskModelDeps) => Promise<unknown>

/** A job with that body over a real client of a scripted server, settled. */
async function run (t: Test, replies: Reply[], body: Body, { options = {}, input = {} }: { options?: Partial<LlmOptions>, input?: JsonObject } = {}) {
  const server = await startModelServer({ chat: replies })
  t.teardown(() => server.close())
  const llm = createLlm({ baseUrl: server.baseUrl, apiKey: null, model: 'big', sleep: async () => {}, random: () => 0, prices: new Map([['big', { input: 1, output: 10 }]]), ...options })
  const deps = { complete: llm.complete, completeJson, prompts: createPrompts() }
  const opened = openJobs(t, { generate: scriptedJob(context => body(context, deps)) }, { knowsPrices: true })
  const { job } = opened.jobs.create('generate', input)
  const settle = () => opened.jobs.settled(job.id, 10_000)
  return { ...opened, server, settle, job: await settle(), events: () => opened.jobs.events(job.id, 0), transcript: () => opened.jobs.transcript(job.id).entries.map(({ step, entry }) => ({ step, ...entry })) }
}

test('a reply becomes a step; what was sent and said, its cost and its redactions are the job\'s', async t => {
  const { job, server, transcript } = await run(t, [{ text: 'It divides by 0.', usage: USAGE }], (context, deps) => askModel(context, deps, 'explain', QUESTION))
  t.match(job, { status: 'succeeded', result: { text: 'It divides by 0.', model: 'big', finishReason: 'stop' }, usage: { llmCalls: 1, promptTokens: 100, completionTokens: 10, usd: 200 / 1e6 }, redactions: 1 })
  const sent = server.requests[0]?.body?.messages
  t.match(transcript(), [
    { step: 'explain', kind: 'messages', model: 'big', redactions: 1, prompts: ['data-rule', 'resolve-system', 'resolve-user'].map(name => ({ name, sha256: sha256(name) })) },
    { step: 'explain', kind: 'reply', model: 'big', text: 'It divides by 0.', finishReason: 'stop', usage: { llmCalls: 1 } },
  ])
  t.same((transcript()[0] as { messages?: unknown }).messages, sent, 'as they left')
  t.notMatch(JSON.stringify(transcript()), 'hunter22')
  t.equal(server.requests.length, 1)
})

test('tokens are events of the job, and so is that an answer begins again', async t => {
  const { job, events } = await run(t, [{ text: 'one two three', cutAfter: 2 }, { text: 'one two three' }], (context, deps) => askModel(context, deps, 'explain', QUESTION))
  t.equal(job.status, 'succeeded')
  const told = events().filter(({ event }) => event === 'token' || event === 'log').map(({ event, data }) => `${event}: ${String(data.text)}`)
  t.same(told, ['token: one two', 'log: The model begins its answer again; the tokens so far are void.', 'token: one two three'])
})

test('a budget that is used up makes the job wait before the next call; raised, it goes on and repeats no call that was answered', async t => {
  const replies = Array.from({ length: 2 }, (_, i) => ({ text: `reply ${i}`, usage: USAGE }))
  const { job, jobs, server, settle } = await run(t, replies, async (context, deps) => {
    const first = await askModel(context, deps, 'explain', QUESTION)
    const second = await askModel(context, deps, 'explain', QUESTION)
    return [first.text, second.text]
  }, { input: { budget: { tokens: 100 } } })
  t.match(job, { status: 'waiting', request: { kind: 'budget', spent: { tokens: 110 } }, usage: { llmCalls: 1 } })
  t.equal(server.requests.length, 1)
  jobs.reply(job.id, { budget: { tokens: 1000 } }, null)
  t.match(await settle(), { status: 'succeeded', result: ['reply 0', 'reply 1'], usage: { llmCalls: 2, promptTokens: 200 } })
  t.equal(server.requests.length, 2)
})

test('a call that fails is in the transcript with what it cost', async t => {
  const { job, server, transcript } = await run(t, Array.from({ length: 3 }, () => ({ text: '', usage: USAGE })), (context, deps) => askModel(context, deps, 'explain', QUESTION))
  t.match(job, { status: 'failed', error: { code: 'LLM_BAD_REPLY', step: 'explain' }, usage: { llmCalls: 3, promptTokens: 300 }, redactions: 1 })
  t.match(transcript(), [{ kind: 'messages' }, { kind: 'model_error', model: 'big', code: 'LLM_BAD_REPLY', usage: { llmCalls: 3 } }])
  t.equal(server.requests.length, 3)
})

test('a request that is too large costs nothing and leaves no message', async t => {
  const { job, server, transcript } = await run(t, [], (context, deps) => askModel(context, deps, 'explain', QUESTION), { options: { sizes: { contexts: new Map([['big', 500]]), countTokens: text => text.length } } })
  t.match(job, { status: 'failed', error: { code: 'LLM_REQUEST_TOO_LARGE', fix: /tokens less/ }, usage: { llmCalls: 0 }, redactions: 0 })
  t.match(transcript(), [{ kind: 'model_error', code: 'LLM_REQUEST_TOO_LARGE' }])
  t.equal(server.requests.length, 0)
})

test('a cancelled job ends its call at the server, too', async t => {
  const server = await startModelServer({ chat: [{ text: 'one two', hangAfter: 1 }] })
  t.teardown(() => server.close())
  const llm = createLlm({ baseUrl: server.baseUrl, apiKey: null, model: 'big' })
  const { jobs } = openJobs(t, { generate: scriptedJob(context => askModel(context, { complete: llm.complete, completeJson, prompts: createPrompts() }, 'explain', QUESTION)) })
  const { job } = jobs.create('generate', {})
  const request = await server.waitForRequest(1)
  jobs.cancel(job.id)
  t.equal(await request.hungUp, true)
  t.match(await jobs.settled(job.id, 10_000), { status: 'cancelled' })
  t.equal(server.requests.length, 1)
})

test('an answer in JSON is checked; of two calls both are recorded, counted and checked against the budget', async t => {
  const ask: Body = (context, deps) => askModelForJson(context, deps, 'review', { ...QUESTION, json: { name: 'verdict', schema: Verdict } })
  const { job, server, transcript } = await run(t, [{ text: 'yes', usage: USAGE }, { text: '{"ok": true}', usage: USAGE }], ask)
  t.match(job, { status: 'succeeded', result: { value: { ok: true } }, usage: { llmCalls: 2, promptTokens: 200 }, redactions: 2 })
  t.match(transcript(), [{ kind: 'messages' }, { kind: 'reply', text: 'yes' }, { kind: 'messages' }, { kind: 'reply', text: '{"ok": true}' }])
  const prompts = transcript().map(entry => 'prompts' in entry ? entry.prompts.map(({ name }) => name) : [])
  t.same([prompts[0], prompts[2]], [['data-rule', 'resolve-system', 'resolve-user', 'json-answer'], ['data-rule', 'resolve-system', 'resolve-user', 'json-answer', 'json-again']])
  t.equal(server.requests.length, 2)

  const poor = await run(t, [{ text: 'yes', usage: USAGE }], ask, { input: { budget: { tokens: 50 } } })
  t.match(poor.job, { status: 'waiting', request: { kind: 'budget' } })
  t.equal(poor.server.requests.length, 1)
})
