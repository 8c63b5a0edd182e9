import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import envPaths from 'env-paths'
import { Type, type Static, type TSchema } from 'typebox'
import { Format } from 'typebox/format'
import { Value } from 'typebox/value'
import { FaultlineError } from './core/errors.ts'
import { webhookKey } from './core/webhook.ts'

/** The folder that holds package.json: the checkout, or the installed package. */
export const PACKAGE_ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
/** A checkout keeps its data beside the code; an installed package must not write into node_modules. */
const IS_CHECKOUT = existsSync(join(PACKAGE_ROOT, 'src', 'config.ts'))
const XDG_DATA = envPaths('faultline', { suffix: '' }).data

const text = (description: string, options: object = {}) => Type.Optional(Type.String({ minLength: 1, description, ...options }))
const integer = (description: string, minimum: number, maximum: number, fallback: number, options: object = {}) =>
  Type.Integer({ minimum, maximum, default: fallback, description, ...options })
const flag = (description: string, options: object = {}) => Type.Boolean({ default: false, description, ...options })
const choice = (description: string, values: string[], fallback: string, options: object = {}) =>
  Type.Union(values.map(value => Type.Literal(value)), { description, default: fallback, ...options })
const HTTP_URL = { format: 'http-url' }
const SECRET = { secret: true }
const LATER = { later: true }
/** Who may send webhooks. */
const PROVIDERS: ReadonlySet<string> = new Set(['ci'])
const MIN_KEY_BYTES = 16
/** Where npm and pip are told which registry to use; others than ours, so not in the table. */
const REGISTRY_VARIABLES = ['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL']

/**
 * The configuration table of the HTTP contract. Extra keywords: `secret` values never appear in an error, `aliases` are other names
 * for the same setting, `later` marks settings that are checked but that nothing in this version reads (the start says so).
 */
