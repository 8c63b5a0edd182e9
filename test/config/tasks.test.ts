import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'

test('tasks have three attempts, are not merged, and are written by the model of everything else', async t => {
  t.same(loadConfig({ root: t.testdir(), env: {} }).tasks, { maxAttempts: 3, autoMerge: false, model: null })
})

test("the seed's names are read: flags before the environment, the environment before .env", async t => {
  const root = t.testdir()
  writeFileSync(join(root, '.env'), 'AI_PIPELINE_MODEL=file\nAI_PIPELINE_MAX_ATTEMPTS=4\nAI_PIPELINE_AUTO_MERGE=true\n')
  t.same(loadConfig({ root, env: {} }).tasks, { maxAttempts: 4, autoMerge: true, model: 'file' })
  const env = { AI_PIPELINE_MODEL: 'environment', AUTO_MERGE: 'false' }
  t.same(loadConfig({ root, env }).tasks, { maxAttempts: 4, autoMerge: false, model: 'environment' })
  t.same(loadConfig({ root, env, flags: { MAX_ATTEMPTS: '7' } }).tasks.maxAttempts, 7)
  t.throws(() => loadConfig({ root, env: { AI_PIPELINE_MAX_ATTEMPTS: '11' } }), /AI_PIPELINE_MAX_ATTEMPTS="11"/)
})

test("the seed's two lines are a whole configuration: a key, and the model of tasks", async t => {
  const root = t.testdir()
  const env = { ANTHROPIC_API_KEY: 'sk-ant-x', AI_PIPELINE_MODEL: 'claude-sonnet-4-20250514' }
  const { llm, llmGap } = loadConfig({ root, env })
  t.match(llm, { baseUrl: 'https://api.anthropic.com/v1', model: 'claude-sonnet-4-20250514' })
  t.equal(llmGap, null)
  const named = loadConfig({ root, env: { ...env, LLM_MODEL: 'other' } })
  t.match(named, { llm: { model: 'other' }, tasks: { model: 'claude-sonnet-4-20250514' } })
  t.equal(loadConfig({ root, env: { ANTHROPIC_API_KEY: 'sk-ant-x' } }).llm, null, 'a key alone sends nothing')
})
