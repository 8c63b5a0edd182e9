import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { parseApiKeys } from '../../src/config/values.ts'

const PAGE = readFileSync(new URL('../../docs/authentication.md', import.meta.url), 'utf8')

test('the entries of the page are keys that do what it says', async t => {
  const entries = [...PAGE.matchAll(/^\| `(\w+:KEY[\w:+]*)`/gm)].map(([, entry = '']) => entry)
  t.equal(entries.length, 6)
  for (const entry of entries) {
    const [key] = parseApiKeys(entry.replace('KEY', 'k'.repeat(24)))
    t.equal(key?.access.mayWrite, !entry.includes(':read'), entry)
    t.equal(key?.access.projects !== null, /shop/.test(entry), entry)
  }
})
