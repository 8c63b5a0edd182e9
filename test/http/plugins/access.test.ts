import { join } from 'node:path'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { test, type Test } from 'tap'
import { startModelServer } from '../../fakes/model-server.ts'
import { buildApp } from '../../helpers/build-app.ts'
import { createShop, SHOP_TRACE } from '../../helpers/sample-repository.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'

const SCOPES = {
  admin: '',
  writer: ':write',
  reader: ':read',
  shopReader: ':read:shop',
  shopWriter: ':write:Shop',
  bothReader: ':read:shop+api',
}
type KeyName = keyof typeof SCOPES
const keyOf = (name: KeyName): string => `${name}-has-a-key-of-some-length`
const API_KEYS = Object.entries(SCOPES)
  .map(([name, scope]) => `${name}:${keyOf(name as KeyName)}${scope}`)
  .join(',')

/** An app with the projects `shop` and `api`, and jobs of type `task` that ask something. */
async function buildTwoProjects(t: Test, env: Record<string, string> = {}) {
  const built = await buildApp(t, {
    env: { API_KEYS, WEBHOOK_SECRETS: 'ci=a-secret-of-some-length', ...env },
    definitions: { task: scriptedJob(async ({ ask }) => await ask('q', { kind: 'clarification', question: 'What?' })) },
  })
  const { app, services } = built
  const as = (name: KeyName | null, options: InjectOptions) =>
    app.inject({
      ...options,
      headers: { ...options.headers, ...(name === null ? {} : { authorization: `Bearer ${keyOf(name)}` }) },
    })
  createShop(join(built.reposDir, 'shop.git'))
  for (const project of ['shop', 'api']) {
    const url = join(built.reposDir, 'shop.git')
    const res = await as('admin', { method: 'POST', url: '/clone?wait=60', body: { url, project_name: project } })
    t.equal(res.json().status, 'succeeded', res.body)
  }
  /** A job that waits for an answer. */
  async function waitingJob(project: string | null, keyName: string | null = 'admin'): Promise<string> {
    const input = project === null ? {} : { project_name: project }
    const { job } = await services.jobs.create('task', input, { keyName })
    return (await services.jobs.settled(job.id, 10_000)).id
  }
  return { ...built, as, waitingJob }
}

/** A request to a route about a project, which would do something. */
function requestTo(route: string, { project, job }: { project: string; job: string }): InjectOptions {
  const [method = '', pattern = ''] = route.split(' ')
  const url = pattern
    .replace(':name', project)
    .replace(':id', job)
    .replace(':number', '1')
    .replace(':repository', 'shop')
    .replace(':commit', 'a'.repeat(40))
    .replace('*', 'run.sh')
    .replace(/(?<!code\/)search$/, 'search?q=total')
    .replace(/\/file$/, '/file?path=README.md')
  const bodies: Record<string, object> = {
    'POST /clone': { url: '/nowhere/at/all', project_name: project },
    'PATCH /projects/:name': { in_app_exclude: [] },
    'POST /parse': { stacktrace: SHOP_TRACE },
    'POST /resolve': { stacktrace: SHOP_TRACE, project_name: project },
    'POST /generate': { prompt: 'a game' },
    'POST /improve': { prompt: 'a game', project_name: project },
    'POST /self-heal': { prompt: 'a game', project_name: project },
    'POST /fix': { stacktrace: SHOP_TRACE, project_name: project },
    'POST /tasks': { project_name: project, description: 'Add a test' },
    'POST /features': { project_name: project, request: 'Store characters' },
    'POST /bisect': { project_name: project, good: 'main', command: 'true' },
    'POST /jobs/:id/reply': { answer: 'this' },
    'POST /ui/resolutions': { _csrf: '', stacktrace: SHOP_TRACE, project_name: project },
    'POST /ui/projects': { _csrf: '', url: '/nowhere/at/all', project_name: project },
    'POST /ui/projects/:name/settings': { _csrf: '', shown: '{}', sync: '' },
    'POST /ui/projects/:name/clone': { _csrf: '', repository: 'shop' },
    'POST /ui/jobs/:id/reply': { _csrf: '', asked: 'q', reply: 'answer', answer: 'this' },
    'POST /projects/:name/code/search': { query: 'total' },
    'POST /projects/:name/code/read': { path: 'README.md' },
    'POST /projects/:name/code/definitions': { name: 'average' },
    'POST /projects/:name/code/references': { name: 'average' },
    'POST /projects/:name/code/history': { path: 'README.md', start_line: 1 },
  }
  const form = method === 'POST' && pattern.startsWith('/ui/') ? { _csrf: '' } : undefined
  return { method: method as 'GET', url, body: bodies[route] ?? form }
}

