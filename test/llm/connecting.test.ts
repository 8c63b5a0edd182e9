import { test } from 'tap'
import { failureOf, MESSAGES, scriptedLlm } from '../helpers/scripted-llm.ts'
import { silentPort } from '../helpers/silent-port.ts'

const FREE = { promptTokens: 0, completionTokens: 0, usd: null }

test('a connection that does not come about is given up in its own time, and tried again', async t => {
  const { port, sockets } = await silentPort(t)
  // it connects, but no handshake comes
  const { llm } = await scriptedLlm(t, [], { baseUrl: `https://127.0.0.1:${port}/v1`, connectTimeoutMs: 600 })
  const error = await failureOf(llm.complete({ messages: MESSAGES }))
  t.match(error, {
    code: 'LLM_UNAVAILABLE',
    message: /3 attempts: the connection failed \(UND_ERR_CONNECT_TIMEOUT\)/,
    usage: { llmCalls: 3, ...FREE },
  })
  t.equal(sockets.length, 3)
})

test('no server at all: three tries, none of which arrives, and no address in what is said', async t => {
  const { server, llm } = await scriptedLlm(t, [])
  await server.close()
  const error = await failureOf(llm.complete({ messages: MESSAGES }))
  t.match(error, {
    code: 'LLM_UNAVAILABLE',
    message: 'The model did not answer after 3 attempts: the connection failed (ECONNREFUSED).',
    fix: /LLM_BASE_URL/,
    usage: { llmCalls: 3, ...FREE },
  })
})

test('a port that takes connections and says nothing is given up in time', async t => {
  const { port, sockets } = await silentPort(t)
  const { llm } = await scriptedLlm(t, [], { baseUrl: `http://127.0.0.1:${port}/v1`, timeoutMs: 100 })
  t.match(await failureOf(llm.complete({ messages: MESSAGES })), {
    code: 'LLM_UNAVAILABLE',
    message: /1 attempt: no complete answer within 0\.1 s/,
  })
  t.equal(sockets.length, 1)
})
