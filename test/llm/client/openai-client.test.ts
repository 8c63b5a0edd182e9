import { test } from 'tap'
import { createOpenAiClient, secretsOf } from '../../../src/llm/client/openai-client.ts'

test('what must not come out are the key, headers and keys in the address, the longest first', async t => {
  const secrets = secretsOf({
    baseUrl: 'https://gateway.example.com/v1/a1b2c3d4e5f6a7b8c9/openai?token=query-secret',
    apiKey: 'key',
    headers: { Authorization: 'Bearer header-secret-value', 'X-Title': 'shop' },
  })
  for (const secret of ['key', 'header-secret-value', 'a1b2c3d4e5f6a7b8c9', 'query-secret']) {
    t.ok(secrets.includes(secret), secret)
  }
  t.notOk(secrets.includes('shop'), 'a title is no secret')
  t.notOk(secrets.includes('openai'))
  t.same(
    secrets.map(({ length }) => length),
    secrets.map(({ length }) => length).sort((a, b) => b - a),
  )
})

test('nothing of the settings of the library is left on', async t => {
  const client = createOpenAiClient(
    { baseUrl: 'http://127.0.0.1:1/v1', apiKey: null },
    { connectTimeoutMs: 1000, timeoutMs: 5000, maxReplyBytes: 1000 },
  )
  t.equal(client.baseURL, 'http://127.0.0.1:1/v1')
  t.equal(client.maxRetries, 0)
  t.equal(client.organization, null)
  t.equal(client.project, null)
  t.ok(client.timeout > 5000)
})
