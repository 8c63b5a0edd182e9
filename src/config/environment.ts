import { isAbsolute } from 'node:path'
import type { Static, TSchema } from 'typebox'
import { readDatabaseUrl } from '../core/database-url.ts'
import { readObjectStoreUrl } from '../core/object-store-url.ts'
import { isRole } from '../core/node.ts'
import { Type } from '../core/type.ts'
import { readForge } from './forges.ts'
import { invalid, list, type Variables } from './values.ts'

const text = (description: string, options: object = {}) =>
  Type.Optional(Type.String({ minLength: 1, description, ...options }))
const integer = (description: string, minimum: number, maximum: number, fallback: number, options: object = {}) =>
  Type.Integer({ minimum, maximum, default: fallback, description, ...options })
const flag = (description: string, options: object = {}) => Type.Boolean({ default: false, description, ...options })
const choice = (description: string, values: string[], fallback: string, options: object = {}) =>
  Type.Union(
    values.map(value => Type.Literal(value)),
    { description, default: fallback, ...options },
  )
const HTTP_URL = { format: 'http-url' }
const SECRET = { secret: true }
const HARMLESS = { harmless: true }

/**
 * The table of environment variables. Extra keywords: `secret` values never appear in an error, `aliases` are other
 * names for the same setting, and `harmless` ones may be set by the `.env` of any folder.
 */
