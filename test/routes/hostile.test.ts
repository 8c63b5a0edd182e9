import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { createShop } from '../helpers/sample-repository.ts'
import { testFolder } from '../helpers/test-folder.ts'

const HOSTILE_URLS = [
  'ext::sh -c "touch /tmp/owned"',
  'fd::17',
  'file:///etc',
  '/etc/passwd',
  '../..',
  'git://example.com/a.git',
  'ftp://example.com/a.git',
  '--upload-pack=touch /tmp/owned',
  '-oProxyCommand=touch /tmp/owned',
  'ssh://-oProxyCommand=touch%20owned/x',
  'git@-oProxyCommand=x:a/b',
  'https://user:secret@example.com/a.git',
  'http://example.com/a.git',
  'https://127.0.0.1/a.git',
  'https://2130706433/a.git',
  'https://0x7f.1/a.git',
  'https://0177.0.0.1/a.git',
  'https://[::1]/a.git',
  'https://[::ffff:127.0.0.1]/a.git',
  'https://localhost/a.git',
  'https://a.localhost/a.git',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1/a.git',
  'https://192.168.1.1/a.git',
  'ssh://git@127.0.0.1/a.git',
  'git@127.0.0.1:a/b.git',
  'https://example.com:25/a.git',
  'https://example.com/',
  'https://example.com/a.git?x=1',
  'https://example.com/a.git#x',
  'https://example.com/a\n.git',
  'https://example.com/a\0.git',
  '\u202ehttps://example.com/a.git',
  ' ',
  'javascript:alert(1)',
  'data:text/plain,x',
  'C:\\repos\\a',
  '\\\\server\\share',
  '~/repo',
  'https://example.com/%2e%2e/%2e%2e/a.git',
  `https://example.com/${'a'.repeat(3000)}`,
]

const HOSTILE_REFS = [
  '-x',
  '--upload-pack=x',
  'a..b',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'refs/../x',
  '.hidden',
  'a.lock',
  '@{u}',
  'a\\b',
  'a\nb',
  'x'.repeat(300),
  '',
]
const HOSTILE_NAMES = [
  '..',
  '.',
  '.git',
  'a/b',
  'a\\b',
  'con',
  'NUL',
  'x.',
  '__proto__',
  'constructor',
  '-x',
  'x'.repeat(65),
  'a\0',
  '%2e%2e',
  'ü',
  '',
]

test('hostile URLs, refs, names and globs get a 4xx with a code; no job is made and nothing is written', async t => {
  const { app, root, reposDir, logged } = await buildApp(t)
  const shop = createShop(join(reposDir, 'shop.git'))
  const bodies: unknown[] = [
    ...HOSTILE_URLS.flatMap(url => [{ url }, { ssh_url: url }]),
    ...HOSTILE_REFS.flatMap(ref => [
      { url: shop.dir, ref },
      { url: shop.dir, branch: ref },
    ]),
    ...HOSTILE_NAMES.map(name => ({ url: shop.dir, project_name: name })),
    { url: shop.dir, ssh_url: shop.dir },
    {},
    { url: null },
    { url: [shop.dir] },
    { url: { toString: 'x' } },
    [],
    'text',
    { url: shop.dir, include: ['{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}'] },
    { url: shop.dir, exclude: [''] },
    { url: shop.dir, include: 'src' },
    { url: shop.dir, include: [5] },
    { url: join(reposDir, '..', 'data') },
    { url: `file://${join(reposDir, '..')}` },
  ]
  for (const body of bodies) {
    const res = await app.inject({
      method: 'POST',
      url: '/clone',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    })
    t.ok(res.statusCode >= 400 && res.statusCode < 500, `${res.statusCode} for ${JSON.stringify(body).slice(0, 100)}`)
    t.match(res.json(), { code: /^[A-Z_]+$/, detail: String })
    t.notMatch(res.body, /secret/)
  }
  t.same((await app.inject('/jobs')).json().data, [])
  t.same((await app.inject('/projects')).json().data, [])
  t.same(
    readdirSync(join(root, 'cloned_repos')).filter(name => !name.startsWith('.')),
    [],
  )
  t.same(
    readdirSync(join(root, 'vector_store')).filter(name => !name.startsWith('.')),
    [],
  )
  t.notOk(existsSync('/tmp/owned'))
  t.same(logged, [])
})

test('hostile names in paths and queries find nothing and break nothing', async t => {
  const { app, logged } = await buildApp(t)
  for (const name of [...HOSTILE_NAMES.filter(name => name !== ''), '..%2f..%2fetc']) {
    for (const [method, suffix] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/search?q=x'],
    ] as const) {
      const res = await app.inject({ method, url: `/projects/${encodeURIComponent(name)}${suffix}` })
      t.ok(res.statusCode >= 400 && res.statusCode < 500, `${method} ${name}${suffix}: ${res.statusCode}`)
    }
  }
  for (const url of [
    '/projects?cursor=%00',
    '/projects?cursor=..',
    '/jobs?cursor=AAAA&limit=1',
    '/jobs/%00',
    '/jobs/..%2f..',
    '/jobs?type=evil',
    '/jobs/x/events?after=-1',
    '/jobs/x?wait=1e9',
  ]) {
    const res = await app.inject(url)
    t.ok(res.statusCode >= 200 && res.statusCode < 500, `${url}: ${res.statusCode}`)
  }
  t.same(logged, [])
})

