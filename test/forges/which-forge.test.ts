import { test } from 'tap'
import { compareUrl, lineUrl } from '../../src/forges/links.ts'
import { whichForge } from '../../src/forges/which-forge.ts'

const NONE = new Map<string, never>()
const https = (host: string, port: number | null = null) => ({ scheme: 'https' as const, host, port })

test('a forge is known by its host, over SSH as over HTTPS', async t => {
  for (const [host, kind, apiUrl] of [
    ['github.com', 'github', 'https://api.github.com'],
    ['gitlab.com', 'gitlab', 'https://gitlab.com/api/v4'],
    ['bitbucket.org', 'bitbucket', 'https://api.bitbucket.org/2.0'],
    ['codeberg.org', 'gitea', 'https://codeberg.org/api/v1'],
    ['gitea.com', 'gitea', 'https://gitea.com/api/v1'],
  ] as const) {
    const place = { kind, host, webUrl: `https://${host}`, apiUrl }
    t.same(whichForge(https(host), NONE), place)
    t.same(whichForge({ scheme: 'ssh', host, port: 2222 }, NONE), place)
  }
  t.match(whichForge({ scheme: 'ssh', host: 'ssh.github.com', port: 443 }, NONE), { host: 'github.com' })
  t.equal(whichForge(https('git.example.com'), NONE), null)
  t.equal(whichForge(https('github.com.evil.example'), NONE), null)
  t.equal(whichForge(https('constructor'), NONE), null)
  t.equal(whichForge({ scheme: 'http', host: 'github.com', port: null }, NONE), null, 'not over plain HTTP')
  t.equal(whichForge(https('github.com', 8443), NONE), null, 'nor on another port')
})

test('FORGES names others, with their port and where their API is', async t => {
  const forges = new Map([
    ['ghe.example.com', { kind: 'github', apiUrl: null }],
    ['git.example.com:3000', { kind: 'gitea', apiUrl: null }],
    ['lab.example.com', { kind: 'gitlab', apiUrl: 'https://api.example.com/v4' }],
    ['[::1]:3000', { kind: 'gitea', apiUrl: null }],
  ] as const)
  t.same(whichForge(https('ghe.example.com'), forges), {
    kind: 'github',
    host: 'ghe.example.com',
    webUrl: 'https://ghe.example.com',
    apiUrl: 'https://ghe.example.com/api/v3',
  })
  t.match(whichForge({ scheme: 'http', host: 'git.example.com', port: 3000 }, forges), {
    host: 'git.example.com:3000',
    apiUrl: 'http://git.example.com:3000/api/v1',
  })
  t.match(whichForge(https('lab.example.com'), forges), { apiUrl: 'https://api.example.com/v4' })
  t.match(whichForge(https('::1', 3000), forges), { webUrl: 'https://[::1]:3000' })
  t.equal(whichForge(https('git.example.com'), forges), null)
})

test('each forge has its own page for a line of code', async t => {
  const at = { webUrl: 'https://x', path: 'a/b', commit: 'c0ffee', file: 'src/my file#1.ts', line: 12 }
  t.equal(lineUrl('github', at), 'https://x/a/b/blob/c0ffee/src/my%20file%231.ts#L12')
  t.equal(lineUrl('gitlab', at), 'https://x/a/b/-/blob/c0ffee/src/my%20file%231.ts#L12')
  t.equal(lineUrl('gitea', at), 'https://x/a/b/src/commit/c0ffee/src/my%20file%231.ts#L12')
  t.equal(lineUrl('bitbucket', at), 'https://x/a/b/src/c0ffee/src/my%20file%231.ts#lines-12')
})

test('each forge has its own page that compares branches', async t => {
  const compared = { webUrl: 'https://x', path: 'a/b c', head: 'faultline/1', base: 'dev/main' }
  t.equal(compareUrl('github', compared), 'https://x/a/b%20c/compare/dev/main...faultline/1?expand=1')
  t.equal(compareUrl('gitea', compared), 'https://x/a/b%20c/compare/dev/main...faultline/1')
  t.equal(
    compareUrl('gitlab', compared),
    'https://x/a/b%20c/-/merge_requests/new?merge_request%5Bsource_branch%5D=faultline%2F1' +
      '&merge_request%5Btarget_branch%5D=dev%2Fmain',
  )
  t.equal(
    compareUrl('bitbucket', compared),
    'https://x/a/b%20c/pull-requests/new?source=faultline%2F1&dest=dev%2Fmain&t=1',
  )
  t.equal(compareUrl('github', { ...compared, base: null }), 'https://x/a/b%20c/compare/faultline/1?expand=1')
  t.match(compareUrl('gitlab', { ...compared, base: null }), /source_branch%5D=faultline%2F1$/)
})
