import { test } from 'tap'
import { buildApp, listen } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { eventually } from '../helpers/processes.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { connect, textOf, VERSIONS, type Version } from './mcp-client.ts'

for (const version of Object.keys(VERSIONS) as Version[]) {
  test(`a client of ${version} lists the tools and resolves a trace`, async t => {
    const built = await buildApp(t)
    await cloneShop(t, built)
    const client = await connect(t, await listen(t, built), { version })
    t.equal(client.getNegotiatedProtocolVersion(), version)
    const { tools } = await client.listTools()
    t.match(
      tools.find(({ name }) => name === 'resolve_stack_trace'),
      { annotations: { readOnlyHint: true }, inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
    )
    const answer = await client.callTool({
      name: 'resolve_stack_trace',
      arguments: { project_name: 'shop', stacktrace: SHOP_TRACE },
    })
    t.notOk(answer.isError, textOf(answer))
    t.match(answer.structuredContent, {
      project_name: 'shop',
      frames_total: 2,
      sources: [{ path: 'src/shop/prices.py' }],
    })
    t.match(textOf(answer), /src\/shop\/prices\.py/)
    const failed = await client.callTool({
      name: 'resolve_stack_trace',
      arguments: { project_name: 'nothing', stacktrace: SHOP_TRACE },
    })
    t.match(failed, { isError: true, structuredContent: { code: 'PROJECT_NOT_FOUND', fix: /POST \/clone/ } })
  })
}

test('the same hosts, keys, methods and sizes as on other routes', async t => {
  const { app } = await buildApp(t, { env: { API_KEYS: 'ann:key-of-ann-with-some-length' } })
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const headers = { authorization: 'Bearer key-of-ann-with-some-length', accept: 'application/json, text/event-stream' }
  const ask = (options: object) => app.inject({ method: 'POST', url: '/mcp', headers, body: list, ...options })
  t.equal((await ask({})).statusCode, 200)
  t.match((await ask({ headers: { accept: headers.accept } })).json(), { code: 'UNAUTHORIZED' })
  t.match((await ask({ headers: { ...headers, host: 'evil.example' } })).json(), { code: 'FORBIDDEN_HOST' })
  t.match((await ask({ headers: { ...headers, origin: 'https://evil.example' } })).json(), { code: 'FORBIDDEN_ORIGIN' })
  t.equal((await ask({ method: 'GET', body: undefined })).statusCode, 405)
  t.equal((await ask({ method: 'DELETE', body: undefined })).statusCode, 405)
  const form = { ...headers, 'content-type': 'text/plain' }
  t.equal((await ask({ headers: form, body: JSON.stringify(list) })).statusCode, 415)
  t.match((await ask({ body: { ...list, params: { x: 'x'.repeat(17 * 1024 * 1024) } } })).json(), {
    code: 'PAYLOAD_TOO_LARGE',
  })
  t.match((await ask({ body: '{', headers: { ...headers, 'content-type': 'application/json' } })).json(), {
    code: 'MALFORMED_JSON',
  })
  for (const body of [[], {}, { jsonrpc: '1.0' }, null]) {
    const answer = await ask({
      body: JSON.stringify(body),
      headers: { ...headers, 'content-type': 'application/json' },
    })
    t.ok(answer.statusCode >= 400 && answer.statusCode < 500, `${JSON.stringify(body)} ${answer.statusCode}`)
  }
})

test('who hangs up leaves nothing behind that waits for an answer', async t => {
  const built = await buildApp(t, {
    definitions: {
      generate: scriptedJob(async ({ ask }) => await ask('q', { kind: 'clarification', question: 'Which?' })),
    },
  })
  const url = await listen(t, built)
  const { job } = await built.services.jobs.create('generate', {})
  await built.services.jobs.settled(job.id, 10_000)
  const call = { name: 'get_job', arguments: { id: job.id, wait: 60 } }
  const client = await connect(t, url)
  /** Before 2026-07-28 a client cancels by a message of its own, which no request without a session hears of. */
  const legacy = (signal: AbortSignal) =>
    fetch(new URL('/mcp', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      signal,
    }).then(response => response.text())
  const modern = (signal: AbortSignal) => client.callTool(call, { signal })
  for (const ask of [modern, legacy] as Array<(signal: AbortSignal) => Promise<unknown>>) {
    const leaving = new AbortController()
    const asked = ask(leaving.signal)
    t.ok(await eventually(() => built.app.requestsUnderWay() === 2), 'the call, and what it asks')
    leaving.abort()
    await t.rejects(asked)
    t.ok(await eventually(() => built.app.requestsUnderWay() === 0))
  }
})
