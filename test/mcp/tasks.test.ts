import { test, type Test } from 'tap'
import { createMcp } from '../../src/mcp/handler.ts'
import type { Caller } from '../../src/mcp/caller.ts'
import { listen } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { connect, textOf } from './mcp-client.ts'

const FILES = { 'shop/prices.py': 'def average(items):\n    return sum(items) / len(items)\n' }
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 2, in average\n' +
  '    return sum(items) / len(items)\nZeroDivisionError: division by zero'
const MEND =
  'An empty list.\n\n```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,2 +1,4 @@\n def average(items):\n' +
  '+    if not items:\n+        return 0\n     return sum(items) / len(items)\n```\n'
const EXTENSION = 'io.modelcontextprotocol/tasks'
const VERSION = '2026-07-28'

interface Form {
  method: string
  params: { message: string; requestedSchema: { properties: Record<string, unknown> } }
}

interface Task {
  taskId: string
  status: string
  inputRequests?: Record<string, Form>
  result?: { structuredContent: { result: { branch: string | null } } }
  error?: object
  resultType?: string
}

/** A client with the extension: the official one leaves tasks to a package of its own. */
function taskClient(
  url: string,
  capabilities: object = { elicitation: { form: {} }, extensions: { [EXTENSION]: {} } },
  post: typeof fetch = fetch,
) {
  let id = 0
  return async (method: string, params: Record<string, unknown>) => {
    const name = params.name ?? params.taskId ?? params.uri
    const response = await post(new URL('/mcp', url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ++id,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': VERSION,
            'io.modelcontextprotocol/clientInfo': { name: 'tasks', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': capabilities,
          },
        },
      }),
    })
    return (await response.json()) as { result: Task; error?: { code: number; message: string } }
  }
}

test('a job is a task where the client has tasks: it asks by a form, and its result is that of the call', async t => {
  const built = await buildProject(t, FILES, [{ text: MEND }, { text: MEND }, { text: MEND }])
  const url = await listen(t, built)
  const ask = taskClient(url)
  const fix = { name: 'fix_error', arguments: { project_name: 'shop', stacktrace: TRACE } }

  async function settled(taskId: string): Promise<Task> {
    for (;;) {
      const { result } = await ask('tasks/get', { taskId })
      if (result.status !== 'working') return result
      await built.app.inject(`/jobs/${taskId}?wait=10`)
    }
  }

  const { result: discovered } = await ask('server/discover', {})
  t.match(discovered, { capabilities: { extensions: { [EXTENSION]: {} } } })
  const started = (await ask('tools/call', fix)).result
  t.match(started, {
    resultType: 'task',
    taskId: /^[0-9a-f-]{36}$/,
    status: 'working',
    ttlMs: null,
    pollIntervalMs: 2000,
  })

  const asking = await settled(started.taskId)
  t.match(asking, { status: 'input_required', resultType: 'complete' })
  const [[key = '', form] = []] = Object.entries(asking.inputRequests ?? {})
  t.match(form, {
    method: 'elicitation/create',
    params: { mode: 'form', message: /if not items:/, requestedSchema: { properties: { decision: {} } } },
  })
  const stale = { elsewhere: { action: 'accept', content: { decision: 'reject' } } }
  await ask('tasks/update', { taskId: started.taskId, inputResponses: stale })
  t.equal((await settled(started.taskId)).status, 'input_required', 'the answer to another form is none to this one')
  const approved = { [key]: { action: 'accept', content: { decision: 'approve' } } }
  t.notOk((await ask('tasks/update', { taskId: started.taskId, inputResponses: approved })).error)
  const done = await settled(started.taskId)
  t.match(done, {
    status: 'completed',
    result: { content: [{ type: 'text' }], structuredContent: { status: 'succeeded' } },
  })
  t.match(built.git('show', `${done.result?.structuredContent.result.branch}:shop/prices.py`), /if not items/)

  const second = (await ask('tools/call', fix)).result.taskId
  const [other = ''] = Object.keys((await settled(second)).inputRequests ?? {})
  const reject = { action: 'accept', content: { decision: 'reject' } }
  await ask('tasks/update', { taskId: second, inputResponses: { [other]: reject } })
  t.match(await settled(second), { status: 'completed', result: { structuredContent: { result: { branch: null } } } })

  const third = (await ask('tools/call', fix)).result.taskId
  await settled(third)
  await ask('tasks/cancel', { taskId: third })
  t.equal((await settled(third)).status, 'cancelled')
  t.match(await ask('tasks/get', { taskId: 'nothing' }), { error: { message: /JOB_NOT_FOUND/ } })

  const refused = await ask('tools/call', {
    name: 'fix_error',
    arguments: { ...fix.arguments, project_name: 'nothing' },
  })
  t.match(refused.result, { isError: true, structuredContent: { code: 'PROJECT_NOT_FOUND' } })
  const plain = await taskClient(url, {})('tools/call', { name: 'list_projects', arguments: {} })
  t.equal(plain.result.resultType, 'complete')
  const noTasks = await taskClient(url, {})('tools/call', fix)
  t.match(noTasks.result, { structuredContent: { type: 'fix' } }, 'without tasks the id of the job is the answer')
})

