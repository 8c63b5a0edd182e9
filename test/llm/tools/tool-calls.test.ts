import { test } from 'tap'
import { Type } from '../../../src/core/type.ts'
import { ToolsRefusedError } from '../../../src/core/errors.ts'
import type { ToolDefinition } from '../../../src/llm/tools/tool-calls.ts'
import { failureOf, MESSAGES, scriptedLlm } from '../../helpers/scripted-llm.ts'

const READ: ToolDefinition = {
  name: 'read_code',
  description: 'Reads lines of a file.',
  parameters: Type.Object({ path: Type.String() }, { additionalProperties: false }),
}
const CALLS = [
  { name: 'read_code', arguments: { path: 'src/a.py' } },
  { name: 'read_code', arguments: { path: 'src/b.py' } },
]
const READ_CALLS = CALLS.map(({ name, arguments: given }) => ({ name, arguments: JSON.stringify(given) }))
const asked = (calls: readonly { name: string; arguments: string }[] | undefined) =>
  calls?.map(({ name, arguments: given }) => ({ name, arguments: given }))

for (const isStreamed of [false, true]) {
  const how = isStreamed ? 'streamed' : 'plain'
  const hooks = isStreamed ? { onToken: () => {} } : {}

  test(`tools are offered as the protocol has them, and calls come back in order (${how})`, async t => {
    const { llm, server } = await scriptedLlm(t, [{ text: 'Let me look.', toolCalls: CALLS }, { text: 'done' }])
    const first = await llm.complete({ messages: MESSAGES, tools: [READ], ...hooks })
    t.match(server.requests[0]?.body, {
      tools: [{ type: 'function', function: { name: 'read_code', parameters: { type: 'object' } } }],
      tool_choice: undefined,
    })
    t.same(asked(first.toolCalls), READ_CALLS)
    t.match(first, { text: 'Let me look.', finishReason: 'tool_calls', usage: { llmCalls: 1 } })
    t.ok(first.usage.completionTokens > 0)

    const [one, two] = first.toolCalls ?? []
    const second = await llm.complete({
      messages: [
        ...MESSAGES,
        { role: 'assistant', content: '', toolCalls: first.toolCalls },
        { role: 'tool', content: 'x = 1', toolCallId: one?.id ?? '' },
        { role: 'tool', content: 'y = 2', toolCallId: two?.id ?? '' },
      ],
      tools: [READ],
      toolChoice: 'none',
      ...hooks,
    })
    t.equal(second.text, 'done')
    t.equal(second.toolCalls, undefined)
    t.match(server.requests[1]?.body, {
      tool_choice: 'none',
      messages: [
        { role: 'user' },
        { role: 'assistant', content: null, tool_calls: [{ type: 'function', id: one?.id }, { id: two?.id }] },
        { role: 'tool', tool_call_id: one?.id, content: 'x = 1' },
        { role: 'tool', tool_call_id: two?.id, content: 'y = 2' },
      ],
    })
  })

  test(`a reply of calls alone is an answer, and costs one request (${how})`, async t => {
    const { llm, server } = await scriptedLlm(t, [{ toolCalls: CALLS }])
    const { text, toolCalls } = await llm.complete({ messages: MESSAGES, tools: [READ], ...hooks })
    t.equal(text, '')
    t.same(asked(toolCalls), READ_CALLS)
    t.equal(server.requests.length, 1)
  })

  test(`calls without ids or numbers get ids of their own (${how})`, async t => {
    const { llm } = await scriptedLlm(t, [{ toolCalls: CALLS, looseCalls: true }])
    const { toolCalls = [] } = await llm.complete({ messages: MESSAGES, tools: [READ], ...hooks })
    t.same(asked(toolCalls), READ_CALLS)
    t.equal(new Set(toolCalls.map(({ id }) => id)).size, 2)
  })

  test(`a model that takes no tools is remembered, and nothing is sent for it again (${how})`, async t => {
    const refusesTools = { status: 400, message: 'registry.example/small does not support tools' }
    const { llm, server } = await scriptedLlm(t, [{ refusesTools, text: 'unused' }, { text: 'fine' }])
    const first = await failureOf(llm.complete({ messages: MESSAGES, tools: [READ], ...hooks }))
    t.ok(first instanceof ToolsRefusedError)
    t.match(first, { code: 'LLM_REJECTED', message: /does not support tools/, usage: { promptTokens: 0 } })
    t.ok((await failureOf(llm.complete({ messages: MESSAGES, tools: [READ] }))) instanceof ToolsRefusedError)
    t.equal(server.requests.length, 1)
    t.equal((await llm.complete({ messages: MESSAGES, afterToolsRefused: true, ...hooks })).text, 'fine')
  })
}

