import { test } from 'tap'
import type { Usage } from '../../src/core/job.ts'
import type { LlmOptions } from '../../src/llm/client/client.ts'
import type { Reply } from '../fakes/model-server.ts'
import { failureOf, MESSAGES, scriptedLlm } from '../helpers/scripted-llm.ts'

const PRICES = new Map([
  ['big', { input: 1, output: 2 }],
  ['small', { input: 10, output: 20 }],
])
const REPORTED = { prompt_tokens: 100, completion_tokens: 50 }
/** A word is a token; the one message has four, its frame another seven. */
const WORDS: Partial<LlmOptions> = {
  prices: PRICES,
  sizes: { contexts: new Map(), countTokens: text => text.split(/\s+/).filter(word => word !== '').length },
}
const PROMPT = 4 + 7
const costing = (llmCalls: number, promptTokens: number, completionTokens: number): Usage => ({
  llmCalls,
  promptTokens,
  completionTokens,
  usd: (promptTokens + 2 * completionTokens) / 1e6,
})

test('a useless reply is paid for, with the answer that came later, and when none came', async t => {
  const empty = { text: '', usage: REPORTED }
  const answer = { text: 'fine', usage: { prompt_tokens: 100, completion_tokens: 1 } }
  const late = await scriptedLlm(t, [empty, answer], { prices: PRICES })
  t.same((await late.llm.complete({ messages: MESSAGES })).usage, costing(2, 200, 51))
  const never = await scriptedLlm(t, [empty, empty, empty], { prices: PRICES })
  t.same((await failureOf(never.llm.complete({ messages: MESSAGES }))).usage, costing(3, 300, 150))
  const other = await scriptedLlm(t, [empty, empty, empty, answer], { prices: PRICES, fallbackModels: ['small'] })
  t.match(
    (await other.llm.complete({ messages: MESSAGES })).usage,
    { llmCalls: 4, usd: (600 + 1020) / 1e6 },
    'each at its own price',
  )
})

test('what a server does not count is estimated, and said to be', async t => {
  for (const onToken of [undefined, () => {}]) {
    const { llm } = await scriptedLlm(t, [{ text: 'two words', usage: null }], WORDS)
    t.match(await llm.complete({ messages: MESSAGES, onToken }), { usageReported: false, usage: costing(1, PROMPT, 2) })
  }
})

const BROKEN: Array<[what: string, reply: Reply, streamed: boolean, usage: Usage]> = [
  ['a stream that was cut', { text: 'one two three four', cutAfter: 2 }, true, costing(3, 3 * PROMPT, 3 * 2)],
  ['a stream that ended too early', { text: 'one two', noFinish: true }, true, costing(3, 3 * PROMPT, 3 * 2)],
  ['an error after some tokens', { text: 'one two three', errorAfter: 1 }, true, costing(3, 3 * PROMPT, 3)],
  ['thoughts that were cut', { reasoning: 'hm hm hm', text: 'one', cutAfter: 0 }, true, costing(3, 3 * PROMPT, 3 * 3)],
  ['a plain answer that was cut', { text: 'one two three', cutAfter: 1 }, false, costing(3, 3 * PROMPT, 0)],
  ['an empty answer that the server counted', { text: '', usage: REPORTED }, true, costing(3, 300, 150)],
]

for (const [what, reply, streamed, usage] of BROKEN) {
  test(`${what} costs the prompt and what came of it`, async t => {
    const { llm, calls, server } = await scriptedLlm(t, [reply, reply, reply], WORDS)
    const spent: Usage[] = []
    const error = await failureOf(
      llm.complete({ messages: MESSAGES, onToken: streamed ? () => {} : undefined, onSpent: told => spent.push(told) }),
    )
    t.same(error.usage, usage)
    t.same(spent, [usage], 'told once')
    t.match(calls, [{ usage }])
    t.equal(server.requests.length, 3)
  })
}

for (const [what, reply, options] of [
  ['silence before the first token', { hang: true }, { firstTokenTimeoutMs: 300 }],
  ['silence between two tokens', { text: 'one two', hangAfter: 0 }, { firstTokenTimeoutMs: 300, tokenTimeoutMs: 300 }],
] as Array<[string, Reply, Partial<LlmOptions>]>) {
  test(`${what} costs the prompt: the model may have read it`, async t => {
    const { llm } = await scriptedLlm(t, [reply, reply, reply], { ...WORDS, ...options })
    t.same((await failureOf(llm.complete({ messages: MESSAGES, onToken: () => {} }))).usage, costing(3, 3 * PROMPT, 0))
  })
}

test('an abort costs the prompt and the tokens that had come, which the caller is told', async t => {
  const { llm, server } = await scriptedLlm(t, [{ text: 'one two three four', hangAfter: 3 }], WORDS)
  const abort = new AbortController()
  const spent: Usage[] = []
  const heard: string[] = []
  await t.rejects(
    llm.complete({
      messages: MESSAGES,
      signal: abort.signal,
      onSpent: usage => spent.push(usage),
      onToken(text) {
        heard.push(text)
        if (heard.length === 3) abort.abort(new Error('cancelled'))
      },
    }),
    { message: 'cancelled' },
  )
  t.same(spent, [costing(1, PROMPT, 3)])
  t.equal(server.requests.length, 1)

  const waiting = await scriptedLlm(t, [{ hang: true }], WORDS)
  const plain = new AbortController()
  const call = waiting.llm.complete({ messages: MESSAGES, signal: plain.signal, onSpent: usage => spent.push(usage) })
  await waiting.server.waitForRequest(1)
  plain.abort(new Error('cancelled'))
  await t.rejects(call, { message: 'cancelled' })
  t.same(spent[1], costing(1, PROMPT, 0))
})

test('a refusal, an error status and an error instead of an answer cost nothing', async t => {
  for (const reply of [
    { status: 400 },
    { status: 503 },
    { status: 429 },
    { errorIn200: true },
    { malformed: 'html' as const },
    { refuse: true },
  ]) {
    for (const onToken of [undefined, () => {}]) {
      const { llm } = await scriptedLlm(t, [reply, reply, reply], WORDS)
      t.match(
        (await failureOf(llm.complete({ messages: MESSAGES, onToken }))).usage,
        { promptTokens: 0, completionTokens: 0, usd: null },
        JSON.stringify(reply),
      )
    }
  }
})

test('a reply of megabytes that broke off is estimated by its beginning', async t => {
  const counted: number[] = []
  const countTokens = (text: string) => {
    counted.push(text.length)
    return Math.ceil(text.length / 5)
  }
  const { llm } = await scriptedLlm(t, [{ endless: 'text' }], {
    sizes: { contexts: new Map(), countTokens },
    maxReplyBytes: 1_000_000,
  })
  const { usage } = await failureOf(llm.complete({ messages: MESSAGES, onToken: () => {} }))
  t.ok(Math.abs(usage.completionTokens - 200_000) < 2_000, `${usage.completionTokens}`)
  t.ok(Math.max(...counted) <= 410_000)
})
