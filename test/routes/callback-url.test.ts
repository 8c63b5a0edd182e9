import { join } from 'node:path'
import { test, type Test } from 'tap'
import { isSignedWebhook, type WebhookHeaders } from '../../src/core/webhook.ts'
import { startCallbackReceiver } from '../fakes/callback-receiver.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const KEY = Buffer.from('a secret of this test')
const SECRETS = { WEBHOOK_SECRETS: `ci=${KEY.toString()}` }
const ASYNC = { prefer: 'respond-async, wait=60' }
const RESOLVE = { project_name: 'shop', stacktrace: SHOP_TRACE, mode: 'context' }

async function shopApp(t: Test, env: Record<string, string>) {
  const receiver = await startCallbackReceiver()
  t.teardown(() => receiver[Symbol.asyncDispose]())
  const built = await buildApp(t, { env })
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const patch = (body: object) => built.app.inject({ method: 'PATCH', url: '/projects/shop', body })
  return { ...built, shop, receiver, patch }
}

test('the results of clone and resolve jobs are posted to callback_url, signed', async t => {
  const { app, shop, receiver } = await shopApp(t, { ...SECRETS, ALLOW_PRIVATE_HOSTS: 'true' })
  const clone = await cloneInto(t, { app }, { url: shop.dir, callback_url: receiver.url })
  const resolve = (
    await app.inject({
      method: 'POST',
      url: '/resolve',
      headers: ASYNC,
      body: { ...RESOLVE, callback_url: receiver.url },
    })
  ).json()
  t.equal(receiver.received.length, 2)
  for (const [index, job] of [clone, resolve].entries()) {
    const { body = Buffer.alloc(0), headers } = receiver.received[index] ?? {}
    t.ok(isSignedWebhook(headers as unknown as WebhookHeaders, body, [KEY]))
    t.same(JSON.parse(body.toString()), {
      id: job.id,
      type: job.type,
      project_name: 'shop',
      status: 'succeeded',
      result: job.result,
      error: null,
    })
  }
})

test('a clone that fails tells its callback why', async t => {
  const { app, shop, receiver } = await shopApp(t, { ...SECRETS, ALLOW_PRIVATE_HOSTS: 'true' })
  const job = (
    await app.inject({
      method: 'POST',
      url: '/clone?wait=60',
      body: { url: shop.dir, branch: 'nope', callback_url: receiver.url },
    })
  ).json()
  t.match(JSON.parse(String(receiver.received[0]?.body)), {
    id: job.id,
    type: 'clone',
    project_name: 'shop',
    status: 'failed',
    result: null,
    error: { code: 'BRANCH_NOT_FOUND' },
  })
})

test('a project has a default, which a request overrides and null takes away', async t => {
  const { app, shop, receiver, patch } = await shopApp(t, { ...SECRETS, ALLOW_PRIVATE_HOSTS: 'true' })
  await cloneInto(t, { app }, { url: shop.dir })
  t.equal((await app.inject('/projects/shop')).json().callback_url, null)
  t.equal((await patch({ callback_url: `${receiver.url}?default` })).json().callback_url, `${receiver.url}?default`)
  t.equal(
    (await patch({ in_app_exclude: [] })).json().callback_url,
    `${receiver.url}?default`,
    'other settings leave it',
  )
  t.equal((await app.inject('/projects/shop')).json().callback_url, `${receiver.url}?default`)

  await cloneInto(t, { app }, { url: shop.dir, project_name: 'SHOP' })
  await app.inject({ method: 'POST', url: '/resolve', headers: ASYNC, body: RESOLVE })
  await app.inject({
    method: 'POST',
    url: '/resolve',
    headers: ASYNC,
    body: { ...RESOLVE, callback_url: `${receiver.url}?own` },
  })
  t.equal(
    (await app.inject({ method: 'POST', url: '/resolve', body: RESOLVE })).statusCode,
    200,
    'what is answered at once goes nowhere else',
  )
  t.same(
    receiver.received.map(({ path }) => path),
    ['/hook?default', '/hook?default', '/hook?own'],
  )

  t.equal((await patch({ callback_url: null })).json().callback_url, null)
  await app.inject({ method: 'POST', url: '/resolve', headers: ASYNC, body: RESOLVE })
  t.equal(receiver.received.length, 3)
})