test('a refusal in other words is remembered once the same is answered without tools', async t => {
  const refusesTools = { status: 422, message: 'extra fields not permitted' }
  const { llm, server } = await scriptedLlm(t, [{ refusesTools }, { refusesTools }, { text: 'fine' }])
  const ask = () => failureOf(llm.complete({ messages: MESSAGES, tools: [READ] }))
  t.ok((await ask()) instanceof ToolsRefusedError)
  t.ok((await ask()) instanceof ToolsRefusedError)
  t.equal(server.requests.length, 2, 'it may have been about something else')
  await llm.complete({ messages: MESSAGES, afterToolsRefused: true })
  t.ok((await ask()) instanceof ToolsRefusedError)
  t.equal(server.requests.length, 3)
})

test('a server that does not know how to call none is asked with tools again', async t => {
  const refusesTools = { status: 400, message: 'tool_choice: "none" is not supported' }
  const { llm } = await scriptedLlm(t, [{ refusesTools }, { toolCalls: CALLS }])
  const asked = { messages: MESSAGES, tools: [READ] }
  t.ok((await failureOf(llm.complete({ ...asked, toolChoice: 'none' }))) instanceof ToolsRefusedError)
  t.ok((await llm.complete(asked)).toolCalls)
})

test('a fault of the server that speaks of tools is a refusal, other faults are tried again', async t => {
  const { llm, server } = await scriptedLlm(t, [
    { status: 500, body: { error: { message: 'overheated' } } },
    { status: 500, body: { error: { message: 'tools param requires --jinja flag' } } },
  ])
  t.ok((await failureOf(llm.complete({ messages: MESSAGES, tools: [READ] }))) instanceof ToolsRefusedError)
  t.equal(server.requests.length, 2)
})

test('a request that is too long, or whose key is refused, is no refusal of tools', async t => {
  const { llm } = await scriptedLlm(t, [
    { status: 400, body: { error: { message: 'too many tokens', code: 'context_length_exceeded' } } },
    { status: 401, body: { error: { message: 'bad key' } } },
  ])
  t.match(await failureOf(llm.complete({ messages: MESSAGES, tools: [READ] })), { code: 'LLM_REQUEST_TOO_LARGE' })
  const failure = await failureOf(llm.complete({ messages: MESSAGES, tools: [READ] }))
  t.match(failure, { code: 'LLM_REJECTED' })
  t.notOk(failure instanceof ToolsRefusedError)
})

test('tools and calls count against the context of a model', async t => {
  const { llm, server } = await scriptedLlm(t, [], {
    sizes: { contexts: new Map([['big', 1_000]]), countTokens: text => text.length },
    maxOutputTokens: 100,
  })
  const long = { ...READ, description: 'x'.repeat(1_000) }
  t.match(await failureOf(llm.complete({ messages: MESSAGES, tools: [long] })), { code: 'LLM_REQUEST_TOO_LARGE' })
  const toolCalls = [{ id: 'a', name: 'read_code', arguments: JSON.stringify({ path: 'y'.repeat(1_000) }) }]
  const messages = [...MESSAGES, { role: 'assistant' as const, content: '', toolCalls }]
  t.match(await failureOf(llm.complete({ messages })), { code: 'LLM_REQUEST_TOO_LARGE' })
  t.equal(server.requests.length, 0)
})

test('secrets leave neither in results of tools nor in the calls that are sent back', async t => {
  const { llm, server } = await scriptedLlm(t, [{ text: 'fine' }])
  const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB'
  const toolCalls = [{ id: 'a', name: 'search_code', arguments: JSON.stringify({ query: `token ${secret}` }) }]
  const { redactions } = await llm.complete({
    messages: [
      ...MESSAGES,
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', content: `TOKEN = "${secret}"`, toolCallId: 'a' },
    ],
    tools: [READ],
  })
  const sent = JSON.stringify(server.requests[0]?.body)
  t.notMatch(sent, secret)
  t.equal(redactions, 1)
  const [, assistant] = server.requests[0]?.body?.messages as Array<{
    tool_calls?: Array<{ function: { arguments: string } }>
  }>
  t.type(JSON.parse(assistant?.tool_calls?.[0]?.function.arguments ?? '').query, 'string')
})
