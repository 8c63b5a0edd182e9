import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { ENVIRONMENT, readVariables } from '../../src/config/environment.ts'

test('each variable has its default, and an alias stands for it where it is not given', async t => {
  t.match(readVariables({}), { PORT: 8000, SANDBOX: 'auto', ALLOW_PRIVATE_HOSTS: false, DEBUG: undefined })
  t.equal(readVariables({ AI_PIPELINE_MAX_ATTEMPTS: '5' }).MAX_ATTEMPTS, 5)
  t.equal(readVariables({ AI_PIPELINE_MAX_ATTEMPTS: '5', MAX_ATTEMPTS: '2' }).MAX_ATTEMPTS, 2)
  t.match(readVariables({ ALLOW_PRIVATE_HOSTS: ' TRUE ', DEBUG: '0', PORT: ' 80 ' }), {
    ALLOW_PRIVATE_HOSTS: true,
    DEBUG: false,
    PORT: 80,
  })
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
    [{ PUBLIC_URL: 'tools.example.com' }, /PUBLIC_URL="tools\.example\.com": .*http/],
    [{ PUBLIC_URL: 'https://tools.example.com/?a=1' }, /PUBLIC_URL/],
    [{ PUBLIC_URL: 'https://tools.example.com/a"b' }, /PUBLIC_URL/],
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

test('a number is accepted from its least to its greatest value, and nothing beyond', async t => {
  for (const [name, least, most] of [
    ['PORT', 0, 65_535],
    ['LLM_MAX_OUTPUT_TOKENS', 1, 1_000_000],
    ['LLM_TIMEOUT_S', 1, 3_600],
    ['LLM_FIRST_TOKEN_TIMEOUT_S', 1, 3_600],
    ['MAX_ATTEMPTS', 1, 10],
    ['SANDBOX_MEMORY_MB', 64, 1_048_576],
    ['SANDBOX_TIMEOUT_S', 1, 86_400],
    ['JOBS_CONCURRENCY', 1, 64],
    ['QUEUE_LIMIT', 1, 100_000],
    ['RETENTION_DAYS', 1, 3_650],
    ['CACHE_MB', 16, 1_048_576],
    ['CACHE_GB', 0, 100_000],
    ['REPLY_TIMEOUT_DAYS', 1, 365],
    ['DISK_RESERVE_MB', 1, 100_000_000],
    ['ENVIRONMENTS_GB', 1, 100_000],
  ] as const) {
    for (const value of [least, most]) t.equal(readVariables({ [name]: String(value) })[name], value, name)
    for (const value of [least - 1, most + 1]) {
      t.throws(
        () => readVariables({ [name]: String(value) }),
        { message: new RegExp(`from ${least} to ${most}`) },
        name,
      )
    }
  }
})

test('.env.example shows the default of each number and switch', async t => {
  const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  for (const [name, value] of Object.entries(readVariables({}))) {
    if (typeof value !== 'string') t.match(example, new RegExp(`^# ${name}=${value}$`, 'm'), name)
  }
})

test('.env.example names every setting', async t => {
  const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  for (const name of Object.keys(ENVIRONMENT.properties)) t.match(example, new RegExp(`^# ?${name}=`, 'm'), name)
})
