import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { test, type Test } from 'tap'
import { createAudit } from '../../src/services/audit.ts'
import type { AuditStore } from '../../src/jobs/store/audit-store.ts'
import { buildApp } from '../helpers/build-app.ts'
import { createShop } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const KEYS = {
  ada: 'ada-has-a-key-of-some-length',
  shop: 'shop-has-a-key-of-some-length',
  reader: 'a-key-for-reading-alone',
}
const API_KEYS = `ada:${KEYS.ada},shop:${KEYS.shop}:write:shop,reader:${KEYS.reader}x:read`

interface Entry {
  at: string
  key: string | null
  action: string
  project_name: string | null
  target: string | null
  outcome: string
  request_id: string | null
}

/** An app with keys and the project `shop`; its jobs of type `task` ask whether to go on. */
async function buildAudited(t: Test) {
  const built = await buildApp(t, {
    env: { API_KEYS },
    definitions: { task: scriptedJob(async ({ ask }) => await ask('q', { kind: 'review_plan', plan: 'p' })) },
    requests: [{ type: 'task', schema: {}, complete: async body => body }],
  })
  const as = (key: string, options: InjectOptions) =>
    built.app.inject({ ...options, headers: { ...options.headers, authorization: `Bearer ${key}` } })
  const ada = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
    as(KEYS.ada, { method, url, body })
  const entries = async (query = '', key = KEYS.ada): Promise<Entry[]> =>
    (await as(key, { url: `/audit${query}` })).json().data
  const { dir } = createShop(join(built.reposDir, 'shop.git'))
  const clone = (name = 'shop') => ada('POST', '/clone?wait=60', { url: dir, project_name: name })
  t.equal((await clone()).json().status, 'succeeded')
  /** A job that waits for a decision. */
  async function task(project: string | null = 'shop'): Promise<string> {
    const input = project === null ? {} : { project_name: project }
    const { job } = await built.services.jobs.create('task', input, { keyName: 'ada', requestId: 'req_t' })
    return (await built.services.jobs.settled(job.id, 10_000)).id
  }
  return { ...built, as, ada, entries, clone, task }
}

test('the audit log says who ran, decided, cancelled, retried, changed and deleted what', async t => {
  const { ada, entries, task } = await buildAudited(t)
  const [approved, rejected, cancelled] = [await task(), await task(), await task()]
  const requests = [
    await ada('POST', `/jobs/${approved}/reply?wait=10`, { decision: 'approve' }),
    await ada('POST', `/jobs/${rejected}/reply?wait=10`, { decision: 'reject' }),
    await ada('POST', `/jobs/${cancelled}/cancel`),
    await ada('POST', `/jobs/${cancelled}/retry`, {}),
    await ada('DELETE', `/jobs/${cancelled}`),
    await ada('PATCH', '/projects/SHOP', { in_app_exclude: ['secret-folder/**'], checks: { test: 'npm test' } }),
  ]
  const retried = requests[3]?.json().id
  await ada('POST', `/jobs/${retried}/cancel`)
  const deleted = await ada('DELETE', '/projects/shop')
  t.equal(deleted.statusCode, 204, deleted.body)

  const all = await entries('?limit=200')
  t.same(
    all
      .toReversed()
      .map(({ action, target }) => [action, target])
      .slice(4),
    [
      ['reply.approve', approved],
      ['reply.reject', rejected],
      ['job.cancel', cancelled],
      ['job.retry', cancelled],
      ['run.task', retried],
      ['job.delete', cancelled],
      ['project.change', 'in_app_exclude, checks'],
      ['job.cancel', retried],
      ['project.delete', 'shop'],
    ],
  )
  t.match(all.at(-1), { action: 'run.clone', key: 'ada', project_name: 'shop', outcome: 'done' })
  for (const { key, project_name: project, outcome } of all) t.match([key, project, outcome], ['ada', 'shop', 'done'])
  const byId = new Map(all.map(entry => [entry.request_id, entry.action]))
  for (const res of requests.slice(0, 3)) t.ok(byId.has(String(res.headers['x-request-id'])), 'the id of the request')
  t.notMatch(JSON.stringify(all), /secret-folder|npm test/, 'nothing of a body')
  t.notMatch(JSON.stringify(all), new RegExp(KEYS.ada))
})

