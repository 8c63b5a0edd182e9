import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, type TestApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const FILES = { 'shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n' }
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 3, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'
const REPLY = '## Cause\n\nAn empty list.\n\n## Fix\n\nReturn 0.\n\n## Code\n\nNone.\n'

const post = async ({ app }: Pick<TestApp, 'app'>, body: object, headers: Record<string, string> = {}) =>
  await app.inject({
    method: 'POST',
    url: '/resolve',
    headers,
    body: { project_name: 'shop', stacktrace: TRACE, ...body },
  })

test('an answer stays: by its id, as JSON, text and Markdown, and in the list of its project and its fault', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const answer = (await post(built, { stacktrace: SHOP_TRACE, mode: 'context' })).json()
  const kept = await built.app.inject(`/resolutions/${answer.id}`)
  t.equal(kept.statusCode, 200, kept.body)
  t.match(kept.json(), { id: answer.id, context: answer.context, frames: answer.frames, dropped: answer.dropped })
  t.notOk('stacktrace' in kept.json())
  t.equal((await built.app.inject(`/resolutions/${answer.id}?with_trace=true`)).json().stacktrace, SHOP_TRACE)
  const text = await built.app.inject({ url: `/resolutions/${answer.id}`, headers: { accept: 'text/plain' } })
  t.match(text.body, /^ZeroDivisionError: division by zero\n/)
  const markdown = await built.app.inject({ url: `/resolutions/${answer.id}`, headers: { accept: 'text/markdown' } })
  t.match(markdown.body, /^## `ZeroDivisionError`/)

  const [{ fingerprint }] = answer.exceptions
  const list = async (query: string) => (await built.app.inject(`/resolutions${query}`)).json()
  t.match(await list(`?project_name=shop&fingerprint=${fingerprint}`), {
    data: [{ id: answer.id, title: 'ZeroDivisionError: division by zero', fingerprints: [fingerprint], feedback: [] }],
    next_cursor: null,
  })
  t.same((await list('?project_name=other')).data, [])
  const missing = await built.app.inject(`/resolutions/res_${'0'.repeat(24)}`)
  t.equal(missing.statusCode, 404)
  t.match(missing.json(), { code: 'RESOLUTION_NOT_FOUND' })
  t.equal((await built.app.inject('/resolutions/../etc')).statusCode, 404)
})

test('the same question a moment later has the same id and says that it is cached', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const first = (await post(built, { stacktrace: SHOP_TRACE, mode: 'context' })).json()
  const again = (await post(built, { stacktrace: SHOP_TRACE, mode: 'context' })).json()
  t.equal(first.cached, undefined)
  t.match(again, { id: first.id, cached: true, context: first.context })
  t.not((await post(built, { stacktrace: SHOP_TRACE, mode: 'context', detail: 'full' })).json().id, first.id)
  t.equal((await built.app.inject('/resolutions')).json().data.length, 2)
})

test('a model is asked once for equal questions, a thousand at once or one later', async t => {
  const built = await buildProject(t, FILES, [{ text: REPLY }])
  const many = await Promise.all(Array.from({ length: 1_000 }, () => post(built, {})))
  t.ok(many.every(({ statusCode }) => statusCode === 200))
  const answers = many.map(res => res.json())
  const [id] = new Set(answers.map(answer => answer.id))
  t.ok(answers.every(answer => answer.id === id))
  t.equal((await built.app.inject(`/resolutions/${id}?with_trace=true`)).json().stacktrace, TRACE)
  t.equal(built.model.requests.length, 1)
  t.equal(answers.filter(({ cached }) => cached === true).length, 999)
  t.same(
    [...new Set(answers.map(({ usage }) => usage.llm_calls))].sort(),
    [0, 1],
    'only the one that was asked cost something',
  )
  const later = (await post(built, {})).json()
  t.match(later, { cached: true, answer: { text: REPLY.trim() }, answer_status: 'ok' })
  t.equal(built.model.requests.length, 1)
})

test('another model, another language or another trace is another question', async t => {
  const built = await buildProject(t, FILES, [{ text: REPLY }, { text: REPLY }, { text: REPLY }, { text: REPLY }])
  for (const body of [{}, { model: 'other' }, { locale: 'de' }, { stacktrace: `${TRACE}!` }, {}]) {
    await post(built, body)
  }
  t.equal(built.model.requests.length, 4)
})

test('an answer that failed is kept, but asked for again', async t => {
  const fault = { status: 400, body: { error: { message: 'no' } } }
  const built = await buildProject(t, FILES, [fault, { text: REPLY }])
  const failed = (await post(built, {})).json()
  t.equal(failed.answer_status, 'failed')
  t.match((await built.app.inject(`/resolutions/${failed.id}`)).json(), { answer_status: 'failed' })
  t.match((await post(built, {})).json(), { answer_status: 'ok', cached: undefined })
})

