import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type Test } from 'tap'
import { unpackJson } from '../../src/jobs/store/packed-json.ts'
import { isSignedWebhook, signWebhook, webhookHeadersProblem, type WebhookHeaders } from '../../src/core/webhook.ts'
import { startCallbackReceiver, type Answer } from '../fakes/callback-receiver.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { buildApp, cloneInto, type TestApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { testFolder } from '../helpers/test-folder.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZg=='
const KEY = Buffer.from('0123456789abcdef')
const OLD_KEY = Buffer.from('the secret before it')
const ENV = { WEBHOOK_SECRETS: `ci=${SECRET},ci=${OLD_KEY.toString()}`, ALLOW_PRIVATE_HOSTS: 'true' }

interface Posting {
  id?: string
  keys?: Buffer[]
  now?: Date
  headers?: Record<string, string | undefined>
}

/** Posts a body as a CI would, signed; `headers` changes some, undefined leaves one out. */
async function post(
  { app }: Pick<TestApp, 'app'>,
  body: unknown,
  { id = 'delivery-1', keys = [KEY], now = new Date(), headers = {} }: Posting = {},
) {
  const payload = Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const all: Record<string, string | undefined> = {
    'content-type': 'application/json',
    ...signWebhook({ id, body: payload, keys, now }),
    ...headers,
  }
  return app.inject({
    method: 'POST',
    url: '/webhooks/ci',
    payload,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >,
  })
}

async function shopApp(t: Test, env: Record<string, string> = {}) {
  const built = await buildApp(t, { env: { ...ENV, ...env } })
  const shop = await cloneShop(t, built)
  return { ...built, shop }
}

async function receiverWith(t: Test, ...answers: Answer[]) {
  const receiver = await startCallbackReceiver(...answers)
  t.teardown(() => receiver[Symbol.asyncDispose]())
  return receiver
}

const jobCount = async ({ app }: Pick<TestApp, 'app'>): Promise<number> =>
  (await app.inject('/jobs?type=resolve')).json().data.length
const BODY = { project_name: 'shop', log: SHOP_TRACE }

const OTHER_TRACE = SHOP_TRACE.replace('ZeroDivisionError: division by zero', 'TypeError: no price')
const CHAINED =
  `${SHOP_TRACE}\n\nThe above exception was the direct cause of the following exception:\n\n` +
  'Traceback (most recent call last):\n  File "/app/shop/report.py", line 2, in render\n' +
  '    return "average: %s" % summary["average"]\nRuntimeError: no report'

test('a signed log is a job before it is answered: one resolution for each distinct fault of the log', async t => {
  const built = await shopApp(t)
  const log = [
    '$ make test',
    SHOP_TRACE,
    'and again',
    SHOP_TRACE.replace('/app/', '/srv/app/'),
    'FAILED',
    OTHER_TRACE,
    CHAINED,
    '',
  ].join('\n\n')
  const res = await post(built, { ...BODY, project_name: 'SHOP', log })
  t.equal(res.statusCode, 202, res.body)
  const job = res.json()
  t.match(job, { type: 'resolve', trust: 'untrusted', project_name: 'shop' })
  t.match(res.headers, { location: `/jobs/${job.id}`, 'retry-after': '1' })
  t.equal(await jobCount(built), 1)

  const done = await built.services.jobs.settled(job.id, 60_000)
  t.equal(done.status, 'succeeded', JSON.stringify(done.error))
  const { result } = (await built.app.inject(`/jobs/${job.id}`)).json()
  t.same(
    result.map(({ exceptions }: { exceptions: Array<{ type: string; relation: string }> }) =>
      exceptions.map(({ type, relation }) => `${relation} ${type}`),
    ),
    [['root ZeroDivisionError'], ['root TypeError'], ['cause ZeroDivisionError', 'root RuntimeError']],
  )
  t.match(result[0], {
    id: /^res_/,
    answer_status: 'not_configured',
    frames: [{ path: 'src/shop/cart.py' }, { path: 'src/shop/prices.py', code_line: 6 }],
    context: />>> +6 \|/,
  })
  t.equal(result[0].frames.length, result[0].frames_total)
  t.match(result[2].sources[0], { path: 'src/shop/report.py', why: /^failing frame/ })
})

