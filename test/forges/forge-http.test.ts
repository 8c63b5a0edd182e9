import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { FORGE_KINDS } from '../../src/core/forge-kind.ts'
import { openForge } from '../../src/forges/open-forge.ts'
import { forgeOf, SIGNAL } from '../helpers/forge-client.ts'

const REQUEST = { head: 'faultline/1', base: 'main', title: 'Fix it', body: 'Why', isDraft: true }

for (const kind of FORGE_KINDS) {
  test(`${kind}: a refused token, a missing right and a hidden repository are told apart, without the token`, async t => {
    const { forge, server } = await forgeOf(t, kind, { token: 'wrong-token' })
    const refused = await forge.open(REQUEST, SIGNAL).catch(error => error)
    t.match(refused, {
      code: 'FORGE_REFUSED',
      status: 401,
      message: /^git\.example\.com did not open a (?:pull|merge) request: it does not take the token \(401\)/,
    })
    t.match(refused.fix, /GIT_TOKENS/)
    t.notMatch(refused.message + refused.fix, 'wrong-token')

    const { forge: mine, server: other } = await forgeOf(t, kind)
    other.script.push({ status: 403, body: { message: 'Resource not accessible: the-token' } })
    const forbidden = await mine.open(REQUEST, SIGNAL).catch(error => error)
    t.match(forbidden, {
      code: 'FORGE_REFUSED',
      status: 403,
      message: /the token may not \(403\)/,
      fix: /right to open/,
    })
    t.notMatch(forbidden.message, 'the-token', 'whatever a forge repeats')

    other.script.push({ status: 404, body: { message: 'Not Found' } })
    await t.rejects(mine.open(REQUEST, SIGNAL), {
      code: 'FORGE_REFUSED',
      message:
        'git.example.com did not open a ' +
        (kind === 'gitlab' ? 'merge' : 'pull') +
        ' request (404): the token for git.example.com cannot see acme/shop, or may not write.',
    })
    t.equal(server.state.requests.length + other.state.requests.length, 0)
  })
}

test('a rate limit is waited for as the forge says, and a long one is told', async t => {
  const now = Date.parse('2026-11-24T12:00:00Z')
  const reset = String(now / 1000)
  for (const [told, kind, answer] of [
    ['Retry-After', 'github', { status: 429, headers: { 'retry-after': '0' } }],
    [
      'the limit of an hour',
      'github',
      { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } },
    ],
    ['GitLab', 'gitlab', { status: 429, headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': reset } }],
    ['a date', 'gitea', { status: 429, headers: { 'retry-after': 'Tue, 24 Nov 2026 11:59:00 GMT' } }],
    ['no word of the time', 'bitbucket', { status: 429 }],
  ] as const) {
    const { forge, server } = await forgeOf(t, kind, { now: () => now })
    server.script.push({ ...answer, to: /^POST/ })
    t.match(await forge.open(REQUEST, SIGNAL), { number: 1 }, told)
    t.equal(server.calls.length, 2, told)
  }

  const { forge, server } = await forgeOf(t, 'github', { maxWaitMs: 1_000 })
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
  server.script.push({ status: 403, body: { message } })
  await t.rejects(forge.open(REQUEST, SIGNAL), {
    code: 'FORGE_REFUSED',
    message: 'The rate limit of git.example.com is used up (403); it asks to wait 1 min.',
    fix: 'Retry the job in 1 min.',
  })
  t.equal(server.calls.length, 1)
  server.script.push({ status: 429, headers: { 'retry-after': '3600' } })
  await t.rejects(forge.defaultBranch(SIGNAL), { message: /wait 60 min/ })
})

test('what fails is tried again where nothing can be done twice by it', async t => {
  const { forge, server } = await forgeOf(t, 'gitea')
  server.script.push({ status: 502 }, { status: 503 })
  t.equal(await forge.defaultBranch(SIGNAL), 'main')
  t.equal(server.calls.length, 3)
  server.calls.length = 0
  server.script.push({ status: 502 })
  await t.rejects(forge.open(REQUEST, SIGNAL), { code: 'FORGE_REFUSED', status: 502 })
  t.equal(server.calls.length, 1, 'a request may have been opened')
  server.script.push({ status: 502 }, { status: 502 }, { status: 502 }, { status: 502 })
  await t.rejects(forge.defaultBranch(SIGNAL), { code: 'FORGE_REFUSED', status: 502, fix: /later/ })
})

test('a token goes to its own host alone: a redirect is told and not followed', async t => {
  const seen: string[] = []
  const elsewhere = createServer((request, response) => {
    seen.push(String(request.headers.authorization))
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  t.teardown(() => elsewhere.close())
  const { port } = elsewhere.address() as AddressInfo
  const { forge, server } = await forgeOf(t, 'github')
  for (const status of [301, 302, 307, 308]) {
    server.script.push({ status, headers: { location: `http://127.0.0.1:${port}/steal` } })
    await t.rejects(forge.defaultBranch(SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /another address, and the token goes to no other/,
      fix: /acme\/shop was moved or renamed/,
    })
  }
  t.same(seen, [])
})

test('what is no answer of the API is not believed', async t => {
  for (const body of [
    [],
    { number: 1 },
    { number: 1, html_url: 'javascript:alert(1)', title: '', head: { ref: 'a', repo: null }, base: { ref: 'b' } },
    { number: -1, html_url: 'https://x', title: '', head: { ref: 'a', repo: null }, base: { ref: 'b' } },
  ]) {
    const { forge, server } = await forgeOf(t, 'github')
    server.script.push({ status: 201, body })
    await t.rejects(forge.open(REQUEST, SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /something else than its API promises/,
    })
  }
})

test('a forge that cannot be reached, or is slow, is told; an abort is an abort', async t => {
  const place = { kind: 'github', host: 'git.example.com', webUrl: '', apiUrl: 'http://127.0.0.1:1/api' } as const
  const options = { allowPrivateHosts: true, delaysMs: [1] }
  const gone = openForge(place, { path: 'acme/shop', token: 't0ken' }, options)
  await t.rejects(gone.open(REQUEST, SIGNAL), { code: 'FORGE_REFUSED', status: null, fix: /reaches 127\.0\.0\.1:1/ })

  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const apiUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const slow = openForge({ ...place, apiUrl }, { path: 'acme/shop', token: 't0ken' }, { ...options, timeoutMs: 30 })
  await t.rejects(slow.open(REQUEST, SIGNAL), { code: 'FORGE_REFUSED', message: /did not answer within 0\.03 s/ })
  const aborted = new AbortController()
  const reason = new Error('cancelled')
  const waiting = slow.defaultBranch(aborted.signal)
  aborted.abort(reason)
  await t.rejects(waiting, reason)
})

test('an API in a private network is called only where that is allowed', async t => {
  const place = {
    kind: 'gitea',
    host: 'git.example.com',
    webUrl: '',
    apiUrl: 'https://git.example.com/api/v1',
  } as const
  for (const address of ['10.0.0.1', '169.254.169.254', '127.0.0.1', '::1']) {
    const resolveHost = async () => ['93.184.216.34', address]
    const forge = openForge(
      place,
      { path: 'a/b', token: 't0ken' },
      { allowPrivateHosts: false, resolveHost, delaysMs: [] },
    )
    await t.rejects(forge.defaultBranch(SIGNAL), {
      code: 'FORGE_REFUSED',
      message: /not a public address/,
      fix: /ALLOW_PRIVATE_HOSTS/,
    })
  }
})
