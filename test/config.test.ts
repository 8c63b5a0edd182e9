import { join } from 'node:path'
import { test } from 'tap'
import { ENVIRONMENT, isLoopback, loadConfig } from '../src/config.ts'
import { readFileSync } from 'node:fs'

const KEY = 'k'.repeat(24)

test('without any setting everything is embedded and on loopback', async t => {
  const root = t.testdir()
  t.same(loadConfig({ env: {}, root }), {
    host: '127.0.0.1',
    port: 8000,
    apiKeys: [],
    allowedHosts: [],
    dataDir: join(root, 'data'),
    vectorStoreDir: join(root, 'vector_store'),
    clonedReposDir: join(root, 'cloned_repos'),
    workspacesDir: join(root, 'data', 'workspaces'),
    jobsDbFile: join(root, 'data', 'jobs.sqlite'),
    llm: null,
    embedding: null,
    modelPrices: new Map(),
    modelContexts: new Map(),
    chunker: 'scopes',
    promptsDir: null,
    allowLocalRepos: [],
    allowPrivateHosts: false,
    gitTokens: new Map(),
    webhookKeys: new Map(),
    sshAuthSock: null,
    sandbox: {
      mode: 'auto',
      memoryMb: 1024,
      timeoutMs: 120_000,
      registries: null,
      registryVariables: {
        npm_config_registry: undefined,
        NPM_CONFIG_REGISTRY: undefined,
        PIP_INDEX_URL: undefined,
        PIP_EXTRA_INDEX_URL: undefined,
      },
    },
    jobsConcurrency: 4,
    queueLimit: 1000,
    retentionDays: 30,
    retentionBytes: 10_240 * 1024 * 1024,
    replyTimeoutDays: 7,
    logLevel: 'info',
    notices: [],
  })
})

test('flags win over the environment, the environment over the .env file; empty values count as unset', async t => {
  const root = t.testdir({ '.env': 'PORT=1111\nLOG_LEVEL=warn\nQUEUE_LIMIT=7\n' })
  t.match(loadConfig({ root, env: { PORT: '2222', LOG_LEVEL: '' }, flags: { PORT: '3333' } }), {
    port: 3333,
    logLevel: 'warn',
    queueLimit: 7,
  })
  t.match(loadConfig({ root, env: { PORT: '2222' } }), { port: 2222 })
})