const REFUSALS = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'PROJECT_NOT_FOUND', 'JOB_NOT_FOUND'])

/** The code of a problem, or of a page that says it; who has to sign in is led there. */
function codeOf({ statusCode, headers, body, json }: LightMyRequestResponse): string {
  if (statusCode === 303 && String(headers.location).startsWith('/ui/sign-in')) return 'UNAUTHORIZED'
  if (statusCode < 400) return ''
  if (statusCode === 401 && body.includes('/ui/sign-in')) return 'UNAUTHORIZED'
  const type = String(headers['content-type'])
  if (type.startsWith('text/html')) return /<code>([A-Z_]+)<\/code>/.exec(body)?.[1] ?? ''
  return type.includes('json') ? json().code : ''
}

/** Which code refuses a key on a route, for a project that it sees or does not see. */
function refusalOf(key: KeyName | null, { route, need, sees }: { route: string; need: string; sees: boolean }) {
  if (need === 'open') return undefined
  if (key === null) return 'UNAUTHORIZED'
  const reads = /reader/i.test(key)
  if (reads && (need === 'write' || need === 'clone' || need === 'pipeline')) return 'FORBIDDEN'
  if (need === 'whole') return /shop|both/i.test(key) ? 'FORBIDDEN' : undefined
  if (sees) return undefined
  if (need === 'clone') return 'FORBIDDEN'
  if (route.includes('/jobs/:id')) return 'JOB_NOT_FOUND'
  if (route.includes('/ui/resolutions/:id')) return undefined // their ids are others
  return /projects\/:name|POST \/ui\/resolutions|resolve|improve|self-heal|fix|bisect|POST \/(?:tasks|features)/.test(
    route,
  )
    ? 'PROJECT_NOT_FOUND'
    : undefined
}

test('every route declares what it needs of a key', async t => {
  const { app } = await buildApp(t)
  await app.ready()
  t.ok(app.routeNeeds.size > 40, 'the routes were found')
  for (const [route, need] of app.routeNeeds) t.not(need, null, `${route} stands in src/http/route-access.ts`)
})

test('each route lets in the keys that may use it, and no others', async t => {
  const { app, as, waitingJob } = await buildTwoProjects(t)
  const keys = [null, ...Object.keys(SCOPES)] as Array<KeyName | null>
  await waitingJob('shop') // so that none of the requests can delete a project
  await waitingJob('api')
  const routes = [...app.routeNeeds].filter(([route]) => !/^HEAD | \/docs| \/ui\/sign-/.test(route)) // signing in is test/web/sign-in.test.ts
  t.ok(routes.length > 20)
  for (const [route, need] of routes) {
    for (const project of ['shop', 'api']) {
      for (const key of keys) {
        const job = route.includes(':id') ? await waitingJob(project) : ''
        const res = await as(key, requestTo(route, { project, job }))
        const code = codeOf(res)
        const sees = project === 'shop' || !/^shop/.test(key ?? '')
        const want = refusalOf(key, { route, need: need ?? '', sees })
        const got = REFUSALS.has(code) && route !== 'POST /webhooks/ci' ? code : undefined
        t.equal(got, want, `${key} ${route} ${project}: ${res.statusCode} ${code}`)
        if (got === 'FORBIDDEN' && !route.includes(' /ui')) {
          t.match(res.json(), { status: 403, detail: RegExp(`"${key}"`), fix: /\w{3}/ })
        }
      }
    }
  }
})

