import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PEM = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()

test('FORGES names hosts, what they are, and where their API is', async t => {
  const FORGES = ' Git.Example.com=GitLab, git.example.com:3000=gitea@http://127.0.0.1:3000/api/v1/ ,[::1]:8080=github'
  t.same(
    [...loadConfig({ root: t.testdir(), env: { FORGES } }).forges],
    [
      ['git.example.com', { kind: 'gitlab', apiUrl: null }],
      ['git.example.com:3000', { kind: 'gitea', apiUrl: 'http://127.0.0.1:3000/api/v1' }],
      ['[::1]:8080', { kind: 'github', apiUrl: null }],
    ],
  )
  for (const value of [
    'git.example.com',
    'git.example.com=sourcehut',
    '=github',
    'https://x=github',
    'x=github@ftp://x',
    'x=github@https://user:pass@x',
    'x=github@https://x?y=1',
    'x=github@',
  ]) {
    t.throws(
      () => loadConfig({ root: t.testdir(), env: { FORGES: value } }),
      { code: 'CONFIG_INVALID', message: /FORGES=/ },
      value,
    )
  }
})

test('a GitHub App has an id and a key, as text or in a file', async t => {
  const root = t.testdir()
  writeFileSync(join(root, 'app.pem'), PEM)
  for (const key of [PEM, PEM.replaceAll('\n', '\\n'), 'app.pem', join(root, 'app.pem')]) {
    const { githubApp } = loadConfig({ root, env: { GITHUB_APP_ID: '12', GITHUB_APP_KEY: key } })
    t.equal(githubApp?.id, '12')
    t.equal(githubApp?.key.export({ type: 'pkcs1', format: 'pem' }), PEM)
  }
  const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  for (const env of [
    { GITHUB_APP_ID: '12' },
    { GITHUB_APP_KEY: PEM },
    { GITHUB_APP_ID: 'a b', GITHUB_APP_KEY: PEM },
    { GITHUB_APP_ID: '12', GITHUB_APP_KEY: 'missing.pem' },
    { GITHUB_APP_ID: '12', GITHUB_APP_KEY: '-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----' },
    { GITHUB_APP_ID: '12', GITHUB_APP_KEY: other.export({ type: 'pkcs8', format: 'pem' }).toString() },
  ]) {
    const refused = (() => {
      try {
        return loadConfig({ root, env })
      } catch (error) {
        return error as Error
      }
    })()
    t.match(refused, { code: 'CONFIG_INVALID', message: /GITHUB_APP_/ }, JSON.stringify(env).slice(0, 60))
    t.notMatch(String((refused as Error).message), /c2VjcmV0|PRIVATE/)
  }
})