export const ENVIRONMENT = Type.Object({
  HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'an IP address or host name to listen on' }),
  PORT: integer('a TCP port', 0, 65535, 8000),
  API_KEYS: text('a list name:key,name:key with keys of at least 24 characters', SECRET),
  ALLOWED_HOSTS: text('a comma-separated list of host names, with or without a port', { format: 'host-list' }),
  DATA_DIR: text('a folder'),
  VECTOR_STORE_DIR: text('a folder'),
  CLONED_REPOS_DIR: text('a folder'),
  WORKSPACES_DIR: text('a folder'),
  LLM_BASE_URL: text('an http(s) URL of an OpenAI-compatible API, without credentials', HTTP_URL),
  LLM_API_KEY: text('an API key', SECRET),
  LLM_MODEL: text('a model name'),
  LLM_FALLBACK_MODELS: text('a comma-separated list of model names'),
  LLM_MAX_OUTPUT_TOKENS: integer('tokens per reply', 1, 1_000_000, 16_384),
  LLM_TIMEOUT_S: integer('seconds per call', 1, 3600, 300),
  LLM_FIRST_TOKEN_TIMEOUT_S: integer('seconds until a stream begins', 1, 3600, 120),
  LLM_HEADERS: text('JSON: {"name": "value"}, sent with every request to the model server', SECRET),
  OPENROUTER_API_KEY: text('an API key', SECRET),
  OPENROUTER_LLM_MODEL: Type.String({ minLength: 1, default: 'openai/gpt-3.5-turbo', description: 'a model name' }),
  OPENAI_API_KEY: text('an API key', SECRET),
  OPENAI_BASE_URL: text('an http(s) URL, without credentials', HTTP_URL),
  ANTHROPIC_API_KEY: text('an API key', SECRET),
  EMBEDDING_MODEL: text('a model name'),
  OPENROUTER_EMBEDDING_MODEL: text('a model name'),
  EMBEDDING_BASE_URL: text('an http(s) URL, without credentials', HTTP_URL),
  EMBEDDING_API_KEY: text('an API key', SECRET),
  EMBEDDING_HEADERS: text('JSON: {"name": "value"}, sent with every request to the embedding server', SECRET),
  MAX_ATTEMPTS: integer('attempts per task', 1, 10, 3, { ...LATER, aliases: ['AI_PIPELINE_MAX_ATTEMPTS'] }),
  AUTO_MERGE: flag('whether approved tasks are merged', { ...LATER, aliases: ['AI_PIPELINE_AUTO_MERGE'] }),
  DEBUG: Type.Optional(Type.Boolean({ description: 'whether to log at level debug' })),
  AI_PIPELINE_MODEL: text('a model name for tasks', LATER),
  AI_PIPELINE_DB_PATH: text('the file of the job database'),
  CHUNKER: choice('how files are cut into chunks', ['scopes', 'lines'], 'scopes'),
  PROMPTS_DIR: text('a folder'),
  ALLOW_LOCAL_REPOS: text('a comma-separated list of absolute folders'),
  ALLOW_PRIVATE_HOSTS: flag('whether clone, callbacks and the registry proxy may reach private addresses and http://'),
  GIT_TOKENS: text('a list host=token,host=token', { ...SECRET, format: 'pairs' }),
  SANDBOX: choice('how programs are run', ['auto', 'none', 'unsafe-host'], 'auto'),
  SANDBOX_MEMORY_MB: integer('megabytes', 64, 1_048_576, 1024),
  SANDBOX_TIMEOUT_S: integer('seconds', 1, 86_400, 120),
  SANDBOX_REGISTRIES: text('a comma-separated list of host names, with or without a port', { format: 'host-list' }),
  JOBS_CONCURRENCY: integer('jobs that run at once', 1, 64, 4),
  QUEUE_LIMIT: integer('jobs that may wait', 1, 100_000, 1000),
  RETENTION_DAYS: integer('days that finished jobs are kept', 1, 3650, 30),
  RETENTION_MB: integer('megabytes of jobs and their files above which finished ones are forgotten', 16, 100_000_000, 10_240),
  REPLY_TIMEOUT_DAYS: integer('days that a job waits for a reply', 1, 365, 7),
  WEBHOOK_SECRETS: text('a list provider=secret,provider=secret', { ...SECRET, format: 'pairs' }),
  MODEL_PRICES: text('JSON: {"model": {"input": 0.5, "output": 1.5}} in USD per million tokens'),
  MODEL_CONTEXTS: text('JSON: {"model": 128000}, tokens of request and reply together'),
  AIDER_BIN: text('a program', LATER),
  AIDER_MODEL: text('a model name', LATER),
  TELEGRAM_BOT_TOKEN: text('a token', { ...SECRET, ...LATER }),
  TELEGRAM_CHAT_ID: text('a chat', LATER),
  TELEGRAM_BASE_URL: text('an http(s) URL, without credentials', { ...HTTP_URL, ...LATER }),
  LOG_LEVEL: choice('a log level', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
})

const isHttpUrl = (value: string): boolean => {
  const url = URL.canParse(value) ? new URL(value) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}
