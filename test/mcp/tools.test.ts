import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { test, type Test } from 'tap'
import { buildApp, cloneInto, listen } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { connect, textOf } from './mcp-client.ts'

const READING = [
  'list_projects',
  'resolve_stack_trace',
  'get_resolution',
  'search_code',
  'read_code',
  'find_definition',
  'find_references',
  'explain_line_history',
  'get_job',
]
const WRITING = [
  'clone_repository',
  'fix_error',
  'run_task',
  'build_feature',
  'generate_program',
  'bisect',
  'reply_to_job',
  'cancel_job',
]
const SHOP = { project_name: 'shop' }

async function openShop(t: Test, env?: Record<string, string>) {
  const built = await buildApp(t, { env })
  return { ...built, url: await listen(t, built) }
}

/** Calls a tool that is to succeed; the client checks the answer against the schema that the tool has for it. */
async function called(t: Test, client: Client, name: string, args: Record<string, unknown>) {
  const answer = await client.callTool({ name, arguments: args })
  t.notOk(answer.isError, `${name}: ${textOf(answer)}`)
  t.ok(textOf(answer).length > 0, `${name} says something`)
  return { data: answer.structuredContent as Record<string, never>, text: textOf(answer) }
}

async function refused(t: Test, client: Client, [name, args, code]: [string, Record<string, unknown>, string]) {
  const answer = await client.callTool({ name, arguments: args })
  t.equal(answer.isError, true, name)
  t.match(answer.structuredContent, { code, detail: String }, name)
  t.match(textOf(answer), new RegExp(code))
}

test('every tool answers by its schema, with hints, and says what is wrong with its input', async t => {
  const { url, ...built } = await openShop(t)
  const shop = await cloneShop(t, built)
  await built.services.idle()
  const client = await connect(t, url)
  const { tools } = await client.listTools()
  t.same(tools.map(({ name }) => name).sort(), [...READING, ...WRITING].sort())
  for (const { name, annotations, description, outputSchema } of tools) {
    t.equal(annotations?.readOnlyHint, READING.includes(name), name)
    t.ok((description ?? '').length > 40)
    t.equal(outputSchema?.type, 'object')
  }

  const projects = await called(t, client, 'list_projects', {})
  t.match(projects.data, { data: [{ ...SHOP, index_state: 'ready' }], next_cursor: null })
  const resolved = await called(t, client, 'resolve_stack_trace', { ...SHOP, stacktrace: SHOP_TRACE })
  const { id } = resolved.data as unknown as { id: string }
  t.match((await called(t, client, 'get_resolution', { id })).data, { id, ...SHOP })
  t.match((await called(t, client, 'search_code', { ...SHOP, query: 'average price' })).data, { complete: true })
  const read = await called(t, client, 'read_code', { ...SHOP, path: 'src/shop/prices.py', start_line: 4 })
  t.match(read.text, / {4}4\| def average\(items\):/)
  t.match((await called(t, client, 'find_definition', { ...SHOP, name: 'average' })).data, { total: 1 })
  t.match((await called(t, client, 'find_references', { ...SHOP, name: 'average' })).data, { complete: true })
  const line = { ...SHOP, path: 'src/shop/prices.py', start_line: 6 }
  t.match((await called(t, client, 'explain_line_history', line)).data, {
    status: 'ok',
    data: [{ author: 'Ada Tester' }],
  })

  const cloned = await called(t, client, 'clone_repository', { url: shop.dir, ...SHOP })
  const job = (cloned.data as unknown as { id: string }).id
  t.match(cloned.text, new RegExp(`Job ${job} is (?:queued|running)`))
  t.match((await called(t, client, 'get_job', { id: job, wait: 30 })).data, { id: job, type: 'clone' })

  const missing = { project_name: 'nothing' }
  const nowhere = '0c4ff1a5-0000-4000-8000-000000000000'
  for (const wrong of [
    ['resolve_stack_trace', { ...missing, stacktrace: 'x' }, 'PROJECT_NOT_FOUND'],
    ['resolve_stack_trace', { ...SHOP, stacktrace: '---' }, 'NO_STACK_TRACE'],
    ['get_resolution', { id: 'res_000000000000000000000000' }, 'RESOLUTION_NOT_FOUND'],
    ['search_code', { ...missing, query: 'x' }, 'PROJECT_NOT_FOUND'],
    ['search_code', { ...SHOP, query: 'x', ref: 'no-such-ref' }, 'REF_NOT_FOUND'],
    ['read_code', { ...SHOP, path: '../../etc/passwd' }, 'BAD_PATH'],
    ['read_code', { ...SHOP, path: 'src/prices.py' }, 'FILE_NOT_FOUND'],
    ['find_definition', { ...SHOP, name: 'nothing_like_it' }, 'NAME_NOT_FOUND'],
    ['find_references', { ...SHOP, name: 'nothing_like_it' }, 'NAME_NOT_FOUND'],
    ['explain_line_history', { ...line, start_line: 99 }, 'VALIDATION_FAILED'],
    ['clone_repository', { url: 'file:///etc' }, 'LOCAL_REPOSITORY_REFUSED'],
    ['fix_error', { ...SHOP, stacktrace: SHOP_TRACE }, 'LLM_NOT_CONFIGURED'],
    ['run_task', { ...SHOP, description: 'x' }, 'LLM_NOT_CONFIGURED'],
    ['build_feature', { ...SHOP, request: 'x' }, 'LLM_NOT_CONFIGURED'],
    ['generate_program', { prompt: 'x' }, 'LLM_NOT_CONFIGURED'],
    ['bisect', { ...missing, command: 'true', good: 'v1' }, 'PROJECT_NOT_FOUND'],
    ['get_job', { id: nowhere }, 'JOB_NOT_FOUND'],
    ['reply_to_job', { id: nowhere, decision: 'approve' }, 'JOB_NOT_FOUND'],
    ['cancel_job', { id: nowhere }, 'JOB_NOT_FOUND'],
  ] satisfies Array<[string, Record<string, unknown>, string]>) {
    await refused(t, client, wrong as [string, Record<string, unknown>, string])
  }
  for (const [args, words] of [
    [{ ...SHOP }, /query is required/],
    [{ ...SHOP, query: 3 }, /query must be string/],
    [{ ...SHOP, query: 'x', limit: 0, offset: -1 }, /offset must be >= 0; limit must be >= 1/],
    [{ ...SHOP, query: 'x', limit: '5' }, /limit must be integer/],
    [undefined, /query is required/],
  ] as const) {
    const answer = await client.callTool({ name: 'search_code', arguments: args })
    t.match(answer, { isError: true, structuredContent: { code: 'VALIDATION_FAILED', detail: words, fix: /schema/ } })
  }
  for (const { name } of tools) {
    const answer = await client.callTool({ name, arguments: { surprise: 1 } })
    t.match(answer, {
      isError: true,
      structuredContent: {
        code: 'VALIDATION_FAILED',
        detail: /surprise is not a known field/,
        fix: 'The input schema of the tool says what it takes.',
      },
    })
    t.match(textOf(answer), /VALIDATION_FAILED/)
  }
})

