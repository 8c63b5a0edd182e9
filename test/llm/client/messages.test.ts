import { test } from 'tap'
import { withoutSecrets } from '../../../src/llm/client/messages.ts'

test('secrets are taken out of every message and counted over all of them', t => {
  const key = `ghp_${'a1'.repeat(18)}`
  const { clean, redactions } = withoutSecrets([
    { role: 'system', content: 'Explain the failure.' },
    { role: 'user', content: `token ${key}` },
    { role: 'assistant', content: `I saw ${key} and ${key}.` },
  ])
  t.equal(redactions, 3)
  t.same(
    clean.map(({ role }) => role),
    ['system', 'user', 'assistant'],
  )
  t.equal(clean[0]?.content, 'Explain the failure.')
  t.notMatch(JSON.stringify(clean), key)
  t.end()
})
