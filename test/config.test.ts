import { join } from 'node:path'
import { test } from 'tap'
import { isLoopback, loadConfig } from '../src/config.ts'

const KEY = 'k'.repeat(24)

test('without any setting everything is embedded and on loopback', async t => {
  const root = t.testdir()
  t.same(loadConfig({ env: {}, root }), {
    tasks: { maxAttempts: 3, autoMerge: false, model: null },
    host: '127.0.0.1',
    port: 8000,
    apiKeys: [],
    allowedHosts: [],
    publicUrl: null,
    dataDir: join(root, 'data'),
    vectorStoreDir: join(root, 'vector_store'),
    clonedReposDir: join(root, 'cloned_repos'),
    workspacesDir: join(root, 'data', 'workspaces'),
    jobsDbFile: join(root, 'data', 'jobs.sqlite'),
    database: null,
    objectStore: null,
    node: { roles: ['http', 'worker'], name: null, url: null, secret: null, drainTimeoutMs: 25_000 },
    llm: null,
    llmGap: {
      reason: 'No model is configured.',
      fix: 'Set LLM_BASE_URL and LLM_MODEL and, where the server wants one, LLM_API_KEY.',
    },
    embedding: null,
    aider: { bin: null, model: null },
    telegram: null,
    deployCommands: new Map(),
    deployEnv: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/', LANG: 'C.UTF-8' },
    modelPrices: new Map(),
    modelContexts: new Map(),
    chunker: 'scopes',
    promptsDir: null,
    allowLocalRepos: [],
    allowPrivateHosts: false,
    gitTokens: new Map(),
    forges: new Map(),
    githubApp: null,
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
    uploadLimitBytes: 2048 * 1024 * 1024,
    replyTimeoutDays: 7,
    cacheBytes: 64 * 1024 * 1024,
    diskReserveBytes: 512 * 1024 * 1024,
    environmentsBytes: 20 * 1024 ** 3,
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

test('a pattern of a setting is checked, as its format is', async t => {
  for (const [name, value] of [
    ['AIDER_BIN', 'aider'],
    ['TELEGRAM_CHAT_ID', 'my chat'],
    ['DATABASE_SCHEMA', 'Public; DROP'],
  ] as const) {
    t.throws(() => loadConfig({ env: { [name]: value }, root: t.testdir() }), {
      code: 'CONFIG_INVALID',
      message: new RegExp(name),
    })
  }
})

test('a database URL is taken as a whole, and its password is shown nowhere', async t => {
  const root = t.testdir()
  const url = 'postgres://me:s3cret@db:5433/shop?sslmode=verify-full'
  t.match(loadConfig({ env: { DATABASE_URL: url }, root }).database, {
    url,
    readUrl: null,
    schema: 'faultline',
    poolSize: 10,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 30_000,
    migratesAtStart: true,
  })
  const several = 'postgresql://me:s3cret@one:5433,two/shop?target_session_attrs=read-write'
  t.match(loadConfig({ env: { DATABASE_URL: several }, root }).database, { url: several })
  for (const wrong of [
    'mysql://me:s3cret@db/shop',
    'postgres://me:s3cret@one:,two:x/shop',
    'postgres://db',
    `${url}&x=1`,
    'postgres://me:s3cret@db/s?sslmode=prefer',
  ]) {
    const load = () => loadConfig({ env: { DATABASE_URL: wrong }, root })
    t.throws(load, { code: 'CONFIG_INVALID', message: /DATABASE_URL/ })
    try {
      load()
    } catch (error) {
      t.notMatch(String(error), /s3cret/)
    }
  }
})

test('an object store is read with its keys, under our names or the usual ones', async t => {
  const root = t.testdir()
  t.equal(loadConfig({ env: { S3_ACCESS_KEY_ID: 'id' }, root }).objectStore, null)
  const OBJECT_STORE_URL = 's3://bucket/a?endpoint=https://s3.example&region=eu'
  const address = { kind: 's3', endpoint: 'https://s3.example', region: 'eu', bucket: 'bucket', prefix: 'a/' }
  t.same(loadConfig({ env: { OBJECT_STORE_URL, S3_ACCESS_KEY_ID: 'id' }, root }).objectStore, {
    address,
    credentials: null,
    cacheBytes: null,
  })
  const credentials = { accessKeyId: 'id', secretAccessKey: 's3cret', sessionToken: 'token' }
  for (const prefix of ['S3', 'AWS']) {
    const env = {
      OBJECT_STORE_URL,
      [`${prefix}_ACCESS_KEY_ID`]: 'id',
      [`${prefix}_SECRET_ACCESS_KEY`]: 's3cret',
      [`${prefix}_SESSION_TOKEN`]: 'token',
      CACHE_GB: '3',
    }
    t.same(loadConfig({ env, root }).objectStore, { address, credentials, cacheBytes: 3 * 1024 ** 3 })
    const limitOf = (gb: string) => loadConfig({ env: { ...env, CACHE_GB: gb }, root }).objectStore?.cacheBytes
    t.equal(limitOf('0'), Infinity)
    t.equal(limitOf('0.5'), 512 * 1024 ** 2)
    t.equal(limitOf(''), null, 'a share of the disk')
    for (const wrong of ['-1', 'much', '1e3', '0x10', '.5']) {
      t.throws(() => limitOf(wrong), { code: 'CONFIG_INVALID', message: /a number from 0 to 100000/ }, wrong)
    }
  }
  t.match(loadConfig({ env: { OBJECT_STORE_URL: 'file:///srv/objects' }, root }).objectStore, {
    address: { kind: 'folder', path: '/srv/objects' },
  })
  t.throws(() => loadConfig({ env: { OBJECT_STORE_URL: 'https://bucket' }, root }), {
    code: 'CONFIG_INVALID',
    message: /OBJECT_STORE_URL/,
  })
})

test('a node of several has roles, a name, a URL and a secret', async t => {
  const root = t.testdir()
  const secret = 's'.repeat(24)
  const DATABASE_URL = 'postgres://me@db/shop'
  const env = {
    DATABASE_URL,
    ROLE: 'worker, worker',
    NODE_NAME: 'w-1',
    NODE_URL: 'http://w-1:8000/',
    DRAIN_TIMEOUT_S: '5',
  }
  t.same(loadConfig({ env: { ...env, CLUSTER_SECRET: secret }, root }).node, {
    roles: ['worker'],
    name: 'w-1',
    url: 'http://w-1:8000',
    secret,
    drainTimeoutMs: 5_000,
  })
  t.match(loadConfig({ env, root }).notices, [/^CLUSTER_SECRET is not set: nodes forward nothing/])
  for (const [name, value] of [
    ['ROLE', 'http,all'],
    ['ROLE', ','],
    ['NODE_NAME', 'a b'],
    ['NODE_URL', 'http://w-1:8000/path'],
    ['NODE_URL', 'http://me:secret@w-1:8000'],
    ['CLUSTER_SECRET', 'too-short'],
  ] as const) {
    t.throws(() => loadConfig({ env: { DATABASE_URL, [name]: value }, root }), {
      code: 'CONFIG_INVALID',
      message: new RegExp(name),
    })
  }
})

test('without a database a process does everything, and says what is set for nothing', async t => {
  const root = t.testdir()
  t.throws(() => loadConfig({ env: { ROLE: 'http' }, root }), { code: 'CONFIG_INVALID', message: /ROLE=http/ })
  t.same(loadConfig({ env: { ROLE: 'worker,http', NODE_NAME: 'a', DRAIN_TIMEOUT_S: '3' }, root }).notices, [
    'NODE_NAME, DRAIN_TIMEOUT_S are set, but they do nothing without DATABASE_URL.',
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