test('answers come in pages and within their tokens, and say what was cut', async t => {
  const { url, ...built } = await openShop(t)
  await cloneShop(t, built)
  const client = await connect(t, url)
  const seen: string[] = []
  for (let offset: number | null = 0; offset !== null;) {
    const { data, text } = await called(t, client, 'find_references', {
      ...SHOP,
      name: 'average',
      limit: 2,
      offset,
    })
    const page = data as unknown as { data: Array<{ path: string; line: number }>; next_offset: number | null }
    if (page.next_offset !== null) t.match(text, new RegExp(`"offset": ${page.next_offset} goes on`))
    seen.push(...page.data.map(({ path, line }) => `${path}:${line}`))
    offset = page.next_offset
  }
  t.equal(new Set(seen).size, seen.length)
  t.ok(seen.length >= 5)
  const trace = `${SHOP_TRACE}\n${'WARNING nothing to see here\n'.repeat(2000)}`
  const cut = await called(t, client, 'resolve_stack_trace', { ...SHOP, stacktrace: trace, max_tokens: 1500 })
  t.match(cut.data, { cut: /Cut to 1500 tokens/ })
  t.match(cut.text, /Cut to 1500 tokens; a larger max_tokens shows more/)
  t.ok(cut.text.length < 6_000, `${cut.text.length} characters`)
})

test('an empty file has no lines', async t => {
  const { url, ...built } = await openShop(t)
  const repository = createGitRepository(join(built.reposDir, 'shop.git'), {
    files: { 'a.py': 'def a():\n    return 1\n', 'src/__init__.py': '' },
  })
  await cloneInto(t, built, { url: repository.dir })
  const { data, text } = await called(t, await connect(t, url), 'read_code', { ...SHOP, path: 'src/__init__.py' })
  t.match(data, { total_lines: 0, text: '' })
  t.match(text, /^The file is empty\./)
  t.notMatch(text, /1\|/)
})