Format.Set('http-url', isHttpUrl)
Format.Set('host-list', value => list(value).every(host => /^[A-Za-z0-9.-]{1,253}(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i.test(host)))
Format.Set('pairs', value => list(value).every(item => /^[^=]+=./.test(item)))

type Environment = Static<typeof ENVIRONMENT>
type VariableName = keyof Environment & string
export type Variables = Record<string, string | undefined>

export interface ApiKey { name: string, sha256: Buffer }
export interface ModelEndpoint { baseUrl: string, apiKey: string | null, headers: Record<string, string>, model: string }

export interface Config {
  host: string
  port: number
  apiKeys: ApiKey[]
  allowedHosts: string[]
  dataDir: string
  vectorStoreDir: string
  clonedReposDir: string
  /** Folders in which jobs work; below each lies what the sandbox's account must reach. */
  workspacesDir: string
  jobsDbFile: string
  llm: ModelEndpoint & { fallbackModels: string[], maxOutputTokens: number, timeoutMs: number, firstTokenTimeoutMs: number } | null
  embedding: ModelEndpoint | null
  modelPrices: ModelPrices
  /** Tokens of request and reply together. */
  modelContexts: Map<string, number>
  chunker: 'scopes' | 'lines'
  promptsDir: string | null
  allowLocalRepos: string[]
  allowPrivateHosts: boolean
  gitTokens: Map<string, string>
  /** Keys by provider; several while a secret is changed. */
  webhookKeys: Map<string, Buffer[]>
  /** Socket of the operator's ssh-agent, from `SSH_AUTH_SOCK`. */
  sshAuthSock: string | null
  sandbox: {
    mode: 'auto' | 'none' | 'unsafe-host'
    memoryMb: number
    timeoutMs: number
    /** null: those that npm and pip are configured for. */
    registries: string[] | null
    /** What configures npm and pip. */
    registryVariables: Variables
  }
  jobsConcurrency: number
  queueLimit: number
  retentionDays: number
  retentionBytes: number
  replyTimeoutDays: number
  logLevel: string
  /** Sentences for the operator: settings that are set and do nothing, half a model configuration. */
  notices: string[]
}

export type ModelPrices = Map<string, { input: number, output: number }>

export interface LoadOptions {
  env?: Variables
  /** Values from command line flags; they win over the environment. */
  flags?: Variables
  /** Where relative folders start and where `.env` is looked for; default: the checkout, or XDG's data folder for an installed package. */
  root?: string
}

/**
 * Reads and checks the configuration: flags win over the environment, the environment over the `.env` file beside package.json.
 *
 * @throws {FaultlineError} CONFIG_INVALID naming each variable, its value (never a secret's) and what is allowed.
 */
export function loadConfig ({ env = process.env, flags = {}, root }: LoadOptions = {}): Config {
  const base = root ?? (IS_CHECKOUT ? PACKAGE_ROOT : XDG_DATA)
  const given = { ...readEnvFile(join(root ?? PACKAGE_ROOT, '.env')), ...withoutEmpty(env), ...withoutEmpty(flags) }
  const values = readVariables(given)
  const folder = (value: string | undefined, fallback: string) => isAbsolute(value ?? fallback) ? value ?? fallback : resolve(base, value ?? fallback)
  const dataDir = folder(values.DATA_DIR, 'data')
  const config: Config = {
    host: values.HOST.replace(/^\[|\]$/g, ''), // brackets belong to URLs
    port: values.PORT,
    apiKeys: parseApiKeys(values.API_KEYS),
    allowedHosts: list(values.ALLOWED_HOSTS).map(host => host.toLowerCase()),
    dataDir,
    vectorStoreDir: folder(values.VECTOR_STORE_DIR, 'vector_store'),
    clonedReposDir: folder(values.CLONED_REPOS_DIR, 'cloned_repos'),
    workspacesDir: folder(values.WORKSPACES_DIR, join(dataDir, 'workspaces')),
    jobsDbFile: values.AI_PIPELINE_DB_PATH === undefined ? join(dataDir, 'jobs.sqlite') : resolve(base, values.AI_PIPELINE_DB_PATH),
    llm: llmFrom(values),
    embedding: embeddingFrom(values),
    modelPrices: parsePrices(values.MODEL_PRICES),
    modelContexts: parseContexts(values.MODEL_CONTEXTS),
    chunker: values.CHUNKER === 'lines' ? 'lines' : 'scopes',
    promptsDir: values.PROMPTS_DIR === undefined ? null : resolve(base, values.PROMPTS_DIR),
    allowLocalRepos: list(values.ALLOW_LOCAL_REPOS).map(path => localFolder(path)),
    allowPrivateHosts: values.ALLOW_PRIVATE_HOSTS,
    gitTokens: parsePairs(values.GIT_TOKENS),
    webhookKeys: parseWebhookSecrets(values.WEBHOOK_SECRETS),
    sshAuthSock: given.SSH_AUTH_SOCK ?? null,
    sandbox: {
      mode: values.SANDBOX as Config['sandbox']['mode'],
      memoryMb: values.SANDBOX_MEMORY_MB,
      timeoutMs: values.SANDBOX_TIMEOUT_S * 1000,
      registries: values.SANDBOX_REGISTRIES === undefined ? null : list(values.SANDBOX_REGISTRIES).map(host => host.toLowerCase()),
      registryVariables: Object.fromEntries(REGISTRY_VARIABLES.map(name => [name, given[name]])),
    },
    jobsConcurrency: values.JOBS_CONCURRENCY,
    queueLimit: values.QUEUE_LIMIT,
    retentionDays: values.RETENTION_DAYS,
    retentionBytes: values.RETENTION_MB * 1024 * 1024,
    replyTimeoutDays: values.REPLY_TIMEOUT_DAYS,
    logLevel: values.DEBUG === true && given.LOG_LEVEL === undefined ? 'debug' : values.LOG_LEVEL,
    notices: noticesFor(given, values),
  }
  if (!isLoopback(config.host) && config.apiKeys.length === 0) {
    throw new FaultlineError('CONFIG_INVALID', `HOST=${config.host} is not a loopback address and API_KEYS is not set: anyone who reaches this port could read your code.`,
      'Set API_KEYS=name:key (24 characters or more), or HOST=127.0.0.1.')
  }
  return config
}

/** Defaults of the command line's `--server` and `--api-key`, and whether it shows where a bug happened. No settings of the server. */
export function clientEnvironment (env: Variables = process.env): { server?: string, apiKey?: string, debug: boolean } {
  const { FAULTLINE_SERVER: server, FAULTLINE_API_KEY: apiKey, DEBUG: debug } = withoutEmpty(env)
  return { server, apiKey, debug: /^(?:1|true)$/i.test(debug ?? '') }
}

/** All data folders below one, as flags; without a folder below the user's own (XDG) one. */
export function dataFoldersBelow (folder: string = XDG_DATA): Variables {
  return { DATA_DIR: join(folder, 'data'), VECTOR_STORE_DIR: join(folder, 'vector_store'), CLONED_REPOS_DIR: join(folder, 'cloned_repos') }
}

/** Whether only programs of this machine can connect to the address. */
export function isLoopback (host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

function readEnvFile (file: string): Variables {
  return existsSync(file) ? withoutEmpty(parseEnv(readFileSync(file, 'utf8')) as Variables) : {}
}

const withoutEmpty = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))