test('what did not happen is not told: a refused change, a replayed request', async t => {
  const { as, ada, entries, task, reposDir } = await buildAudited(t)
  await task()
  const before = (await entries()).length
  t.equal((await ada('DELETE', '/projects/shop')).json().code, 'PROJECT_BUSY')
  t.equal((await ada('PATCH', '/projects/nope', { in_app_exclude: [] })).json().code, 'PROJECT_NOT_FOUND')
  const url = join(reposDir, 'shop.git')
  for (const replayed of [undefined, 'true']) {
    const headers = { 'idempotency-key': 'k' }
    const res = await as(KEYS.ada, { method: 'POST', url: '/clone', headers, body: { url } })
    t.equal(res.headers['idempotency-replayed'], replayed)
  }
  t.equal((await entries()).length, before + 1)
})

test('entries are filtered, come in pages, and of a project only to keys that see it', async t => {
  const { as, entries, clone, task } = await buildAudited(t)
  await clone('api')
  await task(null)
  await as(KEYS.shop, { method: 'POST', url: '/clone', body: { url: '/x', project_name: 'api' } })
  t.same(
    (await entries('?action=run.clone')).map(({ project_name: name }) => name),
    ['api', 'shop'],
  )
  t.same((await entries('?action=run')).length, 3)
  t.same((await entries('?project_name=API&action=run')).length, 1)
  t.match(await entries('?key=shop'), [{ action: 'refused', outcome: 'FORBIDDEN', target: 'POST /clone' }])
  const page = (await as(KEYS.ada, { url: '/audit?limit=3' })).json()
  const rest = (await as(KEYS.ada, { url: `/audit?limit=3&cursor=${page.next_cursor}` })).json()
  t.same([...page.data, ...rest.data], await entries())
  t.equal(rest.next_cursor, null)
  t.same(
    (await entries('', KEYS.shop)).map(({ action, project_name: name }) => [action, name]),
    [['run.clone', 'shop']],
  )
  t.equal((await as(KEYS.ada, { url: '/audit?action=a%25' })).statusCode, 400)
})

test('who was refused is told, without the name of a key that is not known', async t => {
  const { app, as, entries } = await buildAudited(t)
  await app.inject({ url: '/projects/a-name-that-nobody-checked' })
  await as('a-wrong-key-of-enough-characters', { method: 'DELETE', url: '/projects/shop' })
  await as(`${KEYS.reader}x`, { method: 'DELETE', url: '/projects/Shop' })
  await as(KEYS.ada, { method: 'POST', url: '/clone', headers: { origin: 'https://evil.example' }, body: {} })
  const refused = await entries('?action=refused')
  t.match(refused, [
    { key: 'ada', outcome: 'FORBIDDEN_ORIGIN', target: 'POST /clone', project_name: null },
    { key: 'reader', outcome: 'FORBIDDEN', target: 'DELETE /projects/:name', project_name: 'Shop' },
    { key: null, outcome: 'UNAUTHORIZED', target: 'DELETE /projects/:name', project_name: null },
    { key: null, outcome: 'UNAUTHORIZED', target: 'GET /projects/:name', project_name: null },
  ])
  t.notMatch(JSON.stringify(refused), /nobody-checked|wrong-key/)
})

test('of many refusals a minute the first are kept', async t => {
  let kept = 0
  let now = 0
  const warned: string[] = []
  const store = {
    addQuickly: async () => {
      kept++
    },
  } as unknown as AuditStore
  const log = { info: () => {}, warn: (_: object, text: string) => warned.push(text), error: () => {} }
  const audit = createAudit(store, log, () => now)
  const refusal = { code: 'UNAUTHORIZED', route: 'GET /jobs', projectName: null } as const
  const refuse = async (times: number) => {
    for (let i = 0; i < times; i++) await audit.refused({ keyName: null, requestId: 'r' }, refusal)
  }
  await refuse(500)
  t.equal(kept, 120)
  t.same(warned.length, 1)
  now = 60_000
  await refuse(5)
  t.equal(kept, 125)
})