test('resources and prompts', async t => {
  const { url, ...built } = await openShop(t)
  const shop = await cloneShop(t, built)
  const client = await connect(t, url)
  const { resourceTemplates } = await client.listResourceTemplates()
  t.same(resourceTemplates.map(({ name }) => name).sort(), ['file', 'file-at-ref', 'resolution'])
  const uri = 'faultline://projects/shop/files/src/shop/prices.py'
  const file = await client.readResource({ uri })
  t.match(file.contents, [{ uri, text: /^"""Prices are whole cents\."""/ }])
  const commit = shop.git('rev-parse', 'main')
  t.match(await client.readResource({ uri: `${uri}?ref=${commit}` }), { contents: [{ text: /def average/ }] })
  await t.rejects(client.readResource({ uri: 'faultline://projects/shop/files/src/no.py' }), {
    message: /FILE_NOT_FOUND/,
  })
  await t.rejects(client.readResource({ uri: 'faultline://projects/shop/files/%2e%2e/%2e%2e/etc/passwd' }), Error)
  await t.rejects(client.readResource({ uri: 'faultline://projects/shop/files/.env' }), { message: /FILE_NOT_FOUND/ })
  const { data } = await called(t, client, 'resolve_stack_trace', { ...SHOP, stacktrace: SHOP_TRACE })
  const { id } = data as unknown as { id: string }
  const kept = await client.readResource({ uri: `faultline://resolutions/${id}` })
  t.match(kept.contents, [{ mimeType: 'application/json', text: new RegExp(id) }])

  const { prompts } = await client.listPrompts()
  t.same(prompts.map(({ name }) => name).sort(), ['explain-trace', 'fix-error'])
  const prompt = await client.getPrompt({ name: 'fix-error', arguments: { ...SHOP, stacktrace: SHOP_TRACE } })
  t.match(JSON.stringify(prompt.messages), /fix_error.*ZeroDivisionError/)
})

test('a key that may only read has no tools that change anything; a key of one project sees that one', async t => {
  const keys =
    'all:key-of-all-things-there-are,look:key-that-reads-and-no-more:read,other:key-of-another-one-project:write:other'
  const { url, ...built } = await openShop(t, { API_KEYS: keys })
  const { app, reposDir } = built
  const { createShop } = await import('../helpers/sample-repository.ts')
  const shop = createShop(`${reposDir}/shop.git`)
  const cloned = await app.inject({
    method: 'POST',
    url: '/clone?wait=60',
    headers: { authorization: 'Bearer key-of-all-things-there-are' },
    body: { url: shop.dir },
  })
  t.equal(cloned.json().status, 'succeeded', cloned.body)

  await t.rejects(connect(t, url), Error, 'a key is needed')
  const reader = await connect(t, url, { key: 'key-that-reads-and-no-more' })
  t.same((await reader.listTools()).tools.map(({ name }) => name).sort(), [...READING].sort())
  t.same(
    (await reader.listPrompts()).prompts.map(({ name }) => name),
    ['explain-trace'],
  )
  await called(t, reader, 'resolve_stack_trace', { ...SHOP, stacktrace: SHOP_TRACE })
  await called(t, reader, 'read_code', { ...SHOP, path: 'README.md' })
  for (const name of WRITING) {
    const answer = await reader.callTool({ name, arguments: {} }).catch((error: unknown) => error)
    t.ok(answer instanceof Error || (answer as { isError?: boolean }).isError === true, `${name} is refused`)
  }

  const other = await connect(t, url, { key: 'key-of-another-one-project' })
  t.match((await called(t, other, 'list_projects', {})).data, { data: [] })
  const { data } = await called(t, reader, 'resolve_stack_trace', { ...SHOP, stacktrace: SHOP_TRACE })
  const { id } = data as unknown as { id: string }
  await refused(t, other, ['search_code', { ...SHOP, query: 'average' }, 'PROJECT_NOT_FOUND'])
  await refused(t, other, ['resolve_stack_trace', { ...SHOP, stacktrace: SHOP_TRACE }, 'PROJECT_NOT_FOUND'])
  await refused(t, other, ['get_resolution', { id }, 'RESOLUTION_NOT_FOUND'])
  await refused(t, other, ['get_job', { id: cloned.json().id }, 'JOB_NOT_FOUND'])
  await refused(t, other, ['clone_repository', { url: shop.dir, ...SHOP }, 'FORBIDDEN'])
  await t.rejects(other.readResource({ uri: 'faultline://projects/shop/files/README.md' }), {
    message: /PROJECT_NOT_FOUND/,
  })
})
