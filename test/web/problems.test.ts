import { test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'

const KEYS = 'ben:ben-key-0123456789-0123456789:read'

test('what is refused before a page begins is shown as a page, with its style and nothing else', async t => {
  const { app } = await buildApp(t, { env: { API_KEYS: KEYS } })
  const page = await app.inject('/ui/sign-in')
  const headers = { authorization: 'Bearer ben-key-0123456789-0123456789' }
  const refused = {
    key: await app.inject({ method: 'POST', url: '/ui/jobs/x/cancel', headers }),
    host: await app.inject({ method: 'POST', url: '/ui/sign-in', headers: { host: 'evil.example' } }),
  }
  for (const [what, res] of Object.entries(refused)) {
    t.equal(res.statusCode, 403, what)
    t.match(res.headers['content-type'], /^text\/html/)
    for (const name of ['content-security-policy', 'referrer-policy']) {
      t.equal(res.headers[name], page.headers[name], `${what}: ${name}`)
    }
  }
})

test('an address that is no page, or only takes a form, is shown as a page that says so', async t => {
  const { app } = await buildApp(t)
  for (const url of ['/ui/nothing', '/ui/projects/shop/settings', '/ui/jobs/x/y/z']) {
    const res = await app.inject(url)
    t.equal(res.statusCode, 404, url)
    t.match(res.headers['content-type'], /^text\/html/)
    t.match(res.body, /<p role="alert">There is no page at this address/)
  }
  t.match((await app.inject('/uii')).json(), { code: 'NOT_FOUND' }, 'all else is for programs')
})

test('a slash at the end of an address is taken off', async t => {
  const { app } = await buildApp(t, { env: { PUBLIC_URL: 'https://shop.example/tools', ALLOWED_HOSTS: 'localhost' } })
  for (const [url, page] of [
    ['/ui/', '/ui'],
    ['/ui/jobs//', '/ui/jobs'],
    ['/ui/jobs/?status=failed', '/ui/jobs?status=failed'],
    ['/ui//evil.example/', '/ui//evil.example'],
  ] as const) {
    t.match(await app.inject(url), { statusCode: 303, headers: { location: `/tools${page}` } }, url)
  }
  t.equal((await app.inject('/ui/jobs?status=/')).statusCode, 400, 'a slash in a query stays')
})

test('with keys an address that is no page asks for one first', async t => {
  const { app } = await buildApp(t, { env: { API_KEYS: KEYS } })
  t.equal((await app.inject('/ui/nothing')).headers.location, '/ui/sign-in?next=%2Fui%2Fnothing')
})