const list = (value: string | undefined): string[] => (value ?? '').split(',').map(item => item.trim()).filter(item => item !== '')

function schemaOf (name: VariableName): TSchema & { description?: string, default?: unknown, secret?: boolean, later?: boolean, aliases?: string[] } {
  return ENVIRONMENT.properties[name]
}

function readVariables (given: Variables): Environment {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(ENVIRONMENT.properties) as VariableName[]) {
    const schema = schemaOf(name)
    const source = [name, ...(schema.aliases ?? [])].find(key => given[key] !== undefined)
    const raw = source === undefined ? undefined : given[source]
    const value = raw === undefined ? schema.default : convert(schema, raw)
    if (value === undefined) continue
    if (!Value.Check(schema, value)) problems.push(`${source ?? name}=${schema.secret === true ? '(hidden)' : JSON.stringify(raw)}: expected ${allowed(schema)}`)
    values[name] = value
  }
  if (problems.length > 0) throw invalid(problems.join('; '))
  return values as Environment
}

function convert (schema: TSchema, raw: string): unknown {
  const type = (schema as { type?: string }).type
  if (type === 'integer') return /^-?\d{1,15}$/.test(raw.trim()) ? Number(raw) : raw
  if (type === 'boolean') return ({ true: true, 1: true, false: false, 0: false } as Record<string, boolean>)[raw.trim().toLowerCase()] ?? raw
  return raw
}

function allowed (schema: TSchema & { description?: string }): string {
  const { type, minimum, maximum, anyOf } = schema as { type?: string, minimum?: number, maximum?: number, anyOf?: Array<{ const: string }> }
  const what = schema.description ?? 'a value'
  if (anyOf !== undefined) return `${what}: ${anyOf.map(option => option.const).join(' | ')}`
  if (type === 'integer') return `${what}: an integer from ${minimum} to ${maximum}`
  if (type === 'boolean') return `${what}: true or false`
  return what
}

const invalid = (detail: string) => new FaultlineError('CONFIG_INVALID', `Configuration: ${detail}.`, 'See .env.example for every setting.')

