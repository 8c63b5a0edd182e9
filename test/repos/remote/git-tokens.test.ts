import { test } from 'tap'
import { tokenKey, tokenFor } from '../../../src/repos/remote/git-tokens.ts'
import { parseRepositoryUrl } from '../../../src/repos/remote/repository-url.ts'

const remote = async (url: string) => await parseRepositoryUrl(url, { allowLocalRepos: [], allowPrivateHosts: true })

test('a token written with a host alone is for HTTPS on its usual port', async t => {
  const tokens = new Map([
    ['git.example', 'token'],
    ['[::1]', 'six'],
  ])
  t.equal(tokenFor(await remote('https://git.example/a/b'), tokens), 'token')
  t.equal(tokenFor(await remote('https://GIT.example:443/a/b'), tokens), 'token')
  t.equal(tokenFor(await remote('https://[::1]/a/b'), tokens), 'six')
  for (const url of [
    'https://git.example:8443/a/b',
    'http://git.example/a/b',
    'http://git.example:443/a/b',
    'ssh://git@git.example/a/b',
    'https://sub.git.example/a/b',
  ]) {
    t.equal(tokenFor(await remote(url), tokens), null, url)
  }
})

test('another port and plain HTTP are written out', async t => {
  const tokens = new Map([
    ['git.example:8443', 'other port'],
    ['http://git.example:3000', 'plain'],
    ['http://git.example', 'port 80'],
    ['git.example:443', 'usual'],
  ])
  t.equal(tokenFor(await remote('https://git.example:8443/a/b'), tokens), 'other port')
  t.equal(tokenFor(await remote('http://git.example:3000/a/b'), tokens), 'plain')
  t.equal(tokenFor(await remote('http://git.example/a/b'), tokens), 'port 80')
  t.equal(tokenFor(await remote('https://git.example/a/b'), tokens), 'usual')
  t.equal(tokenFor(await remote('http://git.example:8443/a/b'), tokens), null)
})

test('the key that an error proposes is one that is looked for', async t => {
  for (const url of [
    'https://git.example/a',
    'https://git.example:8443/a',
    'http://git.example/a',
    'http://git.example:3000/a',
    'https://[::1]:8443/a',
  ]) {
    const to = await remote(url)
    t.equal(tokenFor(to, new Map([[tokenKey(to) ?? '', 'token']])), 'token', url)
  }
  t.equal(tokenKey(await remote('git@git.example:a/b')), null)
})
