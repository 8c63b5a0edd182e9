import { generateKeyPairSync } from 'node:crypto'
import { test, type Test } from 'tap'
import type { Config } from '../../src/config.ts'
import type { ForgeKind } from '../../src/core/forge-kind.ts'
import { createForges } from '../../src/services/forges.ts'
import { SIGNAL } from '../helpers/forge-client.ts'
import { startForgeServer } from '../helpers/forge-server.ts'

const AT = { projectName: 'shop', repository: 'shop' }

/** Forges of a project that was cloned from an address, with these tokens. */
function forgesOf(
  url: string,
  {
    tokens = {},
    api,
    kind = 'gitea',
    githubApp = null,
  }: { tokens?: Record<string, string>; api?: string; kind?: ForgeKind; githubApp?: Config['githubApp'] } = {},
) {
  const sourceOf = async () => ({
    repository: 'shop',
    url,
    branch: 'main',
    commit: 'c'.repeat(40),
    indexedAt: '',
    filesIndexed: 0,
    filesSkipped: {},
    include: [],
    exclude: [],
  })
  const forges = new Map(api === undefined ? [] : [['git.example.com', { kind, apiUrl: api }]])
  const gitTokens = new Map(Object.entries(tokens))
  const config = { forges, gitTokens, githubApp, allowPrivateHosts: true }
  return createForges(config, { projects: { sourceOf }, calls: { delaysMs: [] } })(AT)
}

test('the forge is that of the address, however it is written', async t => {
  for (const url of [
    'https://github.com/acme/shop.git',
    'git@github.com:acme/shop.git',
    'ssh://git@ssh.github.com:443/acme/shop',
  ]) {
    t.match(
      await forgesOf(url, { tokens: { 'github.com': 't' } }),
      { kind: 'github', host: 'github.com', path: 'acme/shop' },
      url,
    )
  }
  t.match(await forgesOf('https://gitlab.com/a/b/c.git'), { kind: 'gitlab', path: 'a/b/c', requests: null })
  for (const url of [
    '/srv/git/shop',
    'file:///srv/git/shop',
    'https://git.example.com/acme/shop',
    'https://github.com/shop',
  ]) {
    t.equal(await forgesOf(url), null, url)
  }
})

const SECRET = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dE6'].join('_')

async function serverFor(t: Test, kind: ForgeKind = 'gitea') {
  const server = await startForgeServer(t, kind)
  return { server, url: 'https://git.example.com/acme/shop.git', api: server.apiUrl }
}

test('a token for HTTPS never goes over plain HTTP, nor one of another host anywhere', async t => {
  const { url, api, server } = await serverFor(t)
  for (const key of ['git.example.com', 'http://other.example.com']) {
    const tokens = { [key]: 'the-token' }
    t.equal((await forgesOf(url, { tokens, api }))?.requests, null, key)
  }
  t.ok((await forgesOf(url, { tokens: { 'http://git.example.com': 'the-token' }, api }))?.requests)
  t.ok(
    (await forgesOf(url, { tokens: { 'git.example.com:443': 't' }, api: 'https://git.example.com/api/v1' }))?.requests,
  )
  t.same(server.calls, [])
})

test('what a forge is sent is without secrets', async t => {
  const { url, api, server } = await serverFor(t)
  const site = await forgesOf(url, { tokens: { 'http://git.example.com': 'the-token' }, api })
  const request = { head: 'faultline/1', base: 'main', isDraft: true, word: null, title: `Fix ${SECRET}`, body: SECRET }
  await site?.requests?.deliver(request, async () => false, SIGNAL)
  await site?.requests?.deliver(request, async () => false, SIGNAL)
  const comment = { number: 1, marker: '<!-- faultline shop -->', isNews: true }
  await site?.requests?.comment({ ...comment, body: `${comment.marker}\n${SECRET}` }, SIGNAL)
  await site?.requests?.comment({ ...comment, body: `${comment.marker}\nagain ${SECRET}` }, SIGNAL)
  t.equal(server.state.requests.length + server.state.comments.length, 2)
  t.notMatch(JSON.stringify(server.calls), SECRET)
})

test('what a check run says is without secrets', async t => {
  const { url, api, server } = await serverFor(t, 'github')
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const site = await forgesOf(url, { api, kind: 'github', githubApp: { id: '12', key } })
  const annotation = { path: 'a.py', startLine: 1, endLine: 1, level: 'failure' as const, title: SECRET }
  const texts = { title: SECRET, summary: SECRET, annotations: [{ ...annotation, message: `It is ${SECRET}` }] }
  await site?.checkRuns?.write({ commit: 'c'.repeat(40), externalId: 'job-1', ...texts }, SIGNAL)
  t.match(server.state.checkRuns, [{ externalId: 'job-1', annotations: [{ path: 'a.py' }] }])
  t.notMatch(JSON.stringify(server.calls), SECRET)
})
