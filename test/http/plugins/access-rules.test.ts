import fastify, { type InjectOptions } from 'fastify'
import fp from 'fastify-plugin'
import { test, type Test } from 'tap'
import type { Access } from '../../../src/core/access.ts'
import type { FaultlineError } from '../../../src/core/errors.ts'
import access from '../../../src/http/plugins/access.ts'

const KEYS: Record<string, Access> = {
  all: { mayWrite: true, projects: null },
  reader: { mayWrite: false, projects: null },
  shopWriter: { mayWrite: true, projects: ['shop', 'cart'] },
  shopReader: { mayWrite: false, projects: ['shop'] },
}
/** By id: their projects, and the keys that made them. */
const JOBS: Record<string, { projectName: string | null; keyName: string | null }> = {
  ofShop: { projectName: 'Shop', keyName: 'all' },
  ofApi: { projectName: 'api', keyName: 'shopWriter' },
  own: { projectName: null, keyName: 'shopWriter' },
  others: { projectName: null, keyName: 'all' },
}
const ROUTES = [
  'GET /health',
  'POST /webhooks/ci',
  'GET /jobs',
  'GET /cluster',
  'GET /undeclared',
  'GET /projects/:name',
  'PATCH /projects/:name',
  'GET /jobs/:id',
  'POST /jobs/:id/retry',
  'POST /clone',
  'POST /resolve',
  'POST /generate',
  'POST /fix',
]

/** Routes that say `ok`, behind the rules; the key is named by a header. */
async function buildRoutes(t: Test, { hasModel = true } = {}) {
  const app = fastify()
  t.teardown(() => app.close())
  const jobs = { get: async (id: string) => JOBS[id] ?? { projectName: null, keyName: null } }
  app.decorate('services', { hasModel, jobs } as never)
  app.decorateRequest('access')
  app.decorateRequest('keyName', null)
  await app.register(
    fp(
      async of => {
        of.addHook('onRequest', async request => {
          const keyName = String(request.headers['x-key'])
          Object.assign(request, { keyName, access: KEYS[keyName] })
        })
      },
      { name: 'auth' },
    ),
  )
  app.setErrorHandler<FaultlineError>(({ code, message, fix }, _request, reply) =>
    reply.code(400).send({ told: `${code}: ${message} ${fix}` }),
  )
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ told: 'no route' }))
  await app.register(access)
  for (const route of ROUTES) {
    const [method = '', url = ''] = route.split(' ')
    app.route({ method, url, handler: async () => ({ told: 'ok' }) })
  }
  /** What a request comes to: `ok`, or the error in words. */
  async function ask(key: string, route: string, options: InjectOptions = {}): Promise<string> {
    const [method = '', url = ''] = route.split(' ')
    const headers = { ...options.headers, 'x-key': key }
    const res = await app.inject({ ...options, method: method as 'GET', url, headers })
    return res.json().told
  }
  return { ask, app }
}

const READS = /^FORBIDDEN: The key "\w+" may only read: it changes nothing and calls no model\. /
const WRITE_KEY = 'a key that may write: API_KEYS=name:key:write.'

test('every route is known with its need, by each of its methods', async t => {
  const { app } = await buildRoutes(t)
  t.equal(app.routeNeeds.get('GET /jobs'), 'read')
  t.equal(app.routeNeeds.get('HEAD /jobs'), 'read')
  t.equal(app.routeNeeds.get('POST /clone'), 'clone')
  t.equal(app.routeNeeds.get('GET /undeclared'), null)
})

test('a key that may do everything is asked nothing', async t => {
  const { ask } = await buildRoutes(t)
  for (const route of ROUTES) {
    t.equal(await ask('all', route.replace(':name', 'api').replace(':id', 'ofApi'), {}), 'ok', route)
  }
  t.equal(await ask('all', 'POST /clone', { body: { project_name: 'new' } }), 'ok')
})

test('a key that may only read is told what else it needs, before its body is read where that says nothing', async t => {
  const { ask } = await buildRoutes(t)
  for (const route of ['GET /health', 'GET /jobs', 'GET /cluster', 'GET /jobs/ofApi', 'GET /projects/api']) {
    t.equal(await ask('reader', route), 'ok', route)
  }
  for (const route of ['PATCH /projects/shop', 'POST /jobs/ofShop/retry', 'POST /clone']) {
    const told = await ask('reader', route, { headers: { 'content-type': 'application/json' }, payload: '{' })
    t.match(told, READS, route)
    t.ok(told.endsWith(` Use ${WRITE_KEY}`), told)
  }
  t.equal(
    await ask('reader', 'GET /undeclared'),
    'FORBIDDEN: The key "reader" may not do this. Use a key that may do everything.',
  )
  t.equal(await ask('reader', 'GET /nowhere'), 'no route')
  t.equal(await ask('shopReader', 'POST /nowhere'), 'no route')
})