test('only what a form clearly says is done: else the job still waits', async t => {
  const built = await buildProject(t, FILES, [{ text: MEND }])
  const url = await listen(t, built)
  const ask = taskClient(url)
  const fix = { name: 'fix_error', arguments: { project_name: 'shop', stacktrace: TRACE } }
  const { taskId } = (await ask('tools/call', fix)).result
  async function asking(): Promise<Task> {
    for (;;) {
      const { result } = await ask('tasks/get', { taskId })
      if (result.status !== 'working') return result
      await built.app.inject(`/jobs/${taskId}?wait=10`)
    }
  }
  const [key = ''] = Object.keys((await asking()).inputRequests ?? {})
  const send = (response: object) => ask('tasks/update', { taskId, inputResponses: { [key]: response } })
  for (const action of ['decline', 'cancel']) {
    t.notOk((await send({ action })).error, `${action} is no error`)
    t.equal((await asking()).status, 'input_required', `${action} decides nothing`)
  }
  for (const content of [undefined, {}, { decision: 'Approve' }, { decision: 'yes' }, { comment: 'Otherwise.' }]) {
    t.match((await send({ action: 'accept', content })).error, {
      code: -32602,
      message: /"decision" must be "approve" or "reject"/,
    })
    t.equal((await asking()).status, 'input_required', JSON.stringify(content))
  }
})

test('a question and a used-up budget are forms, too', async t => {
  const built = await buildWithModel(t, [
    { text: 'Which keys?' },
    { text: 'Should it wrap?' },
    { text: 'Nothing more.' },
    { text: 'main.py\n```python\nprint("snake")\n```\n' },
    { text: '```sh\npython3 main.py\n```\n' },
  ])
  const ask = taskClient(await listen(t, built))
  const { taskId } = (
    await ask('tools/call', {
      name: 'generate_program',
      arguments: { prompt: 'A snake game', mode: 'clarified', execute: 'never', budget: { tokens: 1 } },
    })
  ).result
  async function waiting(): Promise<{ task: Task; key: string; form: Form }> {
    await built.app.inject(`/jobs/${taskId}?wait=10`)
    const task = (await ask('tasks/get', { taskId })).result
    const [[key, form] = ['', { method: '', params: { message: '', requestedSchema: { properties: {} } } }]] =
      Object.entries(task.inputRequests ?? {})
    return { task, key, form }
  }
  const send = (key: string, content: object) =>
    ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content } } })

  const budgets: object[] = []
  const answers: string[] = []
  for (let turn = 0; turn < 10; turn++) {
    const { task, key, form } = await waiting()
    if (task.status !== 'input_required') break
    const { properties } = form.params.requestedSchema
    if ('answer' in properties) {
      answers.push(form.params.message)
      t.match((await send(key, {})).error, { message: /"answer" must be a string/ })
      t.notOk((await send(key, { answer: answers.length === 1 ? 'Arrows' : '' })).error)
      continue
    }
    t.match(properties, { tokens: { type: 'integer' }, end: { type: 'boolean' } })
    budgets.push(properties)
    t.match((await send(key, {})).error, { message: /"tokens", "seconds" or "usd" must have a new limit/ })
    t.notOk((await send(key, { tokens: 1_000_000 })).error)
  }
  t.match(answers, [/Which keys\?/, /Should it wrap\?/])
  t.equal(budgets.length, 1, 'the first call used it up')
  t.equal((await waiting()).task.status, 'completed')
  t.match((await built.app.inject(`/jobs/${taskId}`)).json().usage, { llm_calls: 5 })
})