test('secrets of a long log are gone when its job has ended, from the file of the database, too', async t => {
  const built = await shopApp(t)
  const secret = ['sk', 'live', 'aB3dE6gH9jK2mN5pQ8sT1vW4'].join('_')
  const noise = Array.from(
    { length: 20_000 },
    (_, line) => `line ${line} ${((line * 2_654_435_761) >>> 0).toString(36)}`,
  )
  const log = `${noise.join('\n')}\nSTRIPE_KEY=${secret}\n${noise.join('\n')}\n${SHOP_TRACE}`
  t.ok(log.length > 262_144)
  const { id } = (await post(built, { ...BODY, log })).json()
  t.match(await built.services.jobs.settled(id, 60_000), { status: 'succeeded' })
  t.match((await built.app.inject(`/jobs/${id}`)).json().result, [{ frames: [{ path: 'src/shop/cart.py' }, {}] }])
  using db = new DatabaseSync(join(built.root, 'data', 'jobs.sqlite'), { readOnly: true })
  const rows = db.prepare('SELECT packed FROM job_inputs').all()
  const stored = rows.map(({ packed }) => unpackJson(packed as Uint8Array))
  t.equal(stored.length, 1)
  t.match(stored, [{ log: /STRIPE_KEY=\[redacted:[a-z-]+\]\nline 0 / }])
  t.notMatch(JSON.stringify(stored), secret)
})

test('the same delivery again is the first job, whatever it brings this time', async t => {
  const built = await shopApp(t)
  const first = await post(built, BODY)
  const again = await post(built, { ...BODY, log: OTHER_TRACE }, { now: new Date(Date.now() + 1000), keys: [OLD_KEY] })
  t.equal(again.statusCode, 200)
  t.equal(again.json().id, first.json().id)
  t.match(again.headers, { location: `/jobs/${first.json().id}`, 'idempotency-replayed': 'true' })
  t.not((await post(built, BODY, { id: 'delivery-2' })).json().id, first.json().id)
  t.equal(await jobCount(built), 2)
})

test('what is not signed with a secret of this server is refused, and nothing is stored', async t => {
  const built = await shopApp(t)
  const minutes = (count: number) => new Date(Date.now() + count * 60_000)
  const cases: Array<[string, Posting, Buffer?]> = [
    ['no signature', { headers: { 'webhook-signature': undefined } }],
    ['no id', { headers: { 'webhook-id': undefined } }],
    ['no timestamp', { headers: { 'webhook-timestamp': undefined } }],
    ['an empty signature', { headers: { 'webhook-signature': '' } }],
    ['another key', { keys: [Buffer.from('guessed')] }],
    ['another id', { headers: { 'webhook-id': 'delivery-9' } }],
    [
      'a body that was changed',
      { headers: { ...signWebhook({ id: 'delivery-1', body: '{}', keys: [KEY], now: new Date() }) } },
    ],
    ['five minutes old', { now: minutes(-5) }],
    ['five minutes ahead', { now: minutes(5.1) }],
    ['no JSON, and not signed', { keys: [Buffer.from('guessed')] }, Buffer.from('not json')],
    [
      'plain text, and not signed',
      { keys: [Buffer.from('guessed')], headers: { 'content-type': 'text/plain' } },
      Buffer.from('x'),
    ],
  ]
  for (const [name, posting, body] of cases) {
    const res = await post(built, body ?? BODY, posting)
    t.equal(res.statusCode, 401, name)
    t.match(res.json(), { code: 'UNAUTHORIZED', fix: /docs\/ci\.md/ }, name)
    t.notMatch(res.body, /0123456789abcdef|v1,[A-Za-z0-9+/]{20}/, name)
  }
  t.equal(await jobCount(built), 0)
})

