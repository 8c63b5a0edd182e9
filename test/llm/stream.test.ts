import { test } from 'tap'
import { MESSAGES, scriptedLlm } from '../helpers/scripted-llm.ts'

test('a stream may last longer than its longest allowed silence', async t => {
  const { server, llm } = await scriptedLlm(t, [{ text: 'one two three four', pauseMs: 120 }], { tokenTimeoutMs: 400 })
  t.match(await llm.complete({ messages: MESSAGES, onToken: () => {} }), { text: 'one two three four', attempts: 1 })
  t.equal(server.requests.length, 1)
})
