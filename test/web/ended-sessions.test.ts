import { join } from 'node:path'
import { test } from 'tap'
import type { Services } from '../../src/services/services.ts'
import { buildApp, listen } from '../helpers/build-app.ts'
import { chromiumPath, startBrowser } from '../helpers/browser.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false
const KEY = 'ada-key-0123456789-0123456789'
const env = { API_KEYS: `ada:${KEY}:write` }
const FORM = 'application/x-www-form-urlencoded'

/** Ends what a browser holds on the side of the server, as twelve hours do. */
const endSession = ({ sessions }: Services, token = ''): Promise<void> =>
  sessions.end(token, { keyName: 'ada', requestId: null })

test('a form without a session is answered, so that going back keeps what was written', async t => {
  const { app } = await buildApp(t, { env })
  const res = await app.inject({
    method: 'POST',
    url: '/ui/resolutions',
    headers: { 'content-type': FORM },
    body: 'stacktrace=x',
  })
  t.equal(res.statusCode, 401)
  t.match(res.headers, { 'content-type': /^text\/html/, 'www-authenticate': 'Bearer' })
  t.match(res.body, 'The session has ended')
  t.match(res.body, /<a [^>]*href="\/ui\/sign-in" target="_blank"/)
})

test('what a page asks by itself is told in short that the session has ended', async t => {
  const { app } = await buildApp(t, { env })
  for (const headers of [{ accept: 'text/html, text/event-stream' }, { 'hx-request': 'true' }]) {
    for (const [method, url] of [
      ['GET', '/ui/jobs/x/live'],
      ['POST', '/ui/resolutions/x/answer'],
    ] as const) {
      const res = await app.inject({ method, url, headers })
      t.equal(res.statusCode, 401)
      t.match(res.headers['content-type'], /^text\/plain/)
      t.equal(res.body, 'The session has ended: sign in again, in another tab, and load this page anew.')
    }
  }
})

test('a page that follows a job asks once more when its session has ended, and says so', { skip }, async t => {
  const built = await buildWithModel(t, [{ text: 'notes.md\n```\nx\n```\n' }], { env })
  const headers = { authorization: `Bearer ${KEY}` }
  const post = (url: string, body: object) => built.app.inject({ method: 'POST', url, headers, body })
  await post('/clone?wait=60', { url: createShop(join(built.reposDir, 'shop.git')).dir })
  const { id } = (await post('/improve?wait=30', { project_name: 'shop', prompt: 'Add notes' })).json()
  const url = await listen(t, built)
  const { browser } = await startBrowser(t)
  const page = await browser.newPage()
  await page.goto(`${url}/ui/sign-in?next=/ui/jobs/${id}`)
  const live = page.waitForResponse(/\/live/)
  await page.getByLabel('API key').fill(KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await live
  const cookies = await page.context().cookies(`${url}/ui`)
  await endSession(built.services, cookies.find(({ name }) => name === 'faultline_session')?.value)
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  built.app.server.closeAllConnections()
  await page.getByText('The session has ended').waitFor()
  t.equal(await page.locator('[hx-sse\\:connect]').count(), 0)
  const forParts = asked.filter(path => !path.startsWith('/ui/assets/')) // a browser asks for the icon when it likes
  t.same(forParts, [`/ui/jobs/${id}/live`], 'it is asked once more')
})

test('the secret of forms outlasts a session, and each page renews it', async t => {
  const { app } = await buildApp(t, { env })
  const secretOf = ({ cookies }: { cookies: Array<{ name: string }> }) => cookies.find(({ name }) => name === '_csrf')
  const first = secretOf(await app.inject('/ui/sign-in')) as { value: string; maxAge: number } | undefined
  t.match(first, { httpOnly: true, sameSite: 'Strict', path: '/ui' })
  t.ok((first?.maxAge ?? 0) > 43_200, 'or the form of a page would not hold any more when its session has just ended')
  const again = await app.inject({ url: '/ui/sign-in', headers: { cookie: `_csrf=${first?.value}` } })
  t.same(secretOf(again), first)
})

test('after signing in one is where one was, unless the address is too long to be sent along', async t => {
  const { app } = await buildApp(t, { env })
  const search = (length: number) => `/ui/projects/shop?q=${'x'.repeat(length)}`
  for (const [from, to] of [
    [search(2000), `?next=${encodeURIComponent(search(2000))}`],
    [search(5000), ''],
  ] as const) {
    const sent = await app.inject(from)
    t.equal(sent.headers.location, `/ui/sign-in${to}`)
    t.equal((await app.inject(`/ui/sign-in${to}`)).statusCode, 200)
  }
  const { statusCode, body } = await app.inject(`/ui/sign-in?next=${encodeURIComponent(search(5000))}`)
  t.equal(statusCode, 200)
  t.match(body, 'name="next" value="/ui"')
})

test('who signs in again in another tab goes back, and sends what was written', { skip }, async t => {
  const built = await buildApp(t, { env })
  const shop = createShop(join(built.reposDir, 'shop.git'))
  const headers = { authorization: `Bearer ${KEY}` }
  await built.app.inject({ method: 'POST', url: '/clone?wait=60', headers, body: { url: shop.dir } })
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/sign-in`)
  const signIn = async (on: typeof page) => {
    await on.getByLabel('API key').fill(KEY)
    await on.getByRole('button', { name: 'Sign in' }).click()
    await on.getByRole('heading', { name: 'Projects' }).waitFor()
  }
  await signIn(page)
  const cookies = await page.context().cookies(`${url}/ui`)
  await page.getByLabel('Stack trace or log').fill(SHOP_TRACE)
  await endSession(built.services, cookies.find(({ name }) => name === 'faultline_session')?.value)
  await page.getByRole('button', { name: 'Find the code' }).click()
  await page.getByRole('heading', { name: 'The session has ended' }).waitFor()
  const [other] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: 'Sign in' }).click()])
  await signIn(other)
  await page.goBack()
  t.equal(await page.getByLabel('Stack trace or log').inputValue(), SHOP_TRACE)
  await page.getByRole('button', { name: 'Find the code' }).click()
  await page.waitForURL(/\/ui\/resolutions\/res_/)
})
