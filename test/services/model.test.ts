import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { createModel } from '../../src/services/model.ts'
import { testFolder } from '../helpers/test-folder.ts'

test('without a configured model nothing can be asked, but what asking would send is known', async t => {
  const config = loadConfig({ root: testFolder(t), env: {} })
  const { llm, asking, prompts } = await createModel(config, { onCall: () => {} })
  t.equal(llm, null)
  t.throws(() => asking.needModel(), { code: 'LLM_NOT_CONFIGURED' })
  t.match(asking.estimate({ messages: [{ role: 'user', content: 'hello' }] }), { tokens: Number, usd: null })
  t.match(prompts.sha256('heal'), /^[0-9a-f]{64}$/)
})

test('with one, jobs can ask', async t => {
  const env = { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'scripted' }
  const config = loadConfig({ root: testFolder(t), env })
  const { llm, asking } = await createModel(config, { onCall: () => {} })
  t.not(llm, null)
  t.doesNotThrow(() => asking.needModel())
})
