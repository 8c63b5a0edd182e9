import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { test, type Test } from 'tap'
import type { JsonObject } from '../../src/core/job.ts'
import { TASK_LOG } from '../contracts/task-store.ts'
import { buildApp } from '../helpers/build-app.ts'
import { createShop } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const KEYS = {
  ada: 'ada-has-a-key-of-some-length',
  reader: 'reader-has-a-key-of-some-length',
  api: 'api-has-a-key-of-some-length',
}
const API_KEYS = `ada:${KEYS.ada},reader:${KEYS.reader}:read:shop,api:${KEYS.api}:write:API`

const definitions = {
  task: scriptedJob(async ({ task, input, ask }) => {
    const number = await task.number()
    await task.update({ status: 'coding', attempt: 1, branchName: `ai/task-${number}-attempt-1` })
    await task.log('code:1', TASK_LOG)
    if (input.fails === true) throw new Error('broken')
    if (input.asks === true) await ask('q', { kind: 'clarification', question: 'Which?' })
    return {}
  }),
}

/** An app with the projects `shop` and `api`, of the same repository. */
async function buildWithTasks(t: Test) {
  const built = await buildApp(t, { env: { API_KEYS }, definitions })
  const { app, services, reposDir } = built
  const as = (key: string, options: InjectOptions) =>
    app.inject({ ...options, headers: { ...options.headers, authorization: `Bearer ${key}` } })
  const { dir } = createShop(join(reposDir, 'shop.git'))
  for (const name of ['shop', 'api']) {
    const body = { url: dir, project_name: name }
    const res = await as(KEYS.ada, { method: 'POST', url: '/clone?wait=60', body })
    t.equal(res.json().status, 'succeeded', res.body)
  }
  const make = async (body: JsonObject = {}) => {
    const input = { project_name: 'shop', description: 'Refuse an empty address', ...body }
    const { job } = await services.jobs.create('task', input)
    return services.jobs.settled(job.id, 10_000)
  }
  const get = async (url: string, key = KEYS.ada) => (await as(key, { url })).json()
  return { ...built, as, make, get, dir }
}

test('a task is answered with what was done for it', async t => {
  const { make, get, dir } = await buildWithTasks(t)
  const { id } = await make()
  const time = /^20\d\d-\d\d-\d\dT.*Z$/
  t.match(await get('/tasks/1'), {
    number: 1,
    job_id: id,
    title: 'Refuse an empty address',
    description: 'Refuse an empty address',
    status: 'done',
    project_name: 'shop',
    repository: 'shop',
    repo_path: dir,
    branch_name: 'ai/task-1-attempt-1',
    attempt: 1,
    max_attempts: 3,
    reviewer_feedback: null,
    error_message: null,
    created_at: time,
    updated_at: time,
  })
  t.match((await get('/tasks/1')).logs, [
    {
      agent: 'coder',
      action: 'generate',
      input_summary: 'attempt 1',
      output_summary: '2 files',
      tokens_used: 1_200,
      duration_ms: 340,
      created_at: time,
    },
  ])
  t.match((await get(`/jobs/${id}/transcript`)).data, [
    { kind: 'created', body: { description: 'Refuse an empty address' } },
    { kind: 'task', agent: 'coder', action: 'generate', tokens_used: 1_200, duration_ms: 340 },
  ])
})

test('tasks are listed newest first, filtered, and in pages', async t => {
  const { make, get } = await buildWithTasks(t)
  await make()
  await make({ fails: true })
  await make({ project_name: 'api' })
  await make({ asks: true, project_name: 'SHOP' })
  const numbers = async (query: string) =>
    (await get(`/tasks${query}`)).data.map(({ number }: { number: number }) => number)
  t.same(await numbers(''), [4, 3, 2, 1])
  t.same(await numbers('?status=failed'), [2])
  t.same(await numbers('?status=coding'), [4], 'it waits for a person')
  t.same(await numbers('?project_name=shop'), [4, 2, 1])
  t.same(await numbers('?project_name=shop&status=done'), [1])
  const page = await get('/tasks?limit=3')
  t.equal(page.data.length, 3)
  t.equal(page.data[0].logs, undefined)
  t.match(await get(`/tasks?limit=3&cursor=${page.next_cursor}`), { data: [{ number: 1 }], next_cursor: null })
  for (const query of ['?status=merged', '?limit=0', '?cursor=%20', '?title=x']) {
    t.match(await get(`/tasks${query}`), { code: 'VALIDATION_FAILED' }, query)
  }
})