/** A client of the protocol alone, without a server: `ask` answers in place of the routes. */
function clientOf(t: Test, ask: Caller['ask'], onError: (error: unknown) => void) {
  const handler = createMcp({ version: '1', onError })
  t.teardown(() => handler.close())
  const caller: Caller = {
    mayWrite: true,
    ask,
    check: () => {},
    cutToTokens: async text => ({ text, tokens: text.length }),
    signal: new AbortController().signal,
  }
  return taskClient('http://localhost', undefined, async (url, init) =>
    handler.answer(new Request(url, init), JSON.parse(String(init?.body)), caller),
  )
}

test('what is answered is the question that was read, also where another one has come by now', async t => {
  const job = {
    id: '0c4ff1a5-0000-4000-8000-000000000000',
    type: 'fix',
    status: 'waiting',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    project_name: 'shop',
    retry_of: null,
    trust: 'trusted',
    progress: null,
    queue_position: null,
    result: null,
    error: null,
    redactions: 0,
    budget: null,
    usage: { llm_calls: 0, prompt_tokens: 0, completion_tokens: 0, usd: null },
    request: { kind: 'review_changes', diff: '', rejected_hunks: [] },
    asked: 'review_changes:1',
  }
  const replies: unknown[] = []
  const answered: Caller['ask'] = async ({ method, body }) => {
    if (method === 'POST') replies.push(body)
    return job
  }
  const ask = clientOf(t, answered, error => t.fail(String(error)))
  const { result } = await ask('tasks/get', { taskId: job.id })
  const [key = ''] = Object.keys(result.inputRequests ?? {})
  const inputResponses = { [key]: { action: 'accept', content: { decision: 'approve' } } }
  t.notOk((await ask('tasks/update', { taskId: job.id, inputResponses })).error)
  t.same(replies, [{ decision: 'approve', asked: job.asked }])
})

test('what goes wrong in the server is in its log, and in no answer about a task or a resource', async t => {
  const logged: string[] = []
  const ask = clientOf(
    t,
    () => Promise.reject(new TypeError('no /srv/secret')),
    error => logged.push(String(error)),
  )
  const uri = 'faultline://projects/shop/files/shop/prices.py'
  for (const [method, params] of [
    ['tasks/get', { taskId: 'x' }],
    ['tasks/cancel', { taskId: 'x' }],
    ['resources/read', { uri }],
  ] as const) {
    const { error } = await ask(method, params)
    t.match(error, { code: -32603, message: /^INTERNAL: Something went wrong in the server/ }, method)
    t.notMatch(JSON.stringify(error), /secret/)
  }
  t.same(
    logged,
    Array.from({ length: 3 }, () => 'TypeError: no /srv/secret'),
  )
})

test('reply_to_job takes the name of the question that get_job gives', async t => {
  const built = await buildProject(t, FILES, [{ text: MEND }])
  const url = await listen(t, built)
  const { json } = await built.app.inject({
    method: 'POST',
    url: '/fix?wait=30',
    body: { project_name: 'shop', stacktrace: TRACE },
  })
  const { id } = json()
  const client = await connect(t, url)
  const call = (name: string, args: object) => client.callTool({ name, arguments: { id, ...args } })
  const waiting = await call('get_job', {})
  const { asked } = waiting.structuredContent as { asked: string }
  t.match(asked, /^review_changes/)
  t.match(textOf(waiting), `"asked": "${asked}"`, 'it is said in words too')
  const late = await call('reply_to_job', { decision: 'approve', asked: 'review_plan' })
  t.match(late, { isError: true, structuredContent: { code: 'NOT_WAITING' } })
  const rejected = await call('reply_to_job', { decision: 'reject', asked, wait: 30 })
  t.match(rejected.structuredContent, { status: 'succeeded', asked: null })
})