test('one of several signatures and one of several secrets suffice, so that a secret can be changed', async t => {
  const built = await shopApp(t)
  t.equal((await post(built, BODY, { id: 'old', keys: [OLD_KEY] })).statusCode, 202)
  t.equal((await post(built, BODY, { id: 'both', keys: [Buffer.from('the next'), KEY] })).statusCode, 202)
  t.equal((await post(built, BODY, { id: 'late', now: new Date(Date.now() - 290_000) })).statusCode, 202)
})

test('without a secret the route is off, and other routes take no webhooks', async t => {
  const built = await buildApp(t)
  const res = await post(built, BODY)
  t.equal(res.statusCode, 503)
  t.match(res.json(), { code: 'WEBHOOK_NOT_CONFIGURED', fix: /WEBHOOK_SECRETS=ci=/ })
  t.equal((await built.app.inject({ method: 'POST', url: '/webhooks/github', body: {} })).statusCode, 404)
  t.equal((await built.app.inject('/webhooks/ci')).statusCode, 405)
})

test('with API keys a signature is enough', async t => {
  const built = await buildApp(t, { env: { ...ENV, API_KEYS: 'ann:ann-has-a-key-of-some-length' } })
  t.match((await post(built, { ...BODY, project_name: 'nobody' })).json(), { status: 404, code: 'PROJECT_NOT_FOUND' })
})

test('a signed body is checked like any other', async t => {
  const built = await shopApp(t, { ALLOW_PRIVATE_HOSTS: 'false' })
  const cases: Array<[unknown, number, string]> = [
    [{ ...BODY, more: 1 }, 400, 'VALIDATION_FAILED'],
    [{ project_name: 'shop' }, 400, 'VALIDATION_FAILED'],
    [{ ...BODY, log: 7 }, 400, 'VALIDATION_FAILED'],
    [{ ...BODY, log: '' }, 400, 'VALIDATION_FAILED'],
    [[BODY], 400, 'VALIDATION_FAILED'],
    [Buffer.from(''), 400, 'MALFORMED_JSON'],
    [Buffer.from('{"project_name":'), 400, 'MALFORMED_JSON'],
    [Buffer.from('{"project_name":"shop","log":"x","__proto__":{"y":1}}'), 400, 'MALFORMED_JSON'],
    [{ ...BODY, log: 'é'.repeat(5_500_000) }, 413, 'PAYLOAD_TOO_LARGE'],
    [{ ...BODY, callback_url: 'http://ci.example.com/' }, 400, 'VALIDATION_FAILED'],
    [{ ...BODY, callback_url: 'https://169.254.169.254/' }, 403, 'ADDRESS_REFUSED'],
    [{ ...BODY, callback_url: 'https://localhost:8443/' }, 403, 'ADDRESS_REFUSED'],
    [{ ...BODY, project_name: 'nobody' }, 404, 'PROJECT_NOT_FOUND'],
  ]
  for (const [body, status, code] of cases) {
    const res = await post(built, body)
    t.equal(res.statusCode, status, res.body)
    t.equal(res.json().code, code, res.body)
  }
  t.equal(await jobCount(built), 0)
})

