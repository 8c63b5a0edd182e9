import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { readVariables } from '../../src/config/environment.ts'
import { noticesFor } from '../../src/config/notices.ts'

test('half a model configuration is named, a whole one is not', async t => {
  const notices = (given: Record<string, string>) => noticesFor(given, readVariables(given))
  t.match(notices({ LLM_MODEL: 'm' }), [/no model server/])
  t.match(notices({ LLM_BASE_URL: 'http://h/v1' }), [/LLM_BASE_URL is set, but no model is named/])
  t.same(notices({ LLM_BASE_URL: 'http://h/v1', LLM_MODEL: 'm' }), [])
  t.same(notices({}), [])
})

test('a setting that nothing uses yet is named at the start', async t => {
  t.match(loadConfig({ root: t.testdir(), env: { TELEGRAM_CHAT_ID: '1', AI_PIPELINE_AUTO_MERGE: 'true' } }).notices, [
    /TELEGRAM_CHAT_ID/,
  ])
  const tasks = { MAX_ATTEMPTS: '2', AUTO_MERGE: '1', AI_PIPELINE_MODEL: 'm' }
  t.same(loadConfig({ root: t.testdir(), env: tasks }).notices, [], 'those of tasks are used')
})