test('a key that may only read gets a dry run of each pipeline', async t => {
  const { ask } = await buildRoutes(t)
  for (const route of ['POST /generate', 'POST /fix']) {
    t.equal(await ask('reader', route, { body: { dry_run: true } }), 'ok')
    for (const body of [{}, { dry_run: false }, { dry_run: 'true' }]) {
      const told = await ask('reader', route, { body })
      t.match(told, READS)
      t.ok(told.endsWith(` Send "dry_run": true, for which no model is called. Or use ${WRITE_KEY}`), told)
    }
    t.equal(await ask('shopWriter', route, { body: {} }), 'ok')
    t.match(await ask('reader', route), /Send "dry_run": true/, 'no body')
    for (const payload of ['null', '"dry_run"', '[]']) {
      const headers = { 'content-type': 'application/json' }
      t.match(await ask('reader', route, { headers, payload }), /Send "dry_run": true/, payload)
      t.equal(await ask('shopWriter', route, { headers, payload }), 'ok', payload)
    }
  }
})

test('a key that may only read resolves where no model is called and no job is made', async t => {
  const { ask } = await buildRoutes(t)
  const resolve = (body: object, prefer?: string) =>
    ask('reader', 'POST /resolve', { body, headers: prefer === undefined ? {} : { prefer } })
  t.equal(await resolve({ dry_run: true }), 'ok')
  t.equal(await resolve({ dry_run: true }, 'respond-async'), 'ok')
  t.equal(await resolve({ mode: 'context' }), 'ok')
  t.equal(await resolve({ mode: 'context' }, 'wait=5'), 'ok')
  for (const body of [{}, { mode: 'answer' }]) t.match(await resolve(body), /Send "mode": "context", for which no/)
  t.match(await resolve({ mode: 'context' }, 'wait=5, respond-async'), /Leave Prefer: respond-async out, which makes/)
  const without = await buildRoutes(t, { hasModel: false })
  t.equal(await without.ask('reader', 'POST /resolve', { body: {} }), 'ok')
  t.match(
    await without.ask('reader', 'POST /resolve', { body: {}, headers: { prefer: 'respond-async' } }),
    /respond-async/,
  )
})

test('a key that is bound to projects sees these alone, whatever their names are written as', async t => {
  const { ask } = await buildRoutes(t)
  for (const key of ['shopWriter', 'shopReader']) {
    t.equal(await ask(key, 'GET /health'), 'ok')
    t.equal(await ask(key, 'GET /jobs'), 'ok')
    t.equal(await ask(key, 'GET /projects/SHOP'), 'ok')
    t.match(await ask(key, 'GET /projects/api'), /^PROJECT_NOT_FOUND: There is no project "api"\. /)
    t.match(
      await ask(key, 'GET /cluster'),
      `FORBIDDEN: The key "${key}" is bound to projects. Use a key that sees all projects.`,
    )
  }
  t.equal(await ask('shopWriter', 'POST /fix', { body: { project_name: 'cart' } }), 'ok')
  t.match(await ask('shopWriter', 'POST /fix', { body: { project_name: 'api' } }), /^PROJECT_NOT_FOUND/)
  t.match(await ask('shopWriter', 'PATCH /projects/shop', { body: { project_name: 'api' } }), /^PROJECT_NOT_FOUND/)
  t.equal(await ask('shopWriter', 'POST /fix', { body: { project_name: 7 } }), 'ok', 'the schema speaks of that')
  const webhook = await ask('shopReader', 'POST /webhooks/ci', { body: { project_name: 'api', job_id: 'ofApi' } })
  t.equal(webhook, 'ok', 'what needs no key is the same with one')
})

test('jobs are seen by their projects, and of no project by the key that made them', async t => {
  const { ask } = await buildRoutes(t)
  t.equal(await ask('shopWriter', 'GET /jobs/ofShop'), 'ok')
  t.equal(await ask('shopWriter', 'GET /jobs/own'), 'ok')
  for (const id of ['ofApi', 'others']) {
    t.match(await ask('shopWriter', `GET /jobs/${id}`), `JOB_NOT_FOUND: There is no job "${id}". `)
    t.match(await ask('shopWriter', 'POST /generate', { body: { job_id: id } }), /^JOB_NOT_FOUND/)
  }
  t.match(await ask('shopReader', 'GET /jobs/own'), /^JOB_NOT_FOUND/)
  t.equal(await ask('reader', 'GET /jobs/others'), 'ok')
  t.match(await ask('shopWriter', 'POST /jobs/ofShop/retry', { body: { job_id: 'ofApi' } }), /"ofApi"/)
})

test('a key that is bound to projects makes these alone', async t => {
  const { ask } = await buildRoutes(t)
  const clone = (body: object) => ask('shopWriter', 'POST /clone', { body })
  t.equal(await clone({ project_name: 'Cart' }), 'ok')
  const fix = 'Send project_name: shop or cart.'
  t.equal(
    await clone({ project_name: 'new' }),
    `FORBIDDEN: The key "shopWriter" may not make the project "new". ${fix}`,
  )
  for (const body of [{}, { project_name: 7 }, { project_name: null }]) {
    t.equal(await clone(body), `FORBIDDEN: The key "shopWriter" is bound to projects. ${fix}`)
  }
})