test('the result is posted to callback_url, signed with the same secrets, and again until it is taken', async t => {
  const receiver = await receiverWith(t, 500)
  const built = await shopApp(t)
  const { id } = (await post(built, { ...BODY, callback_url: receiver.url })).json()
  await built.services.jobs.settled(id, 60_000)
  const [first, second] = receiver.received
  t.equal(receiver.received.length, 2)
  t.equal(first?.body.toString(), second?.body.toString())
  const headers = second?.headers as unknown as WebhookHeaders
  t.equal(headers['webhook-id'], id)
  t.equal(webhookHeadersProblem(headers, new Date()), null)
  for (const key of [KEY, OLD_KEY]) t.ok(isSignedWebhook(headers, second?.body ?? Buffer.alloc(0), [key]))
  const job = (await built.app.inject(`/jobs/${id}`)).json()
  t.same(JSON.parse(String(second?.body)), {
    id,
    type: 'resolve',
    project_name: 'shop',
    status: 'succeeded',
    result: job.result,
    error: null,
  })
  t.match(
    (await built.app.inject(`/jobs/${id}/events`)).json().data.map(({ data }: { data: object }) => data),
    [
      { status: 'queued' },
      { status: 'running' },
      { step: 'redact' },
      { step: 'faults' },
      { step: 'resolve 1' },
      { step: 'resolve', done: 1, total: 1 },
      { step: 'origins' },
      { text: 'The result was delivered: 204.' },
      { step: 'deliver' },
      { status: 'succeeded' },
    ],
  )
})

test('a callback that nobody takes costs the job nothing but time', async t => {
  const receiver = await receiverWith(t, 410)
  const built = await shopApp(t)
  const { id } = (await post(built, { ...BODY, callback_url: receiver.url })).json()
  t.match(await built.services.jobs.settled(id, 60_000), { status: 'succeeded', result: [{ projectName: 'shop' }] })
  t.match(
    (await built.app.inject(`/jobs/${id}/events`))
      .json()
      .data.map(({ data }: { data: { text?: string } }) => data.text)
      .filter(Boolean),
    [/could not be delivered to callback_url \(1 tries\): it answered 410/],
  )
})

test('a retry is checked like a new delivery', async t => {
  const built = await shopApp(t)
  const { id } = (await post(built, BODY)).json()
  await built.services.jobs.settled(id, 60_000)
  const retry = async (body: object) => built.app.inject({ method: 'POST', url: `/jobs/${id}/retry`, body })
  t.match((await retry({ stacktrace: 'x' })).json(), { code: 'VALIDATION_FAILED' })
  t.match((await retry({ callback_url: 'ftp://x/' })).json(), { code: 'VALIDATION_FAILED' })
  const again = await retry({})
  t.match(again.json(), { trust: 'untrusted', retry_of: id }, again.body)
  await built.app.inject({ method: 'DELETE', url: '/projects/shop' })
  t.match((await retry({ project_name: 'nobody' })).json(), { code: 'PROJECT_NOT_FOUND' })
})

test('the code is read at the commit that CI ran, where the clone has it', async t => {
  const built = await shopApp(t)
  const before = built.shop.git('rev-parse', 'main')
  built.shop.commit({ 'src/shop/prices.py': '"""Rewritten."""\n' })
  await cloneInto(t, built, { url: built.shop.dir })
  const at = async (id: string, commit: string) => {
    const job = (await post(built, { ...BODY, commit }, { id })).json()
    await built.services.jobs.settled(job.id, 60_000)
    return (await built.app.inject(`/jobs/${job.id}`)).json().result
  }
  t.match(await at('then', before), [{ commit: before, frames: [{}, { path: 'src/shop/prices.py', code_line: 6 }] }])
  t.match(await at('unknown', 'f'.repeat(40)), [{ commit: built.shop.git('rev-parse', 'main') }])
  t.match(await at('no-name-of-git', '--upload-pack=x'), [{ commit: built.shop.git('rev-parse', 'main') }])
})