test('hostile traces and searches are answered, never with a 5xx', async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const traces = [
    '\0\0\0',
    '\ud800 File "x.py", line 1',
    '\u001b[31mFile "/app/shop/prices.py", line 6, in average\u001b[0m',
    'File "../../../../etc/passwd", line 1, in x',
    'File "/etc/passwd", line 1, in x\nError: x',
    'at x (file:///etc/passwd:1:1)',
    `File "${'a/'.repeat(50_000)}x.py", line 1, in f`,
    'File "x.py", line 99999999999999999999, in f',
    ' at '.repeat(100_000),
    `${'('.repeat(100_000)}`,
    `Error: ${'x'.repeat(1_000_000)}`,
    '"; DROP TABLE files; --',
    '" OR 1=1 NEAR( *',
    'a* OR b',
    '{}'.repeat(1000),
    '<script>alert(1)</script>',
    '{{stacktrace}} {{context}}',
  ]
  for (const stacktrace of traces) {
    const res = await built.app.inject({ method: 'POST', url: '/resolve', body: { stacktrace, project_name: 'shop' } })
    t.ok(
      res.statusCode === 200 || res.statusCode === 422,
      `${res.statusCode} for ${JSON.stringify(stacktrace.slice(0, 60))}: ${res.body.slice(0, 200)}`,
    )
    t.notMatch(res.body, /root:x:0/)
  }
  for (const q of [
    '"',
    '*',
    'NEAR(',
    'a"b',
    '-',
    'AND OR NOT',
    '^x',
    'path:x',
    '\0',
    '\ud800',
    '%',
    "'; DROP TABLE x",
  ]) {
    const res = await built.app.inject({ url: '/projects/shop/search', query: { q } })
    t.ok(
      res.statusCode === 200 || res.statusCode === 400,
      `${res.statusCode} for ${JSON.stringify(q)}: ${res.body.slice(0, 200)}`,
    )
  }
  t.same(built.logged, [])
})

test('cancelling a clone that hangs in git ends its processes at once', async t => {
  const { app, root, services } = await buildApp(t, { env: { ALLOW_PRIVATE_HOSTS: 'true' } })
  createShop(join(root, 'served', 'shop.git'))
  const server = await startGitHttpServer(join(root, 'served'), { stall: true })
  t.teardown(() => server.close())
  const job = (await app.inject({ method: 'POST', url: '/clone', body: { url: `${server.url}/shop.git` } })).json()
  await server.stalled
  t.ok(
    processesWith('git').some(command => command.includes(`:${new URL(server.url).port}`)),
    'git is under way',
  )
  t.match((await app.inject({ method: 'POST', url: `/jobs/${job.id}/cancel` })).json(), { status: 'cancelled' })
  t.ok(
    await eventually(() => !processesWith(`:${new URL(server.url).port}`).some(command => command.includes('git'))),
    'no git process is left',
  )
  t.match(await services.jobs.get(job.id), { status: 'cancelled', result: null })
  t.match((await app.inject(`/jobs/${job.id}/events`)).json().data.at(-1), {
    event: 'done',
    data: { status: 'cancelled' },
  })
})

test('a token for a host is used and stands nowhere', async t => {
  const token = 'ghp_an-example-token-that-nobody-may-see'
  const root = testFolder(t)
  createShop(join(root, 'served', 'shop.git'))
  const server = await startGitHttpServer(join(root, 'served'), { credentials: `x-access-token:${token}` })
  t.teardown(() => server.close())
  const host = new URL(server.url).host
  const without = await buildApp(t, { root: join(root, 'a'), env: { ALLOW_PRIVATE_HOSTS: 'true' } })
  const refused = (
    await without.app.inject({ method: 'POST', url: '/clone?wait=60', body: { url: `${server.url}/shop.git` } })
  ).json()
  t.match(refused, { status: 'failed', error: { code: 'REPOSITORY_AUTH_FAILED', fix: /GIT_TOKENS/ } })
  await without.close()
  const built = await buildApp(t, {
    root: join(root, 'b'),
    env: { ALLOW_PRIVATE_HOSTS: 'true', GIT_TOKENS: `http://${host}=${token}` },
  })
  const job = await cloneInto(t, built, { url: `${server.url}/shop.git` })
  t.notMatch(
    JSON.stringify([
      job,
      (await built.app.inject('/projects')).json(),
      (await built.app.inject(`/jobs/${job.id}/events`)).json(),
    ]),
    /ghp_/,
  )
})