test('tasks are read as text and in Markdown, too', async t => {
  const { as, make } = await buildWithTasks(t)
  await make({ fails: true })
  const read = async (url: string, accept: string) => {
    const res = await as(KEYS.ada, { url, headers: { accept } })
    return { type: res.headers['content-type'], text: res.body }
  }
  t.match(await read('/tasks', 'text/plain'), {
    type: 'text/plain; charset=utf-8',
    text: / #1 \[failed\] Refuse an empty address\n$/,
  })
  t.match(await read('/tasks/1', 'text/plain'), { type: /^text\/plain/, text: /Task #1\n[^]*coder\/generate/ })
  t.match((await read('/tasks/1?color=1', 'text/plain')).text, '\u001B[')
  t.match(await read('/tasks', 'text/markdown'), {
    type: 'text/markdown; charset=utf-8',
    text: '- 1 `failed` `shop` Refuse an empty address\n',
  })
  t.match(await read('/tasks/1', 'text/markdown'), { text: /^## Task 1: Refuse an empty address\n/ })
  for (const url of ['/tasks', '/tasks/1']) t.match((await read(url, 'image/png')).text, /NOT_ACCEPTABLE/)
})

test('a task that is not there is named, with the way to those that are', async t => {
  const { get } = await buildWithTasks(t)
  t.match(await get('/tasks/7'), {
    status: 404,
    code: 'TASK_NOT_FOUND',
    detail: 'There is no task 7.',
    fix: /GET \/tasks lists/,
  })
  for (const number of ['0', '-1', 'x', '1.5', '9007199254740993', crypto.randomUUID()]) {
    t.match(await get(`/tasks/${number}`), { code: 'VALIDATION_FAILED' }, number)
  }
})

test('a key that is bound to projects sees the tasks of these, and the others are not there for it', async t => {
  const { as, make, get } = await buildWithTasks(t)
  for (const project of ['shop', 'api', 'Shop']) await make({ project_name: project })
  const numbers = async (key: string, query = '') =>
    (await get(`/tasks${query}`, key)).data.map(({ number }: { number: number }) => number)
  t.same(await numbers(KEYS.reader), [3, 1])
  t.same(await numbers(KEYS.api), [2])
  t.same(await numbers(KEYS.api, '?project_name=shop'), [])
  t.match(await get('/tasks?limit=1', KEYS.api), { next_cursor: null })
  t.match(await get('/tasks/3', KEYS.reader), { number: 3 })
  const { instance: _one, ...hidden } = await get('/tasks/2', KEYS.reader)
  const { instance: _other, ...missing } = await get('/tasks/9', KEYS.reader)
  t.same(JSON.parse(JSON.stringify(hidden).replaceAll('task 2', 'task 9')), missing)
  for (const url of ['/tasks', '/tasks/1']) {
    t.equal((await as('a-wrong-key-of-enough-characters', { url })).statusCode, 401, url)
  }
})

test('tasks stay when their job is deleted, and go with their project', async t => {
  const { as, make, get } = await buildWithTasks(t)
  const { id } = await make()
  await make({ project_name: 'api' })
  t.equal((await as(KEYS.ada, { method: 'DELETE', url: `/jobs/${id}` })).statusCode, 204)
  t.equal((await get(`/jobs/${id}`)).code, 'JOB_NOT_FOUND')
  t.match(await get('/tasks/1'), { job_id: id, status: 'done', logs: [{ agent: 'coder' }] })
  t.equal((await as(KEYS.ada, { method: 'DELETE', url: '/projects/SHOP' })).statusCode, 204)
  t.match(await get('/tasks/1'), { code: 'TASK_NOT_FOUND' })
  t.match(await get('/tasks'), { data: [{ number: 2 }] })
})