test('a callback_url that nothing could be sent to is refused before anything is stored', async t => {
  const { app, shop, patch } = await shopApp(t, SECRETS)
  await cloneInto(t, { app }, { url: shop.dir })
  const cases: Array<[string, number, string]> = [
    ['http://ci.example.com/', 400, 'VALIDATION_FAILED'],
    ['https://127.0.0.1/', 403, 'ADDRESS_REFUSED'],
    ['https://[fd00::1]/', 403, 'ADDRESS_REFUSED'],
    ['https://u:p@ci.example.com/', 400, 'VALIDATION_FAILED'],
  ]
  const count = async () => (await app.inject('/jobs')).json().data.length
  const before = await count()
  for (const [url, status, code] of cases) {
    for (const res of [
      await app.inject({ method: 'POST', url: '/clone', body: { url: shop.dir, callback_url: url } }),
      await app.inject({ method: 'POST', url: '/resolve', headers: ASYNC, body: { ...RESOLVE, callback_url: url } }),
      await patch({ callback_url: url }),
    ]) {
      t.match({ status: res.statusCode, code: res.json().code }, { status, code }, res.body)
    }
  }
  const atOnce = await app.inject({
    method: 'POST',
    url: '/resolve',
    body: { ...RESOLVE, callback_url: 'https://ci.example.com/' },
  })
  t.match(atOnce.json(), { status: 400, code: 'VALIDATION_FAILED', fix: /respond-async/ })
  t.equal(await count(), before)
  t.equal((await app.inject('/projects/shop')).json().callback_url, null)
})

test('without a secret to sign with, callback_url is refused and says which setting is missing', async t => {
  const { app, shop, patch } = await shopApp(t, { ALLOW_PRIVATE_HOSTS: 'true' })
  await cloneInto(t, { app }, { url: shop.dir })
  for (const res of [
    await patch({ callback_url: 'https://ci.example.com/' }),
    await app.inject({
      method: 'POST',
      url: '/clone',
      body: { url: shop.dir, callback_url: 'https://ci.example.com/' },
    }),
  ]) {
    t.match(res.json(), { status: 503, code: 'WEBHOOK_NOT_CONFIGURED', fix: /WEBHOOK_SECRETS=ci=/ })
  }
})

test('a resolve job is retried as a new one, with overrides that are checked like a new body', async t => {
  const { app, shop, receiver } = await shopApp(t, { ...SECRETS, ALLOW_PRIVATE_HOSTS: 'true' })
  await cloneInto(t, { app }, { url: shop.dir })
  const first = (
    await app.inject({ method: 'POST', url: '/resolve', headers: ASYNC, body: { ...RESOLVE, exception: 7 } })
  ).json()
  t.match(first, { status: 'failed', error: { code: 'EXCEPTION_NOT_FOUND' } })
  const retry = (body?: object) => app.inject({ method: 'POST', url: `/jobs/${first.id}/retry?wait=60`, body })
  t.match(
    (await retry()).json(),
    { type: 'resolve', status: 'failed', retry_of: first.id, error: { code: 'EXCEPTION_NOT_FOUND' } },
    'the body is that of the first',
  )
  t.match((await retry({ exception: 0, callback_url: receiver.url })).json(), {
    status: 'succeeded',
    trust: 'trusted',
    retry_of: first.id,
    result: [{ frames: [{}, { path: 'src/shop/prices.py' }] }],
  })
  t.equal(receiver.received.length, 1)
  t.match((await retry({ exception: -1 })).json(), { code: 'VALIDATION_FAILED' })
  t.match((await retry({ log: 'x' })).json(), { code: 'VALIDATION_FAILED' })
  t.match((await retry({ callback_url: 'ftp://x/' })).json(), { code: 'VALIDATION_FAILED' })
  t.match((await retry({ project_name: 'nobody' })).json(), { code: 'PROJECT_NOT_FOUND' })
})