test('a log without a fault ends with a result that says so', async t => {
  const built = await shopApp(t)
  for (const [id, log] of [
    ['words', 'all 12 tests passed'],
    ['nothing', '---\n'],
  ] as const) {
    const { id: jobId } = (await post(built, { ...BODY, log }, { id })).json()
    t.match(await built.services.jobs.settled(jobId, 60_000), { status: 'succeeded' }, id)
    const { result } = (await built.app.inject(`/jobs/${jobId}`)).json()
    t.equal(result.length, 1)
    t.match(
      result,
      [
        {
          id: /^res_/,
          commit: built.shop.git('rev-parse', 'main'),
          exceptions: [],
          frames: [],
          notice: /^No fault was found in the 1 line of this log\. Looked for: /,
          answer_error: { code: 'NO_STACK_TRACE' },
        },
      ],
      id,
    )
    t.ok(
      (await built.app.inject(`/jobs/${jobId}/events`))
        .json()
        .data.some(({ data }: { data: { text?: string } }) => /^No fault was found/.test(data.text ?? '')),
    )
  }
})

test('twenty faults at most are resolved, those in code of the project before the others', async t => {
  const built = await shopApp(t)
  const foreign = Array.from(
    { length: 25 },
    (_, index) =>
      `Traceback (most recent call last):\n  File "/usr/lib/python3/other.py", line 3, in f${index}\n` +
      `    g()\nError${String.fromCharCode(65 + index)}: no`,
  )
  const job = (await post(built, { ...BODY, log: [...foreign, SHOP_TRACE].join('\n') })).json()
  const { result } = (await built.services.jobs.settled(job.id, 60_000)) as unknown as {
    result: Array<{ exceptions: Array<{ type: string }> }>
  }
  t.equal(result.length, 20)
  t.equal(result.at(-1)?.exceptions[0]?.type, 'ZeroDivisionError')
  t.ok(
    (await built.app.inject(`/jobs/${job.id}/events`))
      .json()
      .data.some(
        ({ data }: { data: { text?: string } }) =>
          data.text === 'The log holds 26 distinct faults: 20 of them are resolved.',
      ),
  )
})

test('the model is asked once for each fault, also when the job is retried from its delivery', async t => {
  const receiver = await receiverWith(t)
  const model = await startModelServer({ otherwise: { text: '## Why\nIt is empty.' } })
  t.teardown(() => model.close())
  const built = await shopApp(t, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' })
  const { id } = (
    await post(built, { ...BODY, log: `${SHOP_TRACE}\n${OTHER_TRACE}`, callback_url: `${receiver.url}?first` })
  ).json()
  t.match(await built.services.jobs.settled(id, 60_000), {
    status: 'succeeded',
    usage: { llmCalls: 2 },
    result: [{ answerStatus: 'ok' }, { answerStatus: 'ok' }],
  })
  t.equal(model.requests.length, 2)

  const retry = async (body: object) => built.app.inject({ method: 'POST', url: `/jobs/${id}/retry`, body })
  t.equal((await retry({ from_step: 'deliver', log: 'other' })).statusCode, 400)
  const again = await retry({ from_step: 'deliver', callback_url: `${receiver.url}?second` })
  t.match(again.json(), { trust: 'untrusted', retry_of: id }, again.body)
  t.match(await built.services.jobs.settled(again.json().id, 60_000), { status: 'succeeded' })
  t.same(
    receiver.received.map(({ path }) => path),
    ['/hook?first', '/hook?second'],
  )
  t.equal(model.requests.length, 2)
})

test('a job that the server stopped is delivered after the restart, and its faults are not resolved again', async t => {
  const silent = await receiverWith(t, () => {})
  const model = await startModelServer({ otherwise: { text: '## Why\nIt is empty.' } })
  t.teardown(() => model.close())
  const root = testFolder(t)
  const env = { ...ENV, LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'm' }
  const built = await buildApp(t, { root, env })
  await cloneShop(t, built)
  const { id } = (await post(built, { ...BODY, callback_url: silent.url })).json()
  await silent.waitFor(1)
  await built.close()
  const next = await buildApp(t, { root, env })
  t.match(await next.services.jobs.settled(id, 60_000), { status: 'succeeded' })
  t.equal(model.requests.length, 1)
  t.same(
    silent.received.map(({ headers }) => headers['webhook-id']),
    [id, id],
  )
})
