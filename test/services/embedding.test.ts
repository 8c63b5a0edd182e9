import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { embeddingOf } from '../../src/services/embedding.ts'
import { testFolder } from '../helpers/test-folder.ts'

test('vectors are made by the built-in embedder unless a server is configured', async t => {
  const config = loadConfig({ root: testFolder(t), env: {} })
  t.same(embeddingOf(config), { provider: 'local', model: 'lsa-128' })
  const embedding = { baseUrl: 'http://localhost:1/v1', apiKey: null, headers: {}, model: 'e5' }
  t.same(embeddingOf({ ...config, embedding } as typeof config), { provider: 'api', model: 'e5' })
})
