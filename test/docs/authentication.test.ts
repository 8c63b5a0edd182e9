import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { test } from 'tap'
import { parseApiKeys } from '../../src/config/values.ts'
import { buildApp, listen } from '../helpers/build-app.ts'

const PAGE = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
const KEY = 'ann-has-a-key-of-some-length'

test('the entries of the page are keys that do what it says', async t => {
  const entries = [...PAGE.matchAll(/^\| `(\w+:KEY[\w:+]*)`/gm)].map(([, entry = '']) => entry)
  t.equal(entries.length, 6)
  for (const entry of entries) {
    const [key] = parseApiKeys(entry.replace('KEY', 'k'.repeat(24)))
    t.equal(key?.access.mayWrite, !entry.includes(':read'), entry)
    t.equal(key?.access.projects !== null, /shop/.test(entry), entry)
  }
})

test('the curl lines of the page are answered', async t => {
  const built = await buildApp(t, { env: { API_KEYS: `ann:${KEY}` } })
  const url = await listen(t, built)
  const lines = PAGE.split('\n').filter(line => line.startsWith('curl '))
  t.equal(lines.length, 3)
  for (const line of lines) {
    const { stdout } = await promisify(execFile)('bash', ['-c', line], {
      env: { PATH: process.env.PATH, FAULTLINE: url, KEY },
    })
    t.match(JSON.parse(stdout), line.includes('DELETE') ? { code: 'PROJECT_NOT_FOUND' } : { data: [] }, line)
  }
})