test('what a key does not see answers word for word as what is not there', async t => {
  const { app, as, waitingJob } = await buildTwoProjects(t)
  const hidden = { project: 'api', job: await waitingJob('api') }
  const unknown = { project: 'nope', job: crypto.randomUUID() }
  const told = async (route: string, about: typeof hidden) => {
    const { body, statusCode } = await as('shopWriter', requestTo(route, about))
    const text = body.replace(/req_[0-9a-f-]+/, '').replaceAll(/name="_csrf" value="[^"]*"/g, '')
    return { statusCode, text: text.replaceAll(about.job, 'JOB').replaceAll(`"${about.project}\\"`, '"P\\"') }
  }
  let routes = 0
  for (const [route] of app.routeNeeds) {
    if (/^HEAD/.test(route) || !/:name|:id|resolve\b|improve|self-heal|fix|bisect|clone/.test(route)) continue
    if (route.includes('/resolutions')) continue // their ids are others: test/routes/resolutions.test.ts
    routes++
    const answer = await told(route, hidden)
    t.ok(answer.statusCode === 404 || /^POST .*(?:clone|projects)$/.test(route), `${route} ${answer.statusCode}`)
    t.same(
      { ...answer, text: answer.text.replaceAll('api', 'P') },
      { ...(await told(route, unknown)), text: (await told(route, unknown)).text.replaceAll('nope', 'P') },
      route,
    )
  }
  t.ok(routes > 18, String(routes))
  const files = await as('shopWriter', {
    method: 'POST',
    url: '/improve',
    body: { prompt: 'x', job_id: hidden.job },
  })
  t.match(files.json(), { code: 'JOB_NOT_FOUND' }, 'the job that files are taken from')
  const job = await waitingJob('shop')
  for (const [body, code] of [
    [{ project_name: 'api' }, 'PROJECT_NOT_FOUND'],
    [{ job_id: hidden.job }, 'JOB_NOT_FOUND'],
  ] as const) {
    const retry = await as('shopWriter', { method: 'POST', url: `/jobs/${job}/retry`, body })
    t.match(retry.json(), { code }, JSON.stringify(body))
  }
})

test('lists, their pages and cursors, and metrics tell of what a key sees alone', async t => {
  const { as, waitingJob } = await buildTwoProjects(t)
  const ofShop = [await waitingJob('shop'), await waitingJob('SHOP')]
  for (let i = 0; i < 3; i++) await waitingJob('api')
  const own = await waitingJob(null, 'shopReader')
  await waitingJob(null, 'admin')
  await waitingJob(null, null)
  const names = async (key: KeyName) =>
    (await as(key, { url: '/projects' })).json().data.map((one: { project_name: string }) => one.project_name)
  t.same(await names('shopReader'), ['shop'])
  t.same((await names('bothReader')).sort(), ['api', 'shop'])
  t.match((await as('shopReader', { url: '/projects?limit=1' })).json(), { next_cursor: null })
  const cursor = Buffer.from('api').toString('base64url')
  t.match((await as('shopReader', { url: `/projects?cursor=${cursor}` })).json(), { detail: /is gone/ })

  const ids: string[] = []
  let page = (await as('shopReader', { url: '/jobs?type=task&limit=1' })).json()
  for (; ; page = (await as('shopReader', { url: `/jobs?type=task&limit=1&cursor=${page.next_cursor}` })).json()) {
    t.equal(page.data.length, 1)
    ids.push(page.data[0].id)
    if (page.next_cursor === null) break
  }
  t.same(ids, [own, ...ofShop.toReversed()])
  t.same((await as('shopReader', { url: '/jobs?project_name=api' })).json(), { data: [], next_cursor: null })
  t.equal((await as('shopReader', { url: `/jobs/${own}` })).statusCode, 200)
  t.equal((await as('shopWriter', { url: `/jobs/${own}` })).statusCode, 404, 'of no project, made by another key')

  const metrics = (await as('shopReader', { url: '/metrics' })).body
  t.match(metrics, /faultline_index_chunks\{project="shop"\} \d/)
  t.match(metrics, 'faultline_jobs{type="task",state="waiting"} 3')
  t.notMatch(metrics, /api|http_request|job_bytes|process_/)
  const all = (await as('admin', { url: '/metrics' })).body
  t.match(all, /project="api"/)
  t.match(all, 'faultline_jobs{type="task",state="waiting"} 8')
})

