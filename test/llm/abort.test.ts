import { once } from 'node:events'
import { test } from 'tap'
import type { Reply } from '../fakes/model-server.ts'
import { MESSAGES, scriptedLlm } from '../helpers/scripted-llm.ts'
import { silentPort } from '../helpers/silent-port.ts'

const MOMENTS: Array<[moment: string, reply: Reply, streamed: boolean, when: 'sent' | 'token']> = [
  ['before the head of a plain answer', { hang: true }, false, 'sent'],
  ['in the body of a plain answer', { text: 'one two', hangAfter: 1 }, false, 'sent'],
  ['before the head of a stream', { hang: true }, true, 'sent'],
  ['before the first token', { text: 'one two', hangAfter: 0 }, true, 'sent'],
  ['between two tokens', { text: 'one two', hangAfter: 1 }, true, 'token'],
  ['in a flood of tokens', { endless: 'text' }, true, 'token'],
]

for (const [moment, reply, streamed, when] of MOMENTS) {
  test(`an abort ${moment} ends the request at the server, too, and sends no other`, async t => {
    const { server, calls, llm } = await scriptedLlm(t, [reply], {
      fallbackModels: ['small'],
      firstTokenTimeoutMs: 60_000,
      tokenTimeoutMs: 60_000,
    })
    const abort = new AbortController()
    const reason = new Error('the job was cancelled')
    const completion = llm.complete({
      messages: MESSAGES,
      signal: abort.signal,
      onToken: streamed
        ? () => {
            if (when === 'token') abort.abort(reason)
          }
        : undefined,
    })
    const request = await server.waitForRequest(1)
    if (when === 'sent') setTimeout(() => abort.abort(reason), 30) // the part of the answer that comes is read by then
    await t.rejects(completion, reason)
    t.equal(await request.hungUp, true)
    t.equal(server.requests.length, 1)
    t.match(calls, { length: 1, 0: { outcome: 'cancelled', usage: { llmCalls: 1 } } })
  })
}

test('an abort while waiting for the next try ends the wait', async t => {
  const waiting = Promise.withResolvers<void>()
  const { server, llm } = await scriptedLlm(t, [{ status: 503 }], {
    sleep: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('woken')))
        waiting.resolve()
      }),
  })
  const abort = new AbortController()
  const completion = llm.complete({ messages: MESSAGES, signal: abort.signal })
  await waiting.promise
  abort.abort(new Error('the job was cancelled'))
  await t.rejects(completion, { message: 'the job was cancelled' })
  t.equal(server.requests.length, 1)
})

test('an abort while connecting ends the call at once, and the connection when its own time is over', async t => {
  const { port, sockets } = await silentPort(t)
  const { llm } = await scriptedLlm(t, [], { baseUrl: `https://127.0.0.1:${port}/v1`, connectTimeoutMs: 1000 })
  const abort = new AbortController()
  const completion = llm.complete({ messages: MESSAGES, signal: abort.signal })
  while (sockets.length === 0) {
    await new Promise(resolve => {
      setImmediate(resolve)
    })
  }
  const closed = sockets.map(socket => once(socket, 'close'))
  abort.abort(new Error('cancelled'))
  await t.rejects(completion, { message: 'cancelled' })
  await Promise.all(closed)
})

test('an aborted signal sends nothing', async t => {
  for (const onToken of [undefined, () => {}]) {
    const { server, llm } = await scriptedLlm(t, [{ text: 'never' }])
    await t.rejects(llm.complete({ messages: MESSAGES, onToken, signal: AbortSignal.abort() }), { name: 'AbortError' })
    t.equal(server.requests.length, 0)
  }
})
