import { isIP } from 'node:net'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { DEFAULT_ROOT, ENV_FILES } from './config/client.ts'
import { readEnvFile, readFolderEnvFile, withoutEmpty } from './config/env-files.ts'
import { HARMLESS_VARIABLES, KNOWN_VARIABLES, readVariables, type Environment } from './config/environment.ts'
import {
  embeddingFrom,
  llmFrom,
  llmGap,
  type ChatEndpoint,
  type LlmGap,
  type ModelEndpoint,
} from './config/model-endpoints.ts'
import { parseForges, readGithubApp, type ForgeSetting, type GithubApp } from './config/forges.ts'
import { noticesFor } from './config/notices.ts'
import {
  list,
  localFolder,
  parseApiKeys,
  parseContexts,
  parsePairs,
  parseDeployCommands,
  parsePrices,
  parseWebhookSecrets,
  type ApiKey,
  type ModelPrices,
  type Variables,
} from './config/values.ts'
import type { DatabaseSettings } from './core/database-url.ts'
import { FaultlineError } from './core/errors.ts'
import { readObjectStoreUrl, type ObjectStoreSettings } from './core/object-store-url.ts'
import { ROLES, type NodeSettings } from './core/node.ts'

export { PACKAGE_ROOT } from './config/client.ts'
export { ENVIRONMENT } from './config/environment.ts'
export type { Variables } from './config/values.ts'

/** Variables that set the registries of npm and pip; others own them, so they are not in the table. */
const REGISTRY_VARIABLES = ['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL']

/** All settings as the services take them. */
export interface Config {
  host: string
  port: number
  apiKeys: ApiKey[]
  allowedHosts: string[]
  /** Where others reach the server, without a slash at its end; null: where it listens. */
  publicUrl: string | null
  dataDir: string
  vectorStoreDir: string
  clonedReposDir: string
  /** Folders in which jobs work; below each lies what the sandbox's account must reach. */
  workspacesDir: string
  jobsDbFile: string
  /** Null: everything is kept in `jobsDbFile`. */
  database: DatabaseSettings | null
  /** Null: this machine shares nothing with others. */
  objectStore: ObjectStoreSettings | null
  /** What this process is among those that work on the database; without one it is alone and does everything. */
  node: NodeSettings
  llm: ChatEndpoint | null
  /** Why there is no model, and what to set; null where there is one. */
  llmGap: LlmGap | null
  embedding: ModelEndpoint | null
  /** What holds for tasks whose request does not say otherwise. */
  tasks: {
    maxAttempts: number
    autoMerge: boolean
    /** Null: the model of everything else. */
    model: string | null
  }
  /** The external coder of features; no program: there is none. */
  aider: { bin: string | null; model: string | null }
  /** Where notifications go beside callbacks; null: nowhere. */
  telegram: { token: string; chatId: string; baseUrl: string } | null
  /** What deploys approved features, by project in small letters. */
  deployCommands: ReadonlyMap<string, readonly string[]>
  /** What these programs get of the server's environment. */
  deployEnv: Readonly<Record<'PATH' | 'HOME' | 'LANG', string>>
  modelPrices: ModelPrices
  /** Tokens of request and reply together. */
  modelContexts: Map<string, number>
  chunker: 'scopes' | 'lines'
  promptsDir: string | null
  allowLocalRepos: string[]
  allowPrivateHosts: boolean
  gitTokens: Map<string, string>
  /** Forges by host, or host:port, beside those that everybody knows. */
  forges: Map<string, ForgeSetting>
  /** What check runs are made as; null for none. */
  githubApp: GithubApp | null
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
  /** What installed dependencies may take on the disk. */
  environmentsBytes: number
  jobsConcurrency: number
  queueLimit: number
  retentionDays: number
  retentionBytes: number
  replyTimeoutDays: number
  /** The most that an uploaded repository may have. */
  uploadLimitBytes: number
  /** The bytes of all caches in memory together; `services/` shares them out among the threads. */
  cacheBytes: number
  /** Free space on each disk below which new work is refused. */
  diskReserveBytes: number
  logLevel: string
  /** Sentences for the operator: settings that are set and do nothing, half a model configuration. */
  notices: string[]
}

/** Where `loadConfig` takes settings from. */
export interface LoadOptions {
  env?: Variables
  /** Values from command line flags; they win over the environment. */
  flags?: Variables
  /**
   * Where relative folders start and where `.env` is looked for; default: the checkout, or XDG's data folder for an
   * installed package.
   */
  root?: string
  /** The current folder, whose `.env` may set some variables; default: that of the process, or none with a `root`. */
  cwd?: string
}

/** Whether only programs of this machine can connect to the address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

const hostList = (value: string | undefined): string[] => list(value).map(host => host.toLowerCase())

/** The name under which others reach the server, if it has one. */
const publicHosts = (url: string | undefined): string[] => (url === undefined ? [] : [new URL(url).host])