function parseApiKeys (value: string | undefined): ApiKey[] {
  const keys = list(value).map((item, index) => {
    const [, name, key] = /^([A-Za-z0-9._-]{1,64}):(\S{24,512})$/.exec(item) ?? []
    if (name === undefined || key === undefined) throw invalid(`API_KEYS: entry ${index + 1} is not name:key with a key of 24 to 512 characters`)
    return { name, sha256: createHash('sha256').update(key).digest() }
  })
  if (new Set(keys.map(key => key.name)).size !== keys.length) throw invalid('API_KEYS: two keys have the same name')
  return keys
}

const parsePairs = (value: string | undefined): Map<string, string> => new Map(pairsIn(value))

function pairsIn (value: string | undefined): Array<[string, string]> {
  return list(value).map(item => {
    const at = item.indexOf('=')
    return [item.slice(0, at).trim().toLowerCase(), item.slice(at + 1).trim()]
  })
}

function parseWebhookSecrets (value: string | undefined): Map<string, Buffer[]> {
  const keys = new Map<string, Buffer[]>()
  for (const [provider, secret] of pairsIn(value)) {
    const key = webhookKey(secret)
    if (key === null) throw invalid(`WEBHOOK_SECRETS: a secret of ${JSON.stringify(provider)} begins with whsec_, and the rest is not base64`)
    keys.set(provider, [...keys.get(provider) ?? [], key])
  }
  return keys
}

function parsePrices (value: string | undefined): ModelPrices {
  if (value === undefined) return new Map()
  const shape = Type.Record(Type.String(), Type.Object({ input: Type.Number({ minimum: 0 }), output: Type.Number({ minimum: 0 }) }, { additionalProperties: false }))
  const parsed = parseJson(value, 'MODEL_PRICES is not JSON; expected {"model": {"input": 0.5, "output": 1.5}}')
  if (!Value.Check(shape, parsed)) throw invalid('MODEL_PRICES: expected {"model": {"input": USD, "output": USD}} per million tokens')
  return new Map(Object.entries(parsed))
}

function parseContexts (value: string | undefined): Map<string, number> {
  if (value === undefined) return new Map()
  const parsed = parseJson(value, 'MODEL_CONTEXTS is not JSON; expected {"model": 128000}')
  const shape = Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 1_000_000_000 }))
  if (!Value.Check(shape, parsed)) throw invalid('MODEL_CONTEXTS: expected {"model": TOKENS} with whole numbers above 0')
  return new Map(Object.entries(parsed))
}

/** Values are secrets: errors do not repeat them. */
function parseHeaders (name: string, value: string | undefined): Record<string, string> {
  if (value === undefined) return {}
  const parsed = parseJson(value, `${name} is not JSON; expected {"name": "value"}`)
  const shape = Type.Record(Type.String(), Type.String({ pattern: '^[\\x21-\\x7e](?:[\\x20-\\x7e\\t]*[\\x21-\\x7e])?$' }))
  if (!Value.Check(shape, parsed) || !Object.keys(parsed).every(header => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(header))) throw invalid(`${name}: expected {"name": "value"} with names and values of HTTP headers`)
  return parsed
}

function parseJson (value: string, message: string): unknown {
  try { return JSON.parse(value) } catch { throw invalid(message) }
}

function localFolder (path: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
  if (!isAbsolute(expanded)) throw invalid(`ALLOW_LOCAL_REPOS=${JSON.stringify(path)}: expected absolute folders`)
  return expanded
}

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

function llmFrom (values: Environment): Config['llm'] {
  const endpoint = llmEndpoint(values)
  if (endpoint === null || endpoint.model === undefined) return null
  return {
    baseUrl: endpoint.baseUrl,
    apiKey: endpoint.apiKey ?? null,
    headers: parseHeaders('LLM_HEADERS', values.LLM_HEADERS),
    model: endpoint.model,
    fallbackModels: list(values.LLM_FALLBACK_MODELS),
    maxOutputTokens: values.LLM_MAX_OUTPUT_TOKENS,
    timeoutMs: values.LLM_TIMEOUT_S * 1000,
    firstTokenTimeoutMs: values.LLM_FIRST_TOKEN_TIMEOUT_S * 1000,
  }
}

