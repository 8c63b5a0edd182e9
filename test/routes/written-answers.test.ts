import { test } from 'tap'
import { buildApp, type TestApp } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

const ESCAPE = '\u001B['

const resolve = ({ app }: TestApp, accept: string, url = '/resolve') =>
  app.inject({
    method: 'POST',
    url,
    headers: { accept },
    body: { project_name: 'shop', mode: 'context', stacktrace: SHOP_TRACE },
  })

test('an answer comes as JSON, as text for a terminal or in Markdown, by Accept', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  for (const accept of ['*/*', 'application/json', 'text/*;q=0.1, application/*', '']) {
    const res = await resolve(built, accept)
    t.match(res.headers['content-type'], 'application/json', JSON.stringify(accept))
    t.match(res.json(), { project_name: 'shop', frames_omitted: 0 })
  }

  const text = await resolve(built, 'text/plain')
  t.equal(text.statusCode, 200)
  t.equal(text.headers['content-type'], 'text/plain; charset=utf-8')
  t.match(text.body, /^ZeroDivisionError: division by zero\n {2}> {2}src\/shop\/cart\.py:9 /)
  t.match(text.body, /\n>>> +6 \| /)
  t.notMatch(text.body, ESCAPE)
  t.ok(text.body.trimEnd().split('\n').length <= 60)
  t.match((await resolve(built, 'text/plain', '/resolve?color=1')).body, ESCAPE)
  t.equal((await resolve(built, 'text/plain', '/resolve?color=2')).statusCode, 400)

  const markdown = await resolve(built, 'text/markdown;q=0.9, text/plain;q=0.5')
  t.equal(markdown.headers['content-type'], 'text/markdown; charset=utf-8')
  t.match(markdown.body, /^## `ZeroDivisionError`: division by zero\n\n- `src\/shop\/cart\.py:9` in `summary`: /)
  t.match(markdown.body, /\n```\n[^`]*>>> +6 \| /)
})

test('a trace that is posted as text may be answered as text', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const res = await built.app.inject({
    method: 'POST',
    url: '/resolve?project_name=shop&mode=context&color=1&detail=full',
    headers: { accept: 'text/plain', 'content-type': 'text/plain' },
    body: SHOP_TRACE,
  })
  t.equal(res.statusCode, 200, res.body)
  t.match(res.body, ESCAPE)
})

test('a type that a route does not have is refused, before any work, and the refusal says which it has', async t => {
  const built = await buildApp(t)
  for (const [method, url] of [
    ['POST', '/resolve'],
    ['GET', '/jobs/nothing'],
    ['GET', '/projects/nothing/search?q=x'],
  ] as const) {
    const res = await built.app.inject({
      method,
      url,
      headers: { accept: 'text/html' },
      ...(method === 'POST' ? { body: { project_name: 'shop', stacktrace: 'x' } } : {}),
    })
    t.equal(res.statusCode, 406, url)
    t.equal(res.headers['content-type'], 'application/problem+json')
    t.match(res.json(), { code: 'NOT_ACCEPTABLE', detail: /text\/html/, fix: /text\/markdown/ })
  }
})

test('a job and a search are answered as text and in Markdown, too', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const [job] = (await built.app.inject('/jobs')).json().data
  const get = async (url: string, accept: string) =>
    (await built.app.inject({ method: 'GET', url, headers: { accept } })).body
  t.match(await get(`/jobs/${job.id}`, 'text/plain'), /^Job +\S+\nType +clone\nStatus +succeeded\n[^]*Indexed shop: /)
  t.match(await get(`/jobs/${job.id}?color=1`, 'text/plain'), ESCAPE)
  t.match(
    await get(`/jobs/${job.id}`, 'text/markdown'),
    /^## Job `\S+`: clone\n\n- status: `succeeded`\n[^]*```\nIndexed/,
  )
  t.match(await get('/projects/shop/search?q=average', 'text/plain'), /^src\/shop\/\w+\.py:\d+-\d+ [^]*>>> /)
  t.match(
    await get('/projects/shop/search?q=average', 'text/markdown'),
    /^`src\/shop\/\w+\.py:\d+-\d+` \(.+\)\n\n```\n/,
  )
})

test('the job of a trace has its answers as text', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const { id } = (
    await built.app.inject({
      method: 'POST',
      url: '/resolve?wait=30',
      headers: { prefer: 'respond-async' },
      body: { project_name: 'shop', mode: 'context', stacktrace: SHOP_TRACE },
    })
  ).json()
  const get = async (accept: string) =>
    (await built.app.inject({ method: 'GET', url: `/jobs/${id}`, headers: { accept } })).body
  t.match(await get('text/plain'), /Status +succeeded[^]*ZeroDivisionError: division by zero\n/)
  t.match(await get('text/markdown'), /## `ZeroDivisionError`: division by zero/)
})