/** What is read from a value; null where there is none. */
const optional = <T>(value: string | undefined, read: (value: string) => T): T | null =>
  value === undefined ? null : read(value)

/** The variables of the current folder's file, unless it is one of the installation or of the user. */
function fromFolder(folder: string | undefined, files: readonly string[], trusted: string | undefined) {
  if (folder === undefined || files.some(file => dirname(file) === resolve(folder))) return { values: {}, refused: [] }
  return readFolderEnvFile({ folder, trusted, harmless: HARMLESS_VARIABLES, known: KNOWN_VARIABLES })
}

/** All variables, and what an operator should know of where they stand. */
function gather({ env = process.env, flags = {}, root, cwd }: LoadOptions): { given: Variables; notices: string[] } {
  const files = root === undefined ? ENV_FILES : [join(root, '.env')]
  const ofUser = Object.assign({}, ...files.map(readEnvFile)) as Variables
  const ofEnvironment = { ...withoutEmpty(env), ...withoutEmpty(flags) }
  const ownFolder = root === undefined ? process.cwd() : undefined
  const folder = cwd ?? ownFolder
  const { values, refused } = fromFolder(folder, files, ofEnvironment.TRUSTED_FOLDERS ?? ofUser.TRUSTED_FOLDERS)
  const notice =
    `The .env of the current folder sets ${refused.join(', ')}, which only a trusted folder may: ` +
    'TRUSTED_FOLDERS names those.'
  return { given: { ...ofUser, ...values, ...ofEnvironment }, notices: refused.length === 0 ? [] : [notice] }
}

const ownEnv = ({ PATH = '/usr/local/bin:/usr/bin:/bin', HOME = '/', LANG = 'C.UTF-8' }: Variables) => ({
  PATH,
  HOME,
  LANG,
})

/** The public Bot API. */
const TELEGRAM_API = 'https://api.telegram.org'

function telegramFrom({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_CHAT_ID: chatId, TELEGRAM_BASE_URL: url }: Environment) {
  if (token === undefined || chatId === undefined) return null
  return { token, chatId, baseUrl: (url ?? TELEGRAM_API).replace(/\/$/, '') }
}

function databaseFrom(values: Environment): DatabaseSettings | null {
  if (values.DATABASE_URL === undefined) return null
  return {
    url: values.DATABASE_URL,
    readUrl: values.DATABASE_READ_URL ?? null,
    schema: values.DATABASE_SCHEMA,
    poolSize: values.DATABASE_POOL_SIZE,
    connectTimeoutMs: values.DATABASE_CONNECT_TIMEOUT_S * 1000,
    statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_S * 1000,
    migratesAtStart: values.DATABASE_MIGRATE,
  }
}

/** What nodes share lies in their database unless another place is named. */
const IN_DATABASE = 'postgres:'

/** Null: a share of the disk, whose size is known when it is looked at. */
function cacheBytesFrom(gigabytes: number | undefined): number | null {
  if (gigabytes === undefined) return null
  return gigabytes === 0 ? Infinity : Math.floor(gigabytes * 1024 ** 3)
}

function objectStoreFrom(values: Environment): ObjectStoreSettings | null {
  const { OBJECT_STORE_URL: url = values.DATABASE_URL === undefined ? undefined : IN_DATABASE } = values
  if (url === undefined) return null
  const address = readObjectStoreUrl(url)
  if ('problem' in address) return null // refused with the other variables
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_SESSION_TOKEN: token } = values
  const hasKey = accessKeyId !== undefined && secretAccessKey !== undefined
  const credentials = hasKey ? { accessKeyId, secretAccessKey, sessionToken: token } : null
  return { address, credentials, cacheBytes: cacheBytesFrom(values.CACHE_GB) }
}

/** @throws {FaultlineError} CONFIG_INVALID for a role without a database: nobody else would do the rest. */
function nodeFrom(values: Environment): NodeSettings {
  const given = list(values.ROLE)
  const roles = ROLES.filter(role => given.includes(role))
  if (roles.length < ROLES.length && values.DATABASE_URL === undefined) {
    throw new FaultlineError(
      'CONFIG_INVALID',
      `ROLE=${values.ROLE} is for one of several nodes that work on one database, and DATABASE_URL is not set.`,
      'Set DATABASE_URL, or leave ROLE out.',
    )
  }
  return {
    roles,
    name: values.NODE_NAME ?? null,
    url: values.NODE_URL?.replace(/\/$/, '') ?? null,
    secret: values.CLUSTER_SECRET ?? null,
    drainTimeoutMs: values.DRAIN_TIMEOUT_S * 1000,
  }
}

/**
 * Reads and checks the configuration: flags win over the environment, the environment over the `.env` of the current
 * folder, of which only some variables count, that one over the user's own in XDG's folder for configuration, and that
 * one over the `.env` beside package.json.
 *
 * @throws {FaultlineError} CONFIG_INVALID naming each variable, its value (never a secret's) and what is allowed.
 */