test('a key that may only read gets answers for which no model is called, and makes no job', async t => {
  await using model = await startModelServer({ chat: [{ text: 'an answer' }] })
  const { as } = await buildTwoProjects(t, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
  const resolve = (body: object, headers = {}) =>
    as('reader', {
      method: 'POST',
      url: '/resolve',
      headers,
      body: { stacktrace: SHOP_TRACE, project_name: 'shop', ...body },
    })
  const refused = await resolve({})
  t.match(refused.json(), { status: 403, code: 'FORBIDDEN', fix: /^Send "mode": "context"/ })
  t.match(refused.headers['content-type'], /^application\/problem\+json/)
  t.equal((await resolve({ mode: 'answer' }, { accept: 'text/event-stream' })).statusCode, 403)
  t.match((await resolve({ mode: 'context' }, { prefer: 'respond-async' })).json(), { fix: /^Leave Prefer/ })
  t.match((await resolve({ mode: 'context' })).json(), { answer_status: 'not_requested' })
  t.match((await resolve({ dry_run: true })).json(), { messages: [{}] })
  const asText = await as('reader', {
    method: 'POST',
    url: '/resolve?project_name=shop&mode=context',
    headers: { 'content-type': 'text/plain' },
    body: SHOP_TRACE,
  })
  t.equal(asText.statusCode, 200, asText.body)
  const generate = { method: 'POST', url: '/generate', body: { prompt: 'a game', dry_run: true } } as const
  t.match((await as('reader', generate)).json(), { messages: [{}] })
  t.match((await as('reader', { ...generate, body: { prompt: 'a game' } })).json(), { fix: /^Send "dry_run": true/ })
  t.equal(model.requests.length, 0)
  t.same((await as('reader', { url: '/jobs?type=resolve' })).json().data, [])
})

test('without a model a key that may only read gets what there is', async t => {
  const { as } = await buildTwoProjects(t)
  const body = { stacktrace: SHOP_TRACE, project_name: 'shop' }
  t.match((await as('reader', { method: 'POST', url: '/resolve', body })).json(), { answer_status: 'not_configured' })
})

test('a key that is bound to projects makes these alone, whichever there are', async t => {
  const { as, reposDir } = await buildTwoProjects(t)
  const url = join(reposDir, 'shop.git')
  const clone = (body: object) => as('shopWriter', { method: 'POST', url: '/clone?wait=60', body: { url, ...body } })
  for (const name of ['api', 'new']) {
    t.match((await clone({ project_name: name })).json(), { code: 'FORBIDDEN', fix: 'Send project_name: shop.' }, name)
  }
  t.match((await clone({})).json(), { code: 'FORBIDDEN', fix: 'Send project_name: shop.' })
  t.match((await clone({ project_name: 'SHOP' })).json(), { status: 'succeeded', project_name: 'shop' })
})

test('a route that declares nothing is for keys that may do everything', async t => {
  const { app } = await buildApp(t, { env: { API_KEYS } })
  app.get('/undeclared', async () => ({ ok: true }))
  const status = async (name: KeyName) =>
    (await app.inject({ url: '/undeclared', headers: { authorization: `Bearer ${keyOf(name)}` } })).statusCode
  t.same(await Promise.all((['admin', 'writer', 'reader', 'shopWriter'] as const).map(status)), [200, 200, 403, 403])
})
