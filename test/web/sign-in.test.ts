import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, listen, type TestApp } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { axeFindings, chromiumPath, startBrowser } from '../helpers/browser.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false
const KEYS = 'ada:ada-key-0123456789-0123456789:write,ben:ben-key-0123456789-0123456789:read'

/** A form of a page, as a browser without a script sends it. */
async function submit({ app }: TestApp, page: string, fields: Record<string, string>, jar = new Map<string, string>()) {
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (res: { cookies: Array<{ name: string; value: string }> }) => {
    for (const { name, value } of res.cookies) jar.set(name, value)
  }
  const shown = await app.inject({ url: page, headers: { cookie: cookie() } })
  keep(shown)
  const token = /name="_csrf" value="([^"]*)"/.exec(shown.body)?.[1] ?? ''
  const action = fields.action ?? /action="([^"]*)"/.exec(shown.body)?.[1] ?? ''
  const { action: _action, ...rest } = fields
  const res = await app.inject({
    method: 'POST',
    url: action,
    headers: { cookie: cookie(), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ _csrf: token, ...rest }).toString(),
  })
  keep(res)
  return { res, jar, cookie }
}

test('with keys a page asks for one, keeps a session, and forgets it', async t => {
  const built = await buildApp(t, { env: { API_KEYS: KEYS } })
  const asked = await built.app.inject('/ui/resolutions/res_000000000000000000000000')
  t.equal(asked.statusCode, 303)
  t.equal(asked.headers.location, '/ui/sign-in?next=%2Fui%2Fresolutions%2Fres_000000000000000000000000')
  const wrong = await submit(built, '/ui/sign-in', { key: 'something else' })
  t.equal(wrong.res.statusCode, 401)
  t.match(wrong.res.body, 'The key is not known.')
  t.notOk(wrong.jar.has('faultline_session'))

  const { res, jar, cookie } = await submit(built, '/ui/sign-in?next=/ui', { key: 'ada-key-0123456789-0123456789' })
  t.equal(res.statusCode, 303)
  t.equal(res.headers.location, '/ui')
  const session = res.cookies.find(({ name }) => name === 'faultline_session')
  t.match(session, { httpOnly: true, sameSite: 'Strict', path: '/ui', maxAge: 43_200 })
  t.notOk(session?.secure, 'over plain HTTP the browser would not send it')
  const home = await built.app.inject({ url: '/ui', headers: { cookie: cookie() } })
  t.equal(home.statusCode, 200)
  t.match(home.body, />ada</)
  t.equal(
    (await built.app.inject({ url: '/projects', headers: { cookie: cookie() } })).statusCode,
    401,
    'for pages alone',
  )
  const out = await submit(built, '/ui', { action: '/ui/sign-out' }, jar)
  t.equal(out.res.headers.location, '/ui/sign-in')
  const again = await built.app.inject({ method: 'POST', url: '/ui/sign-out' })
  t.match(again, { statusCode: 303, headers: { location: '/ui/sign-in?next=%2Fui' } }, 'who is out already is out')
  const stolen = `faultline_session=${session?.value}`
  t.equal((await built.app.inject({ url: '/ui', headers: { cookie: stolen } })).statusCode, 303, 'nor for a copy of it')
})

test('a form without its token, or with that of another browser, changes nothing', async t => {
  const built = await buildApp(t, { env: { API_KEYS: KEYS } })
  const { cookie } = await submit(built, '/ui/sign-in', { key: 'ada-key-0123456789-0123456789' })
  for (const token of ['', 'x'.repeat(50)]) {
    const res = await built.app.inject({
      method: 'POST',
      url: '/ui/sign-out',
      headers: { cookie: cookie(), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ _csrf: token }).toString(),
    })
    t.equal(res.statusCode, 403)
  }
  t.equal((await built.app.inject({ url: '/ui', headers: { cookie: cookie() } })).statusCode, 200)
})

test('a session lasts over a restart, and as long as its key is configured', async t => {
  const root = join(t.testdir({ data: {} }), 'data')
  const first = await buildApp(t, { root, env: { API_KEYS: KEYS } })
  const { cookie } = await submit(first, '/ui/sign-in', { key: 'ben-key-0123456789-0123456789' })
  await first.close()
  const second = await buildApp(t, { root, env: { API_KEYS: KEYS } })
  t.equal((await second.app.inject({ url: '/ui', headers: { cookie: cookie() } })).statusCode, 200)
  await second.close()
  const third = await buildApp(t, { root, env: { API_KEYS: 'ada:ada-key-0123456789-0123456789:write' } })
  t.equal((await third.app.inject({ url: '/ui', headers: { cookie: cookie() } })).statusCode, 303)
})