export function loadConfig(options: LoadOptions = {}): Config {
  const base = options.root ?? DEFAULT_ROOT
  const { given, notices } = gather(options)
  const values = readVariables(given)
  const pathBelow = (value: string) => resolve(base, value)
  const folder = (value: string | undefined, fallback: string) => {
    const path = value ?? fallback
    return isAbsolute(path) ? path : pathBelow(path)
  }
  const dataDir = folder(values.DATA_DIR, 'data')
  const isDebugging = values.DEBUG === true && given.LOG_LEVEL === undefined
  const config: Config = {
    host: values.HOST.replace(/^\[|\]$/g, ''), // brackets belong to URLs
    port: values.PORT,
    apiKeys: parseApiKeys(values.API_KEYS),
    allowedHosts: [...hostList(values.ALLOWED_HOSTS), ...publicHosts(values.PUBLIC_URL)],
    publicUrl: optional(values.PUBLIC_URL, url => new URL(url).href.replace(/\/$/, '')),
    dataDir,
    vectorStoreDir: folder(values.VECTOR_STORE_DIR, 'vector_store'),
    clonedReposDir: folder(values.CLONED_REPOS_DIR, 'cloned_repos'),
    workspacesDir: folder(values.WORKSPACES_DIR, join(dataDir, 'workspaces')),
    jobsDbFile: optional(values.AI_PIPELINE_DB_PATH, pathBelow) ?? join(dataDir, 'jobs.sqlite'),
    database: databaseFrom(values),
    objectStore: objectStoreFrom(values),
    node: nodeFrom(values),
    llm: llmFrom(values),
    llmGap: llmGap(values),
    embedding: embeddingFrom(values),
    tasks: {
      maxAttempts: values.MAX_ATTEMPTS,
      autoMerge: values.AUTO_MERGE,
      model: values.AI_PIPELINE_MODEL ?? null,
    },
    aider: { bin: values.AIDER_BIN ?? null, model: values.AIDER_MODEL ?? null },
    telegram: telegramFrom(values),
    deployCommands: parseDeployCommands(values.DEPLOY_COMMANDS),
    deployEnv: ownEnv(options.env ?? process.env),
    modelPrices: parsePrices(values.MODEL_PRICES),
    modelContexts: parseContexts(values.MODEL_CONTEXTS),
    chunker: values.CHUNKER === 'lines' ? 'lines' : 'scopes',
    promptsDir: optional(values.PROMPTS_DIR, pathBelow),
    allowLocalRepos: list(values.ALLOW_LOCAL_REPOS).map(path => localFolder(path)),
    allowPrivateHosts: values.ALLOW_PRIVATE_HOSTS,
    gitTokens: parsePairs(values.GIT_TOKENS),
    forges: parseForges(values.FORGES),
    githubApp: readGithubApp({ id: values.GITHUB_APP_ID, key: values.GITHUB_APP_KEY }, pathBelow),
    webhookKeys: parseWebhookSecrets(values.WEBHOOK_SECRETS),
    sshAuthSock: given.SSH_AUTH_SOCK ?? null,
    sandbox: {
      mode: values.SANDBOX as Config['sandbox']['mode'],
      memoryMb: values.SANDBOX_MEMORY_MB,
      timeoutMs: values.SANDBOX_TIMEOUT_S * 1000,
      registries: optional(values.SANDBOX_REGISTRIES, hostList),
      registryVariables: Object.fromEntries(REGISTRY_VARIABLES.map(name => [name, given[name]])),
    },
    environmentsBytes: values.ENVIRONMENTS_GB * 1024 ** 3,
    jobsConcurrency: values.JOBS_CONCURRENCY,
    queueLimit: values.QUEUE_LIMIT,
    retentionDays: values.RETENTION_DAYS,
    retentionBytes: values.RETENTION_MB * 1024 * 1024,
    replyTimeoutDays: values.REPLY_TIMEOUT_DAYS,
    uploadLimitBytes: values.UPLOAD_LIMIT_MB * 1024 * 1024,
    cacheBytes: values.CACHE_MB * 1024 * 1024,
    diskReserveBytes: values.DISK_RESERVE_MB * 1024 * 1024,
    logLevel: isDebugging ? 'debug' : values.LOG_LEVEL,
    notices: [...notices, ...noticesFor(given, values)],
  }
  if (!isLoopback(config.host) && config.apiKeys.length === 0) {
    throw new FaultlineError(
      'CONFIG_INVALID',
      `HOST=${config.host} is not a loopback address and API_KEYS is not set: anyone who reaches this port could ` +
        'read your code.',
      'Set API_KEYS=name:key (24 characters or more), or HOST=127.0.0.1.',
    )
  }
  return config
}