export const ENVIRONMENT = Type.Object({
  HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'an IP address or host name to listen on' }),
  PORT: integer('a TCP port', 0, 65535, 8000),
  API_KEYS: text('a list name:key or name:key:read:project+project, with keys of at least 24 characters', SECRET),
  ALLOWED_HOSTS: text('a comma-separated list of host names, with or without a port', { format: 'host-list' }),
  PUBLIC_URL: text('an http(s) URL without credentials, query and fragment, its path of plain segments', {
    format: 'public-url',
  }),
  DATA_DIR: text('a folder'),
  VECTOR_STORE_DIR: text('a folder'),
  CLONED_REPOS_DIR: text('a folder'),
  WORKSPACES_DIR: text('a folder'),
  DATABASE_URL: text(
    'postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?sslmode=disable, require, verify-ca or verify-full',
    { ...SECRET, format: 'database-url' },
  ),
  DATABASE_READ_URL: text('the URL of a replica of that database, for lists', { ...SECRET, format: 'database-url' }),
  DATABASE_SCHEMA: Type.String({
    pattern: '^[a-z][a-z0-9_]{0,39}$',
    default: 'faultline',
    description: 'the name of a schema: up to 40 small letters, digits and _',
  }),
  DATABASE_POOL_SIZE: integer('connections to the database', 2, 1_000, 10),
  DATABASE_CONNECT_TIMEOUT_S: integer('seconds until the database is connected', 1, 300, 10),
  DATABASE_STATEMENT_TIMEOUT_S: integer('seconds that a statement may take', 1, 3_600, 30),
  DATABASE_MIGRATE: Type.Boolean({ default: true, description: 'whether a start brings the schema up to date' }),
  OBJECT_STORE_URL: text('file:///PATH, postgres:, or s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME', {
    format: 'object-store-url',
  }),
  S3_ACCESS_KEY_ID: text('the id of a key for S3', { aliases: ['AWS_ACCESS_KEY_ID'] }),
  S3_SECRET_ACCESS_KEY: text('a key for S3', { ...SECRET, aliases: ['AWS_SECRET_ACCESS_KEY'] }),
  S3_SESSION_TOKEN: text('the token of a key for S3 that holds for a while', {
    ...SECRET,
    aliases: ['AWS_SESSION_TOKEN'],
  }),
  CACHE_GB: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100_000,
      description: 'gigabytes that indexes, clones and kept files may take on the disk of a node; 0: any',
    }),
  ),
  ROLE: Type.String({ default: 'http,worker', format: 'roles', description: 'http, worker, or both with a comma' }),
  NODE_NAME: text('a name of up to 63 letters, digits, dots, - and _', {
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
  }),
  NODE_URL: text('an http(s) URL without credentials and path, where the other nodes reach this one', {
    format: 'origin',
  }),
  CLUSTER_SECRET: text('a secret of at least 24 characters, the same on all nodes', { ...SECRET, minLength: 24 }),
  DRAIN_TIMEOUT_S: integer('seconds that a node may take to end what is under way when it stops', 0, 3600, 25),
  LLM_BASE_URL: text('an http(s) URL of an OpenAI-compatible API, without credentials', HTTP_URL),
  LLM_API_KEY: text('an API key', SECRET),
  LLM_MODEL: text('a model name'),
  LLM_FALLBACK_MODELS: text('a comma-separated list of model names'),
  LLM_MAX_OUTPUT_TOKENS: integer('tokens per reply', 1, 1_000_000, 16_384),
  LLM_TIMEOUT_S: integer('seconds per call', 1, 3600, 300, HARMLESS),
  LLM_FIRST_TOKEN_TIMEOUT_S: integer('seconds until a stream begins', 1, 3600, 120, HARMLESS),
  LLM_HEADERS: text('JSON: {"name": "value"}, sent with every request to the model server', SECRET),
  OPENROUTER_API_KEY: text('an API key', SECRET),
  OPENROUTER_LLM_MODEL: text('a model name'),
  OPENAI_API_KEY: text('an API key', SECRET),
  OPENAI_BASE_URL: text('an http(s) URL, without credentials', HTTP_URL),
  ANTHROPIC_API_KEY: text('an API key', SECRET),
  EMBEDDING_MODEL: text('a model name'),
  OPENROUTER_EMBEDDING_MODEL: text('a model name'),
  EMBEDDING_BASE_URL: text('an http(s) URL, without credentials', HTTP_URL),
  EMBEDDING_API_KEY: text('an API key', SECRET),
  EMBEDDING_HEADERS: text('JSON: {"name": "value"}, sent with every request to the embedding server', SECRET),
  MAX_ATTEMPTS: integer('attempts per task', 1, 10, 3, { aliases: ['AI_PIPELINE_MAX_ATTEMPTS'] }),
  AUTO_MERGE: flag('whether tasks that pass are merged', { aliases: ['AI_PIPELINE_AUTO_MERGE'] }),
  DEBUG: Type.Optional(Type.Boolean({ description: 'whether to log at level debug' })),
  AI_PIPELINE_MODEL: text('a model name for tasks'),
  AI_PIPELINE_DB_PATH: text('the file of the job database'),
  CHUNKER: choice('how files are cut into chunks', ['scopes', 'lines'], 'scopes'),
  PROMPTS_DIR: text('a folder'),
  TRUSTED_FOLDERS: text('a comma-separated list of absolute folders', { format: 'folders' }),
  ALLOW_LOCAL_REPOS: text('a comma-separated list of absolute folders'),
  ALLOW_PRIVATE_HOSTS: flag('whether clone, callbacks and the registry proxy may reach private addresses and http://'),
  GIT_TOKENS: text('a list host=token,host=token', { ...SECRET, format: 'pairs' }),
  FORGES: text('a list host=github, host=gitlab, host=gitea or host=bitbucket, with @URL where the API is elsewhere', {
    format: 'forges',
  }),
  GITHUB_APP_ID: text('the id of a GitHub App', { format: 'app-id' }),
  GITHUB_APP_KEY: text('the private key of a GitHub App, as PEM or as the path of its file', SECRET),
  SANDBOX: choice('how programs are run', ['auto', 'none', 'unsafe-host'], 'auto'),
  SANDBOX_MEMORY_MB: integer('megabytes', 64, 1_048_576, 1024),
  SANDBOX_TIMEOUT_S: integer('seconds', 1, 86_400, 120, HARMLESS),
  SANDBOX_REGISTRIES: text('a comma-separated list of host names, with or without a port', { format: 'host-list' }),
  ENVIRONMENTS_GB: integer('gigabytes of installed dependencies, of which the least recently used go', 1, 100_000, 20),
  JOBS_CONCURRENCY: integer('jobs that run at once', 1, 64, 4),
  QUEUE_LIMIT: integer('jobs that may wait', 1, 100_000, 1000),
  RETENTION_DAYS: integer('days that finished jobs are kept', 1, 3650, 30),
  RETENTION_MB: integer(
    'megabytes of jobs and their files above which finished ones are forgotten',
    16,
    100_000_000,
    10_240,
  ),
  UPLOAD_LIMIT_MB: integer('megabytes of an uploaded repository', 1, 1_048_576, 2048),
  CACHE_MB: integer('megabytes of all caches in memory together', 16, 1_048_576, 64),
  REPLY_TIMEOUT_DAYS: integer('days that a job waits for a reply', 1, 365, 7),
  WEBHOOK_SECRETS: text('a list provider=secret,provider=secret', { ...SECRET, format: 'pairs' }),
  MODEL_PRICES: text('JSON: {"model": {"input": 0.5, "output": 1.5}} in USD per million tokens'),
  MODEL_CONTEXTS: text('JSON: {"model": 128000}, tokens of request and reply together'),
  AIDER_BIN: text('the absolute path of the program aider', { pattern: '^/' }),
  AIDER_MODEL: text('a model name, as aider knows it'),
  TELEGRAM_BOT_TOKEN: text('the token of a bot, such as 123456:ABC-DEF', {
    ...SECRET,
    pattern: '^[0-9]{1,20}:[A-Za-z0-9_-]{20,100}$',
  }),
  TELEGRAM_CHAT_ID: text('the number of a chat, or @channel', { pattern: '^(?:-?[0-9]{1,20}|@[A-Za-z0-9_]{5,64})$' }),
  TELEGRAM_BASE_URL: text('an http(s) URL, without credentials', HTTP_URL),
  DEPLOY_COMMANDS: text('JSON: {"project": ["/path/of/a/program", "argument"]}'),
  DISK_RESERVE_MB: integer('megabytes free on each disk below which new work is refused', 1, 100_000_000, 512),
  LOG_LEVEL: choice('a log level', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
})