/** `LLM_*` wins, then the seed's OpenRouter names, then OpenAI's and Anthropic's. A model may be missing: see `noticesFor`. */
function llmEndpoint (values: Environment): { baseUrl: string, apiKey: string | undefined, model: string | undefined } | null {
  if (values.LLM_BASE_URL !== undefined) return { baseUrl: withoutSlash(values.LLM_BASE_URL), apiKey: values.LLM_API_KEY, model: values.LLM_MODEL }
  if (values.LLM_API_KEY !== undefined) return { baseUrl: openAiUrl(values), apiKey: values.LLM_API_KEY, model: values.LLM_MODEL }
  if (values.OPENROUTER_API_KEY !== undefined) {
    return { baseUrl: 'https://openrouter.ai/api/v1', apiKey: values.OPENROUTER_API_KEY, model: values.LLM_MODEL ?? values.OPENROUTER_LLM_MODEL }
  }
  if (values.OPENAI_API_KEY !== undefined || values.OPENAI_BASE_URL !== undefined) return { baseUrl: openAiUrl(values), apiKey: values.OPENAI_API_KEY, model: values.LLM_MODEL }
  if (values.ANTHROPIC_API_KEY !== undefined) return { baseUrl: 'https://api.anthropic.com/v1', apiKey: values.ANTHROPIC_API_KEY, model: values.LLM_MODEL }
  return null
}

const openAiUrl = (values: Environment): string =>
  values.OPENAI_BASE_URL === undefined ? 'https://api.openai.com/v1' : withoutSlash(values.OPENAI_BASE_URL)

/** Only a named embedding model sends code away; a key alone never does. */
function embeddingFrom (values: Environment): ModelEndpoint | null {
  const model = values.EMBEDDING_MODEL ?? values.OPENROUTER_EMBEDDING_MODEL
  if (model === undefined) return null
  const own = parseHeaders('EMBEDDING_HEADERS', values.EMBEDDING_HEADERS)
  if (values.EMBEDDING_BASE_URL !== undefined) {
    return { baseUrl: withoutSlash(values.EMBEDDING_BASE_URL), apiKey: values.EMBEDDING_API_KEY ?? null, headers: own, model }
  }
  if (values.EMBEDDING_MODEL === undefined && values.OPENROUTER_API_KEY !== undefined) {
    return { baseUrl: 'https://openrouter.ai/api/v1', apiKey: values.EMBEDDING_API_KEY ?? values.OPENROUTER_API_KEY, headers: own, model }
  }
  const endpoint = llmEndpoint(values)
  if (endpoint === null) throw invalid(`EMBEDDING_MODEL=${JSON.stringify(model)} needs EMBEDDING_BASE_URL, or a configured LLM whose server it shares`)
  // The model server itself: what it wants of every request, it wants of these, too.
  return { baseUrl: endpoint.baseUrl, apiKey: values.EMBEDDING_API_KEY ?? endpoint.apiKey ?? null, headers: { ...parseHeaders('LLM_HEADERS', values.LLM_HEADERS), ...own }, model }
}

function noticesFor (given: Variables, values: Environment): string[] {
  const notices: string[] = []
  for (const name of Object.keys(ENVIRONMENT.properties) as VariableName[]) {
    const { later, aliases = [] } = schemaOf(name)
    const used = [name, ...aliases].find(key => given[key] !== undefined)
    if (later === true && used !== undefined) notices.push(`${used} is set, but nothing in this version uses it.`)
  }
  const providers = parseWebhookSecrets(values.WEBHOOK_SECRETS)
  for (const provider of providers.keys()) if (!PROVIDERS.has(provider)) notices.push(`WEBHOOK_SECRETS names ${JSON.stringify(provider)}, but nothing in this version uses it.`)
  if ([...providers.values()].flat().some(key => key.length < MIN_KEY_BYTES)) notices.push(`A secret of WEBHOOK_SECRETS has fewer than ${MIN_KEY_BYTES} bytes; "openssl rand -base64 32" makes a good one, with whsec_ before it.`)
  const endpoint = llmEndpoint(values)
  if (endpoint === null && values.LLM_MODEL !== undefined) notices.push('LLM_MODEL is set, but no model server: set LLM_BASE_URL or the key of a provider. No model will be called.')
  if (endpoint !== null && endpoint.model === undefined) notices.push('A model server is configured, but LLM_MODEL is not set: no model will be called.')
  return notices
}