test('signing in again ends the session that the browser had', async t => {
  const built = await buildApp(t, { env: { API_KEYS: KEYS } })
  const { jar, cookie } = await submit(built, '/ui/sign-in', { key: 'ada-key-0123456789-0123456789' })
  const before = cookie()
  await submit(built, '/ui', { action: '/ui/sign-in', key: 'ben-key-0123456789-0123456789' }, jar)
  t.equal((await built.app.inject({ url: '/ui', headers: { cookie: before } })).statusCode, 303)
  const home = await built.app.inject({ url: '/ui', headers: { cookie: cookie() } })
  t.match(home.body, />ben</)
})

test('who signs in and out, and who may not, stands in the audit log', async t => {
  const built = await buildApp(t, { env: { API_KEYS: KEYS } })
  await submit(built, '/ui/sign-in', { key: 'something else' })
  const { jar } = await submit(built, '/ui/sign-in', { key: 'ada-key-0123456789-0123456789' })
  await submit(built, '/ui', { action: '/ui/sign-out' }, jar)
  const headers = { authorization: 'Bearer ben-key-0123456789-0123456789' }
  const { data } = (await built.app.inject({ url: '/audit', headers })).json()
  t.match(data, [
    { key: 'ada', action: 'session.end', project_name: null, target: null, outcome: 'done', request_id: /^req_/ },
    { key: 'ada', action: 'session.begin', project_name: null, target: null, outcome: 'done', request_id: /^req_/ },
    { key: null, action: 'refused', target: 'POST /ui/sign-in', outcome: 'UNAUTHORIZED', request_id: /^req_/ },
  ])
  t.equal(data.length, 3)
})

test('wrong keys are put off as everywhere', async t => {
  const built = await buildApp(t, { env: { API_KEYS: KEYS }, limits: { requestsPerMinute: 5 } })
  const answers: number[] = []
  for (const key of ['wrong 1', 'wrong 2', 'wrong 3']) {
    answers.push((await submit(built, '/ui/sign-in', { key })).res.statusCode)
  }
  t.same(answers, [401, 401, 429])
})

test('a session ends with the key that it was opened with, though another one has its name', async t => {
  const root = join(t.testdir({ data: {} }), 'data')
  const first = await buildApp(t, { root, env: { API_KEYS: KEYS } })
  const { cookie } = await submit(first, '/ui/sign-in', { key: 'ben-key-0123456789-0123456789' })
  await first.close()
  const second = await buildApp(t, { root, env: { API_KEYS: 'ben:another-0123456789-0123456789:write' } })
  t.equal((await second.app.inject({ url: '/ui', headers: { cookie: cookie() } })).statusCode, 303)
})

test('somebody signs in and out in a browser', { skip }, async t => {
  const built = await buildApp(t, { env: { API_KEYS: KEYS } })
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`)
  t.match(page.url(), /sign-in/)
  await page.getByLabel('API key').fill('ada-key-0123456789-0123456789')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Projects' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('API key').waitFor()
  await page.goto(`${url}/ui`)
  t.match(page.url(), /sign-in/)
})

test('a key without the right to change sees no form that changes something', { skip }, async t => {
  const built = await buildWithModel(t, [{ text: 'notes.md\n```\nx\n```\n' }], { env: { API_KEYS: KEYS } })
  const headers = { authorization: 'Bearer ada-key-0123456789-0123456789' }
  const post = (url: string, body: object) => built.app.inject({ method: 'POST', url, headers, body })
  await post('/clone?wait=60', { url: createShop(join(built.reposDir, 'shop.git')).dir })
  const { id } = (await post('/resolve', { project_name: 'shop', stacktrace: SHOP_TRACE, mode: 'context' })).json()
  const job = (await post('/improve?wait=30', { project_name: 'shop', prompt: 'Add notes' })).json()
  t.equal(job.status, 'waiting', JSON.stringify(job))
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/sign-in`)
  await page.getByLabel('API key').fill('ben-key-0123456789-0123456789')
  await page.getByRole('button', { name: 'Sign in' }).click()
  for (const path of ['/ui', `/ui/resolutions/${id}`, `/ui/jobs/${job.id}`, '/ui/projects/shop', '/ui/activity']) {
    await page.goto(`${url}${path}`)
    const actions = await page
      .locator('form[method=post]')
      .evaluateAll(forms => forms.map(form => (form.getAttribute('action') ?? '').replace(/res_[0-9a-f]+/, 'ID')))
    // who may read may ask for code, say whether it helped, and go
    const allowed = ['/ui/sign-out', '/ui/resolutions', '/ui/resolutions/ID/feedback']
    t.same(
      actions.filter(action => !allowed.includes(action)),
      [],
      path,
    )
    t.same(await axeFindings(page), [], path)
  }
})
