import { test } from 'tap'
import { failureOf, MESSAGES, scriptedLlm } from '../../helpers/scripted-llm.ts'

test('when a stream breaks after tokens, onRestart comes before the tokens of the next try', async t => {
  const { server, llm } = await scriptedLlm(t, [
    { text: 'one two three', cutAfter: 2 },
    { status: 500 },
    { text: 'one two three' },
  ])
  const heard: string[] = []
  const completion = await llm.complete({
    messages: MESSAGES,
    onToken: text => {
      heard.push(text)
    },
    onRestart: () => {
      heard.push('RESTART')
    },
  })
  t.same(heard, ['one', ' two', 'RESTART', 'one', ' two', ' three'])
  t.equal(completion.text, 'one two three')
  t.equal(server.requests.length, 3)
})

test('a stream longer than the byte cap is whole as long as its text is not', async t => {
  const { llm } = await scriptedLlm(t, [{ text: 'a '.repeat(200).trim() }], { maxReplyBytes: 1000 })
  t.equal((await llm.complete({ messages: MESSAGES, onToken: () => {} })).text.length, 399)
})

test('a stream whose one event never ends is cut off at the byte cap', async t => {
  const { server, llm } = await scriptedLlm(t, [{ text: 'a'.repeat(100_000) }], { maxReplyBytes: 1000 })
  t.equal((await failureOf(llm.complete({ messages: MESSAGES, onToken: () => {} }))).code, 'LLM_BAD_REPLY')
  t.equal(server.requests.length, 1)
})

test('what onToken throws ends the call as it is', async t => {
  const { server, llm } = await scriptedLlm(t, [{ text: 'one two', hangAfter: 1 }])
  await t.rejects(
    llm.complete({
      messages: MESSAGES,
      onToken: () => {
        throw new TypeError('a bug of the caller')
      },
    }),
    { message: 'a bug of the caller' },
  )
  t.equal(await server.requests[0]?.hungUp, true)
  t.equal(server.requests.length, 1)
})

test('who takes cut replies gets a stream without a reason as far as it goes, and a filtered reply without a word', async t => {
  const { server, llm } = await scriptedLlm(t, [
    { text: 'one two', noFinish: true },
    { text: '', finishReason: 'content_filter' },
    { text: '', finishReason: 'content_filter' },
    { text: '', noFinish: true },
    { text: 'fine' },
  ])
  const streamed = { messages: MESSAGES, takesCut: true, onToken: () => {} }
  t.match(await llm.complete(streamed), { text: 'one two', finishReason: 'none', attempts: 1 })
  t.match(await llm.complete(streamed), { text: '', finishReason: 'content_filter', attempts: 1 })
  t.match(await llm.complete({ messages: MESSAGES, takesCut: true }), { text: '', finishReason: 'content_filter' })
  t.match(await llm.complete(streamed), { text: 'fine', attempts: 2 }, 'nothing at all is asked for again')
  t.equal(server.requests.length, 5)
})