test('a stream of an equal question gets the words at once', async t => {
  const built = await buildProject(t, FILES, [{ text: REPLY }])
  await post(built, {})
  const { body } = await post(built, {}, { accept: 'text/event-stream' })
  const events = [...body.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
  t.same(events, ['located', 'token', 'done'])
  t.equal(built.model.requests.length, 1)
})

test('who leaves does not take the answer from those who wait for the same', async t => {
  const held = Promise.withResolvers<void>()
  const built = await buildProject(t, FILES, [{ text: REPLY, heldUntil: held.promise }])
  const leaving = new AbortController()
  const left = built.services.resolving
    .resolve({ project_name: 'shop', stacktrace: TRACE }, { signal: leaving.signal })
    .catch((error: unknown) => error)
  const staying = built.services.resolving.resolve({ project_name: 'shop', stacktrace: TRACE })
  await built.model.waitForRequest(1)
  leaving.abort(new Error('gone'))
  t.match(await left, { message: 'gone' })
  held.resolve()
  t.match(await staying, { answerStatus: 'ok' })
  t.equal(built.model.requests.length, 1)
})

test('what people think of an answer is kept with it and counted', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const { id } = (await post(built, { stacktrace: SHOP_TRACE, mode: 'context' })).json()
  const judge = (body: object, of = id) =>
    built.app.inject({ method: 'POST', url: `/resolutions/${of}/feedback`, body })
  t.equal(
    (await judge({ helpful: false, comment: 'The cause is elsewhere.', actual_path: 'src/shop/cart.py' })).statusCode,
    204,
  )
  t.equal((await judge({ helpful: true })).statusCode, 204)
  t.equal((await judge({ helpful: true }, `res_${'0'.repeat(24)}`)).statusCode, 404)
  for (const wrong of [
    {},
    { helpful: 'yes' },
    { helpful: true, actual_path: '/etc/passwd' },
    { helpful: true, x: 1 },
  ]) {
    t.equal((await judge(wrong)).statusCode, 400, JSON.stringify(wrong))
  }
  const { data } = (await built.app.inject('/resolutions?with_feedback=true')).json()
  t.match(data, [
    {
      id,
      feedback: [
        { helpful: false, comment: 'The cause is elsewhere.', actual_path: 'src/shop/cart.py' },
        { helpful: true, comment: null, actual_path: null },
      ],
    },
  ])
  const metrics = (await built.app.inject('/metrics')).body
  t.match(metrics, /faultline_feedback\{judgement="helpful"\} 1\n/)
  t.match(metrics, /faultline_feedback\{judgement="unhelpful"\} 1\n/)
})

test('nothing secret of a trace is kept', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
  const stacktrace = SHOP_TRACE.replace('division by zero', `token ${secret} refused`)
  const { id } = (await post(built, { stacktrace, mode: 'context' })).json()
  const { body } = await built.app.inject(`/resolutions/${id}`)
  t.notMatch(body, secret)
  t.match(body, /\[redacted:/)
})

test('a key that sees some projects sees their kept answers alone', async t => {
  const keys = { admin: 'a'.repeat(32), reader: 'r'.repeat(32), other: 'o'.repeat(32) }
  const built = await buildApp(t, {
    env: { API_KEYS: `admin:${keys.admin},reader:${keys.reader}:read:shop,other:${keys.other}:write:api` },
  })
  const as = async (key: string, url: string, body?: object) =>
    await built.app.inject({
      url,
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
  const shop = createShop(join(built.reposDir, 'shop.git'))
  t.equal((await as(keys.admin, '/clone?wait=30', { url: shop.dir })).statusCode, 200)
  const asked = { project_name: 'shop', stacktrace: SHOP_TRACE, mode: 'context' }
  const { id } = (await as(keys.admin, '/resolve', asked)).json()
  t.match((await as(keys.reader, `/resolutions/${id}`)).json(), { id })
  t.equal((await as(keys.reader, '/resolutions')).json().data.length, 1)
  t.equal((await as(keys.reader, `/resolutions/${id}/feedback`, { helpful: true })).statusCode, 403)

  const unknown = `res_${'0'.repeat(24)}`
  const told = async (of: string) => (await as(keys.other, `/resolutions/${of}`)).json()
  const { instance: _one, ...hidden } = await told(id)
  const { instance: _other, ...missing } = await told(unknown)
  t.same(JSON.parse(JSON.stringify(hidden).replaceAll(id, unknown)), missing)
  t.equal((await as(keys.other, `/resolutions/${id}/feedback`, { helpful: true })).statusCode, 404)
  t.same((await as(keys.other, '/resolutions')).json().data, [])
  t.same((await as(keys.other, '/resolutions?project_name=shop')).json().data, [])
})