test('a wrong value is refused with the name, the value and what is allowed', async t => {
  const root = t.testdir()
  const cases: Array<[Record<string, string>, RegExp]> = [
    [{ PORT: '80a' }, /PORT="80a": .*integer from 0 to 65535/],
    [{ PORT: '65536' }, /PORT="65536"/],
    [{ JOBS_CONCURRENCY: '0' }, /JOBS_CONCURRENCY="0": .* from 1 to 64/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL="loud": .*trace/],
    [{ CHUNKER: 'words' }, /CHUNKER="words": .*scopes.*lines/],
    [{ ALLOW_PRIVATE_HOSTS: 'maybe' }, /ALLOW_PRIVATE_HOSTS="maybe": .*true or false/],
    [{ AI_PIPELINE_MAX_ATTEMPTS: 'x' }, /AI_PIPELINE_MAX_ATTEMPTS="x"/],
    [{ ALLOW_LOCAL_REPOS: 'relative/folder' }, /ALLOW_LOCAL_REPOS="relative\/folder": .*absolute/],
    [{ LLM_BASE_URL: 'ftp://x', LLM_MODEL: 'm' }, /LLM_BASE_URL="ftp:\/\/x": .*http/],
    [{ LLM_BASE_URL: 'https://user:pass@x', LLM_MODEL: 'm' }, /credentials/],
    [{ EMBEDDING_BASE_URL: 'ftp://x' }, /EMBEDDING_BASE_URL="ftp:\/\/x"/],
    [{ TELEGRAM_BASE_URL: 'foo' }, /TELEGRAM_BASE_URL="foo"/],
    [
      { ALLOWED_HOSTS: 'https://faultline.example.com' },
      /ALLOWED_HOSTS="https:\/\/faultline\.example\.com": .*host names/,
    ],
    [{ GIT_TOKENS: 'github.com' }, /GIT_TOKENS=\(hidden\): .*host=token/],
    [{ WEBHOOK_SECRETS: 'x' }, /WEBHOOK_SECRETS=\(hidden\)/],
    [{ WEBHOOK_SECRETS: 'ci=whsec_not-base64' }, /WEBHOOK_SECRETS: a secret of "ci"/],
    [{ MODEL_PRICES: '{' }, /MODEL_PRICES is not JSON/],
    [
      { LLM_BASE_URL: 'http://x', LLM_MODEL: 'm', MODEL_PRICES: '{"m":{"input":-1,"output":1}}' },
      /MODEL_PRICES: expected/,
    ],
    [{ EMBEDDING_MODEL: 'e' }, /EMBEDDING_BASE_URL/],
    [{ MODEL_CONTEXTS: '128000' }, /MODEL_CONTEXTS: expected/],
    [{ MODEL_CONTEXTS: '{"m": 0}' }, /MODEL_CONTEXTS: expected/],
    [{ MODEL_CONTEXTS: '{"m": "8k"}' }, /MODEL_CONTEXTS: expected/],
    [{ MODEL_CONTEXTS: 'm=8000' }, /MODEL_CONTEXTS is not JSON/],
  ]
  for (const [env, message] of cases) {
    t.throws(() => loadConfig({ root, env }), { code: 'CONFIG_INVALID', message }, JSON.stringify(env))
  }
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

test('an address that others can reach needs API keys', async t => {
  const root = t.testdir()
  for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'example.com']) {
    t.throws(() => loadConfig({ root, env: { HOST } }), {
      code: 'CONFIG_INVALID',
      message: new RegExp(HOST.replaceAll('.', '\\.')),
      fix: /API_KEYS/,
    })
    t.match(loadConfig({ root, env: { HOST, API_KEYS: `ann:${KEY}` } }), { host: HOST, apiKeys: [{ name: 'ann' }] })
  }
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1', '[::1]']) t.ok(isLoopback(host), host)
  for (const host of ['127.0.0.1.example.com', '0.0.0.0', '::', '10.0.0.1', 'localhost.example.com']) {
    t.notOk(isLoopback(host), host)
  }
})

test('LLM_* wins over the names of providers, and a key alone sends nothing away', async t => {
  const root = t.testdir()
  const llm = (env: Record<string, string>) => loadConfig({ root, env }).llm
  t.match(llm({ OPENROUTER_API_KEY: 'o' }), {
    baseUrl: 'https://openrouter.ai/api/v1',
    model: 'openai/gpt-3.5-turbo',
    apiKey: 'o',
  })
  t.match(llm({ OPENROUTER_API_KEY: 'o', OPENROUTER_LLM_MODEL: 'm' }), { model: 'm' })
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
  const half = loadConfig({ root, env: { OPENAI_API_KEY: 'o' } })
  t.equal(half.llm, null)
  t.match(half.notices, [/LLM_MODEL/])
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

test('a setting that nothing uses yet is named at the start', async t => {
  t.match(loadConfig({ root: t.testdir(), env: { TELEGRAM_CHAT_ID: '1', AI_PIPELINE_AUTO_MERGE: 'true' } }).notices, [
    /AI_PIPELINE_AUTO_MERGE/,
    /TELEGRAM_CHAT_ID/,
  ])
})

test('.env.example names every setting', async t => {
  const example = readFileSync(new URL('../.env.example', import.meta.url), 'utf8')
  for (const name of Object.keys(ENVIRONMENT.properties)) t.match(example, new RegExp(`^# ?${name}=`, 'm'), name)
})
