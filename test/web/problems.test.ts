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

test('an address that no page has leads on', async t => {
  const { app } = await buildApp(t)
  for (const url of ['/ui/nowhere', '/ui/jobs/x/y/z']) {
    const res = await app.inject(url)
    t.equal(res.statusCode, 404, url)
    t.match(res.headers['content-type'], /^text\/html/)
    t.match(res.body, 'Begin at /ui.')
  }
  t.match((await app.inject('/nowhere')).headers, { 'content-type': /json/, 'referrer-policy': 'no-referrer' })
})