const isHttpUrl = (value: string): boolean => {
  const url = URL.canParse(value) ? new URL(value) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** The path becomes a part of headers and of a page. */
function isPublicUrl(value: string): boolean {
  if (!isHttpUrl(value)) return false
  const { search, hash, pathname } = new URL(value)
  return search === '' && hash === '' && /^(?:\/[\w.~-]+)*\/?$/.test(pathname)
}

const FORMATS: Record<string, (value: string) => boolean> = {
  'http-url': isHttpUrl,
  'public-url': isPublicUrl,
  'object-store-url': value => !('problem' in readObjectStoreUrl(value)),
  origin: value => isHttpUrl(value) && value.replace(/\/$/, '') === new URL(value).origin,
  roles: value => list(value).length > 0 && list(value).every(isRole),
  'database-url': value => !('problem' in readDatabaseUrl(value)),
  'host-list': value =>
    list(value).every(host => /^[A-Za-z0-9.-]{1,253}(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i.test(host)),
  folders: value => list(value).every(folder => isAbsolute(folder)),
  forges: value => list(value).every(item => readForge(item) !== null),
  'app-id': value => /^[A-Za-z0-9]{1,64}$/.test(value),
  pairs: value => list(value).every(item => /^[^=]+=./.test(item)),
}

/** The checked values of all variables. */
export type Environment = Static<typeof ENVIRONMENT>

/** The name of a variable. */
export type VariableName = keyof Environment & string

/** The row of a variable in the table. */
function schemaOf(name: VariableName): TSchema & {
  description?: string
  default?: unknown
  secret?: boolean
  harmless?: boolean
  aliases?: string[]
} {
  return ENVIRONMENT.properties[name]
}

const names = Object.keys(ENVIRONMENT.properties) as VariableName[]
/** All variables, with their other names. */
export const KNOWN_VARIABLES: ReadonlySet<string> = new Set(
  names.flatMap(name => [name, ...(schemaOf(name).aliases ?? [])]),
)
/** What the `.env` of any folder may set: times, and nothing that says where something goes or what is allowed. */
export const HARMLESS_VARIABLES: ReadonlySet<string> = new Set(names.filter(name => schemaOf(name).harmless === true))

const NUMBERS: Readonly<Record<string, RegExp>> = { integer: /^-?\d{1,15}$/, number: /^-?\d{1,15}(?:\.\d{1,9})?$/ }

function convert(schema: TSchema, raw: string): unknown {
  const type = (schema as { type?: string }).type ?? ''
  const number = NUMBERS[type]
  if (number !== undefined) return number.test(raw.trim()) ? Number(raw) : raw
  if (type === 'boolean') {
    return ({ true: true, 1: true, false: false, 0: false } as Record<string, boolean>)[raw.trim().toLowerCase()] ?? raw
  }
  return raw
}

interface TextRules {
  minLength?: number
  pattern?: string
  format?: string
}

function fitsText(value: string, { minLength = 0, pattern, format }: TextRules): boolean {
  if (value.length < minLength || (pattern !== undefined && !new RegExp(pattern).test(value))) return false
  return format === undefined || (FORMATS[format]?.(value) ?? true)
}

/** Whether a value fits a row of the table. TypeBox could say so, too, but takes longer to load than all else here. */
function fits(schema: TSchema, value: unknown): boolean {
  const {
    type,
    anyOf,
    minimum = -Infinity,
    maximum = Infinity,
    ...rules
  } = schema as TextRules & {
    type?: string
    anyOf?: Array<{ const: string }>
    minimum?: number
    maximum?: number
  }
  if (anyOf !== undefined) return anyOf.some(option => option.const === value)
  if (type === 'integer' || type === 'number') {
    return typeof value === 'number' && value >= minimum && value <= maximum
  }
  if (type === 'boolean') return typeof value === 'boolean'
  return typeof value === 'string' && fitsText(value, rules)
}

function allowed(schema: TSchema & { description?: string }): string {
  const { type, minimum, maximum, anyOf } = schema as {
    type?: string
    minimum?: number
    maximum?: number
    anyOf?: Array<{ const: string }>
  }
  const what = schema.description ?? 'a value'
  if (anyOf !== undefined) return `${what}: ${anyOf.map(option => option.const).join(' | ')}`
  if (type === 'integer') return `${what}: an integer from ${minimum} to ${maximum}`
  if (type === 'number') return `${what}: a number from ${minimum} to ${maximum}`
  if (type === 'boolean') return `${what}: true or false`
  return what
}

/**
 * The value of each variable, or its default.
 *
 * @throws {FaultlineError} CONFIG_INVALID naming each variable that is wrong, its value (never a secret's) and what is
 * allowed.
 */
export function readVariables(given: Variables): Environment {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(ENVIRONMENT.properties) as VariableName[]) {
    const schema = schemaOf(name)
    const source = [name, ...(schema.aliases ?? [])].find(key => given[key] !== undefined)
    const raw = source === undefined ? undefined : given[source]
    const value = raw === undefined ? schema.default : convert(schema, raw)
    if (value === undefined) continue
    if (!fits(schema, value)) {
      problems.push(
        `${source ?? name}=${schema.secret === true ? '(hidden)' : JSON.stringify(raw)}: expected ${allowed(schema)}`,
      )
    }
    values[name] = value
  }
  if (problems.length > 0) throw invalid(problems.join('; '))
  return values as Environment
}
