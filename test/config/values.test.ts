import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { list, localFolder, parseApiKeys, parsePairs } from '../../src/config/values.ts'
import type { FaultlineError } from '../../src/core/errors.ts'

const KEY = 'k'.repeat(24)

test('lists and pairs are trimmed, and empty items are none', async t => {
  t.same(list(' a, b ,,c '), ['a', 'b', 'c'])
  t.same(list(undefined), [])
  t.same(
    parsePairs('GitHub.com = a=b, x=y'),
    new Map([
      ['github.com', 'a=b'],
      ['x', 'y'],
    ]),
  )
})

test('a local folder is absolute or begins at home', async t => {
  t.equal(localFolder('/srv/code'), '/srv/code')
  t.equal(localFolder('~'), homedir())
  t.equal(localFolder('~/code'), join(homedir(), 'code'))
  t.throws(() => localFolder('~ann/code'), { code: 'CONFIG_INVALID' })
})

test('secrets never stand in an error', async t => {
  const root = t.testdir()
  for (const env of [
    { API_KEYS: 'ann:hunter2' },
    { API_KEYS: `a:${KEY},a:${KEY}` },
    { GIT_TOKENS: 'hunter2' },
    { WEBHOOK_SECRETS: 'ci=whsec_hunter2!' },
  ]) {
    try {
      loadConfig({ root, env })
      t.fail('accepted')
    } catch (error) {
      t.notMatch(String(error), /hunter2|kkkk/)
    }
  }
})

test('a key may read, or write, and see all projects or some', async t => {
  const access = (entry: string) => parseApiKeys(entry)[0]?.access
  t.same(access(`ann:${KEY}`), { mayWrite: true, projects: null })
  t.same(access(`ann:${KEY}:write`), { mayWrite: true, projects: null })
  t.same(access(`ann:${KEY}:read`), { mayWrite: false, projects: null })
  t.same(access(`ann:${KEY}:read:Shop+api-2`), { mayWrite: false, projects: ['shop', 'api-2'] })
  t.same(access(`ann:${KEY}:write:shop`), { mayWrite: true, projects: ['shop'] })
})

test('a malformed entry of API_KEYS is refused in a sentence that names no key', async t => {
  for (const entry of [
    KEY,
    `:${KEY}`,
    'ann:short',
    `a n:${KEY}`,
    `ann:${KEY}:`,
    `ann:${KEY}:admin`,
    `ann:${KEY}:READ`,
    `ann:${KEY}:read:`,
    `ann:${KEY}:read:shop+`,
    `ann:${KEY}:read:sh/op`,
    `ann:${KEY}:read:*`,
    `ann:${KEY}:read:shop:api`,
    `ann:${KEY}:kkkkkkkkkkkkkkkkkkkkkkkk`,
  ]) {
    const given = `ben:${'b'.repeat(24)},${entry}`
    try {
      parseApiKeys(given)
      t.fail(`${entry} was accepted`)
    } catch (error) {
      const { code, message } = error as FaultlineError
      t.equal(code, 'CONFIG_INVALID')
      t.match(message, /^Configuration: API_KEYS: [^.]*entry 2[^.]*\.$/, entry)
      t.notMatch(message, /kkk|bbb/, entry)
    }
  }
  t.throws(() => parseApiKeys(`a:${KEY},b:${KEY}:read`), { message: /same key stands under two names/ })
})

test('webhook secrets are keys by provider: base64 behind whsec_, several while one is changed', async t => {
  const root = t.testdir()
  const { webhookKeys, notices } = loadConfig({
    root,
    env: { WEBHOOK_SECRETS: 'ci=whsec_MDEyMzQ1Njc4OWFiY2RlZg==, CI=a=secret=with=signs' },
  })
  t.same(webhookKeys, new Map([['ci', [Buffer.from('0123456789abcdef'), Buffer.from('a=secret=with=signs')]]]))
  t.same(notices, [])
  t.equal(loadConfig({ root, env: {} }).webhookKeys.size, 0)
  t.match(loadConfig({ root, env: { WEBHOOK_SECRETS: 'ci=short,git=0123456789abcdef' } }).notices, [
    /"git", but nothing/,
    /fewer than 16 bytes/,
  ])
})
