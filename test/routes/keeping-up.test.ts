import { createHmac } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

const SECRETS = { github: 'a secret for github', gitlab: 'a secret for gitlab', gitea: 'a secret for gitea' }

/** The app with a project `shop` of a forge on loopback. */
async function followed(t: Test, env: Record<string, string> = {}) {
  const secrets = Object.entries(SECRETS).map(([name, secret]) => `${name}=${secret}`)
  const built = await buildApp(t, {
    env: { ALLOW_PRIVATE_HOSTS: 'true', WEBHOOK_SECRETS: secrets.join(','), ...env },
  })
  mkdirSync(join(built.reposDir, 'acme'))
  const remote = createGitRepository(join(built.reposDir, 'acme', 'shop.git'), { files: { 'a.py': 'a = 1\n' } })
  const server = await startGitHttpServer(built.reposDir)
  t.teardown(() => server.close())
  const url = `${server.url}/acme/shop.git`
  await cloneInto(t, built, { url, include: ['**/*.py'] })
  const jobs = async () => (await built.app.inject('/jobs?type=clone')).json().data.length
  const commitOf = async () => (await built.app.inject('/projects/shop')).json().repositories[0].commit
  return { ...built, remote, server, url, jobs, commitOf }
}

type Followed = Awaited<ReturnType<typeof followed>>

const sha256 = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex')

const SIGN = {
  github: (body: string, secret: string, id: string) => ({
    'x-github-event': 'push',
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${sha256(secret, body)}`,
  }),
  gitea: (body: string, secret: string, id: string) => ({
    'x-gitea-event': 'push',
    'x-github-event': 'push',
    'x-gitea-delivery': id,
    'x-gitea-signature': sha256(secret, body),
  }),
  gitlab: (_body: string, secret: string, id: string) => ({
    'x-gitlab-event': 'Push Hook',
    'idempotency-key': id,
    'x-gitlab-token': secret,
  }),
}

function payloadOf(provider: keyof typeof SIGN, url: string, ref: string): string {
  const base = { ref, after: 'a'.repeat(40) }
  return provider === 'gitlab'
    ? JSON.stringify({ ...base, object_kind: 'push', project: { git_http_url: url, git_ssh_url: 'git@h:acme/shop' } })
    : JSON.stringify({ ...base, repository: { clone_url: url.replace(/\.git$/, ''), ssh_url: 'git@h:acme/shop' } })
}

async function push(
  { app, url }: Followed,
  provider: keyof typeof SIGN,
  { id = 'd1', ref = 'refs/heads/main', secret = SECRETS[provider], of = url, headers = {} } = {},
) {
  const payload = payloadOf(provider, of, ref)
  const res = await app.inject({
    method: 'POST',
    url: '/webhooks/push',
    payload,
    headers: { 'content-type': 'application/json', ...SIGN[provider](payload, secret, id), ...headers },
  })
  return { ...res.json(), http: res.statusCode, headers: res.headers }
}

test('a push to the branch that a project follows is indexed, whichever forge tells of it', async t => {
  const built = await followed(t)
  for (const provider of ['github', 'gitlab', 'gitea'] as const) {
    const commit = built.remote.commit({ [`${provider}.py`]: 'b = 1\n', 'notes.md': provider })
    const job = await push(built, provider)
    t.match(job, { http: 202, type: 'clone', project_name: 'shop', headers: { location: `/jobs/${job.id}` } })
    const ended = await built.services.jobs.settled(job.id, 60_000)
    t.match(ended, { status: 'succeeded', result: { commit, chunksAdded: 1 } }, 'with the globs of the project')
    t.match(await push(built, provider), { http: 200, id: job.id, headers: { 'idempotency-replayed': 'true' } })
  }
  t.equal(await built.jobs(), 4)
})

test('nothing is done for other branches, other repositories and other events, nor cloned from a payload', async t => {
  const built = await followed(t)
  t.match(await push(built, 'github', { ref: 'refs/heads/side' }), { http: 200, ignored: /no project follows/i })
  t.match(await push(built, 'github', { of: `${built.server.url}/acme/other.git` }), { http: 200, ignored: String })
  t.match(await push(built, 'github', { of: 'file:///etc' }), { http: 200, ignored: String })
  t.match(await push(built, 'github', { ref: 'refs/tags/v1' }), { http: 200, ignored: /no branch/ })
  t.match(await push(built, 'github', { headers: { 'x-github-event': 'ping' } }), { http: 200, ignored: /no push/ })
  t.equal(await built.jobs(), 1)
})

test('what is not signed with the secret is refused, and so is a forge without one', async t => {
  const built = await followed(t, { WEBHOOK_SECRETS: `github=${SECRETS.github}` })
  t.match(await push(built, 'github', { secret: 'another' }), { http: 401, code: 'UNAUTHORIZED' })
  t.match(await push(built, 'github', { headers: { 'x-hub-signature-256': '' } }), { http: 401 })
  t.match(await push(built, 'gitlab'), { http: 503, code: 'WEBHOOK_NOT_CONFIGURED', fix: /gitlab=SECRET/ })
  t.match(await push(built, 'gitea'), { http: 503 })
  t.match(await built.app.inject({ method: 'POST', url: '/webhooks/push', payload: {} }), { statusCode: 401 })
  t.equal(await built.jobs(), 1)
})

test('a project that asks for it is looked at again, and a job is made when there is something new', async t => {
  const built = await followed(t)
  const { app, services, remote, jobs, commitOf } = built
  const patch = (body: object) => app.inject({ method: 'PATCH', url: '/projects/shop', body })
  for (const every of ['59s', '31d', '0m', '1w', '']) t.equal((await patch({ sync: { every } })).statusCode, 400, every)
  t.match((await patch({ sync: { every: '15m' } })).json(), { sync: { every: '15m' } })
  t.match((await patch({ in_app_exclude: [] })).json(), { sync: { every: '15m' } })
  t.ok(((await services.following.follower.tick()) ?? 0) > 13 * 60_000)

  await services.following.look('shop')
  t.equal(await jobs(), 1, 'nothing is new')
  const commit = remote.commit({ 'b.py': 'b = 1\n' })
  await services.following.look('shop')
  t.equal(await commitOf(), commit)
  t.equal(await jobs(), 2)

  await built.close()
  const again = await buildApp(t, { root: built.root, env: { ALLOW_PRIVATE_HOSTS: 'true' } })
  t.match((await again.app.inject('/projects/shop')).json(), { sync: { every: '15m' } })
  t.ok(((await again.services.following.follower.tick()) ?? 0) > 13 * 60_000, 'counted from when it was indexed')
  const off = await again.app.inject({ method: 'PATCH', url: '/projects/shop', body: { sync: null } })
  t.equal(off.json().sync, null)
  t.equal(await again.services.following.follower.tick(), null)
})
