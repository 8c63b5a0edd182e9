import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'

test('LLM_* wins over the names of providers, and a key alone sends nothing away', async t => {
  const root = t.testdir()
  const llm = (env: Record<string, string>) => loadConfig({ root, env }).llm
  t.match(llm({ OPENROUTER_API_KEY: 'o', OPENROUTER_LLM_MODEL: 'm' }), {
    baseUrl: 'https://openrouter.ai/api/v1',
    model: 'm',
    apiKey: 'o',
  })
  t.match(llm({ OPENROUTER_API_KEY: 'o', LLM_MODEL: 'm' }), { baseUrl: 'https://openrouter.ai/api/v1', model: 'm' })
  t.equal(llm({ OPENROUTER_LLM_MODEL: 'm', OPENAI_API_KEY: 'o' }), null, 'the model of another provider')
  t.match(llm({ OPENROUTER_API_KEY: 'o', LLM_BASE_URL: 'http://127.0.0.1:11434/v1/', LLM_MODEL: 'local' }), {
    baseUrl: 'http://127.0.0.1:11434/v1',
    model: 'local',
    apiKey: null,
  })
  t.match(llm({ OPENAI_API_KEY: 'o', LLM_MODEL: 'm' }), { baseUrl: 'https://api.openai.com/v1' })
  t.match(llm({ OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'https://proxy.example/v1', LLM_MODEL: 'm' }), {
    baseUrl: 'https://proxy.example/v1',
  })
  t.match(llm({ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1', LLM_MODEL: 'm' }), {
    baseUrl: 'http://127.0.0.1:11434/v1',
    model: 'm',
  })
  t.match(loadConfig({ root, env: { LLM_MODEL: 'm' } }).notices, [/no model server/])
  t.match(llm({ ANTHROPIC_API_KEY: 'a', LLM_MODEL: 'm' }), { baseUrl: 'https://api.anthropic.com/v1' })
  for (const [name, fix] of [
    ['OPENROUTER_API_KEY', 'Set LLM_MODEL or OPENROUTER_LLM_MODEL.'],
    ['OPENAI_API_KEY', 'Set LLM_MODEL.'],
    ['ANTHROPIC_API_KEY', 'Set LLM_MODEL.'],
    ['LLM_API_KEY', 'Set LLM_MODEL.'],
  ] as const) {
    const half = loadConfig({ root, env: { [name]: 'a-secret' } })
    t.equal(half.llm, null, name)
    const reason = `${name} is set, but no model is named: a key alone never sends code away.`
    t.same(half.llmGap, { reason, fix }, name)
    t.same(half.notices, [`${reason} ${fix}`], name)
    t.notMatch(JSON.stringify(half), /a-secret/)
  }
  const whole = { OPENAI_API_KEY: 'o', LLM_MODEL: 'm' }
  t.equal(loadConfig({ root, env: whole }).llmGap, null)
  t.match(loadConfig({ root, env: {} }), { notices: [], llmGap: { fix: /LLM_BASE_URL and LLM_MODEL/ } })
  for (const env of [{ OPENROUTER_API_KEY: 'o' }, { OPENAI_API_KEY: 'o', LLM_MODEL: 'm' }]) {
    t.equal(loadConfig({ root, env }).embedding, null)
  }
  t.match(loadConfig({ root, env: { OPENROUTER_API_KEY: 'o', OPENROUTER_EMBEDDING_MODEL: 'e' } }).embedding, {
    baseUrl: 'https://openrouter.ai/api/v1',
    model: 'e',
    apiKey: 'o',
  })
  t.match(loadConfig({ root, env: { EMBEDDING_MODEL: 'e', EMBEDDING_BASE_URL: 'http://h/v1' } }).embedding, {
    baseUrl: 'http://h/v1',
    apiKey: null,
  })
})

test('headers go to the model server, and to the embedding server only where it is the same one', async t => {
  const root = t.testdir()
  const server = { LLM_BASE_URL: 'http://h/v1', LLM_MODEL: 'm', LLM_HEADERS: '{"x-team": "ann"}' }
  t.match(loadConfig({ root, env: { ...server, EMBEDDING_MODEL: 'e' } }), {
    llm: { headers: { 'x-team': 'ann' } },
    embedding: { headers: { 'x-team': 'ann' } },
  })
  t.same(
    loadConfig({ root, env: { ...server, EMBEDDING_MODEL: 'e', EMBEDDING_BASE_URL: 'http://other/v1' } }).embedding
      ?.headers,
    {},
  )
  t.same(
    loadConfig({
      root,
      env: {
        ...server,
        EMBEDDING_MODEL: 'e',
        EMBEDDING_BASE_URL: 'http://other/v1',
        EMBEDDING_HEADERS: '{"x-team": "ben"}',
      },
    }).embedding?.headers,
    { 'x-team': 'ben' },
  )
  for (const wrong of ['x', '[]', '{"x y": "v"}', '{"x": 1}', '{"x": "a\\r\\nb: c"}', '{"x": ""}']) {
    t.throws(
      () => loadConfig({ root, env: { ...server, LLM_HEADERS: wrong } }),
      { code: 'CONFIG_INVALID', message: /LLM_HEADERS/ },
      wrong,
    )
  }
  t.same(
    loadConfig({ root, env: { MODEL_CONTEXTS: '{"m": 8192}', MODEL_PRICES: '{"m": {"input": 1, "output": 2}}' } }),
    {
      ...loadConfig({ root, env: {} }),
      modelContexts: new Map([['m', 8192]]),
      modelPrices: new Map([['m', { input: 1, output: 2 }]]),
    },
    'also without a server: for dry runs',
  )
})
