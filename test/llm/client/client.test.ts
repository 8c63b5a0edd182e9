import { test } from 'tap'
import { MESSAGES, scriptedLlm } from '../../helpers/scripted-llm.ts'

test('a plain answer comes back with its usage and is one request with the key, the limit and no stream', async t => {
  const { server, llm } = await scriptedLlm(
    t,
    [{ text: 'Because of line 42.', usage: { prompt_tokens: 1000, completion_tokens: 500 } }],
    {
      prices: new Map([['big', { input: 2, output: 8 }]]),
      maxOutputTokens: 99,
      headers: { 'x-title': 'Faultline' },
    },
  )
  const completion = await llm.complete({ messages: MESSAGES, temperature: 0.2 })
  t.same(completion, {
    text: 'Because of line 42.',
    model: 'big',
    usage: { llmCalls: 1, promptTokens: 1000, completionTokens: 500, usd: 0.006 },
    usageReported: true,
    finishReason: 'stop',
    attempts: 1,
    redactions: 0,
  })
  t.equal(server.requests.length, 1)
  const [request] = server.requests
  t.equal(request?.path, '/v1/chat/completions')
  t.equal(request?.headers.authorization, 'Bearer key-0123456789')
  t.equal(request?.headers['x-title'], 'Faultline')
  t.same(request?.body, { model: 'big', messages: MESSAGES, max_tokens: 99, temperature: 0.2 })
})

test('a server without a key is sent no Authorization header', async t => {
  const { server, llm } = await scriptedLlm(t, [{ text: 'yes' }], { apiKey: null })
  await llm.complete({ messages: MESSAGES })
  t.equal(server.requests[0]?.headers.authorization, undefined)
})

test('a streamed answer arrives in pieces that add up to its text, with the usage of the last event', async t => {
  const { server, llm } = await scriptedLlm(t, [
    { text: 'one two three', reasoning: 'hm', usage: { prompt_tokens: 7, completion_tokens: 3 } },
  ])
  const pieces: string[] = []
  const completion = await llm.complete({
    messages: MESSAGES,
    onToken: text => {
      pieces.push(text)
    },
  })
  t.same(pieces, ['one', ' two', ' three'])
  t.match(completion, {
    text: 'one two three',
    finishReason: 'stop',
    usage: { promptTokens: 7, completionTokens: 3, usd: null },
  })
  t.equal(server.requests.length, 1)
  t.match(server.requests[0]?.body, { stream: true, stream_options: { include_usage: true } })
})

test('the first token is passed on before the last one exists', async t => {
  const rest = Promise.withResolvers<void>()
  const { llm } = await scriptedLlm(t, [{ text: 'first last', slowTokensUntil: rest.promise }])
  const first = Promise.withResolvers<string>()
  const completion = llm.complete({ messages: MESSAGES, onToken: text => first.resolve(text) })
  t.equal(await first.promise, 'first')
  rest.resolve()
  t.equal((await completion).text, 'first last')
})

test('a model named by the request is asked first, and the fallback models stay', async t => {
  const { server, llm } = await scriptedLlm(t, [{ status: 500 }, { status: 500 }, { status: 500 }, { text: 'fine' }], {
    fallbackModels: ['small', 'other'],
  })
  t.equal((await llm.complete({ messages: MESSAGES, model: 'other' })).model, 'small')
  t.same(
    server.requests.map(request => request.body?.model),
    ['other', 'other', 'other', 'small'],
  )
})

test('a model that is also a fallback is tried once, whichever place it has among them', async t => {
  const failed = { status: 500 }
  for (const fallbackModels of [
    ['big', 'small'],
    ['small', 'big'],
  ]) {
    const { server, llm } = await scriptedLlm(
      t,
      Array.from({ length: 12 }, () => failed),
      { fallbackModels },
    )
    await t.rejects(llm.complete({ messages: MESSAGES, model: 'big' }))
    const models = server.requests.map(request => request.body?.model)
    t.same(models, ['big', 'big', 'big', 'small', 'small', 'small'], fallbackModels.join())
  }
})
