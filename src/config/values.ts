import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { FULL_ACCESS, type Access } from '../core/access.ts'
import { isObject } from '../core/is-object.ts'
import { FaultlineError } from '../core/errors.ts'
import { PUSH_PROVIDERS } from '../core/push-signature.ts'
import { webhookKey } from '../core/webhook.ts'

/** Variables as the environment has them. */
export type Variables = Record<string, string | undefined>

/** A key that clients may use; only its hash is kept. */
export interface ApiKey {
  name: string
  sha256: Buffer
  access: Access
}

/** USD per million tokens, by model. */
export type ModelPrices = Map<string, { input: number; output: number }>

/** The error for a setting that cannot be used. */
export const invalid = (detail: string) =>
  new FaultlineError('CONFIG_INVALID', `Configuration: ${detail}.`, 'See .env.example for every setting.')

/** The items of a comma-separated list. */
export const list = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')

const KEY_FORMS = 'name:key, name:key:read, or name:key:read or write and projects, as name:key:read:shop+api'
const PROJECT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** What follows a key: `read` or `write`, and the projects that it is bound to; null for anything else. */
function accessFrom(scope: string | undefined, projects: string | undefined): Access | null {
  if (scope === undefined) return FULL_ACCESS
  if (scope !== 'read' && scope !== 'write') return null
  const names = projects?.split('+') ?? []
  if (!names.every(name => PROJECT_NAME.test(name))) return null
  return { mayWrite: scope === 'write', projects: names.length === 0 ? null : names.map(name => name.toLowerCase()) }
}

/** The keys of `API_KEYS`. @throws {FaultlineError} CONFIG_INVALID, without the key. */
export function parseApiKeys(value: string | undefined): ApiKey[] {
  const keys = list(value).map((item, index): ApiKey => {
    const [name = '', key = '', scope, projects, ...more] = item.split(':')
    const access = more.length > 0 ? null : accessFrom(scope, projects)
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(name) || !/^\S{24,512}$/.test(key)) {
      throw invalid(`API_KEYS: entry ${index + 1} is not ${KEY_FORMS}, with a key of 24 to 512 characters and no colon`)
    }
    if (access === null) throw invalid(`API_KEYS: what follows the key in entry ${index + 1} is not as in ${KEY_FORMS}`)
    return { name, sha256: createHash('sha256').update(key).digest(), access }
  })
  if (new Set(keys.map(key => key.name)).size !== keys.length) throw invalid('API_KEYS: two keys have the same name')
  if (new Set(keys.map(key => key.sha256.toString('hex'))).size !== keys.length) {
    throw invalid('API_KEYS: the same key stands under two names')
  }
  return keys
}

function pairsIn(value: string | undefined): Array<[string, string]> {
  return list(value).map(item => {
    const at = item.indexOf('=')
    return [item.slice(0, at).trim().toLowerCase(), item.slice(at + 1).trim()]
  })
}

/** The pairs of a list `name=value`, by name in lower case. */
export const parsePairs = (value: string | undefined): Map<string, string> => new Map(pairsIn(value))

const FORGES: ReadonlySet<string> = new Set(PUSH_PROVIDERS)

/** What a secret stands for. Forges but for GitLab's newest know no `whsec_`: to them it is part of the text. */
function keysOf(provider: string, secret: string): Buffer[] {
  const key = webhookKey(secret)
  const plain = Buffer.from(secret)
  if (FORGES.has(provider)) return key === null || key.equals(plain) ? [plain] : [plain, key]
  if (key !== null) return [key]
  throw invalid(
    `WEBHOOK_SECRETS: a secret of ${JSON.stringify(provider)} begins with whsec_, and the rest is not base64`,
  )
}

/** The keys of `WEBHOOK_SECRETS` by provider. @throws {FaultlineError} CONFIG_INVALID */
export function parseWebhookSecrets(value: string | undefined): Map<string, Buffer[]> {
  const keys = new Map<string, Buffer[]>()
  for (const [provider, secret] of pairsIn(value)) {
    keys.set(provider, [...(keys.get(provider) ?? []), ...keysOf(provider, secret)])
  }
  return keys
}

function parseJson(value: string, message: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw invalid(message)
  }
}

const isAmount = (value: unknown): value is number => Number.isFinite(value) && Number(value) >= 0

const isPrice = (value: unknown): value is { input: number; output: number } =>
  isObject(value) && Object.keys(value).length === 2 && isAmount(value.input) && isAmount(value.output)

/** An object whose values are all of one kind. */
const isRecordOf = <T>(value: unknown, isOne: (one: unknown) => one is T): value is Record<string, T> =>
  isObject(value) && Object.values(value).every(isOne)

/** The prices of `MODEL_PRICES`. @throws {FaultlineError} CONFIG_INVALID */
export function parsePrices(value: string | undefined): ModelPrices {
  if (value === undefined) return new Map()
  const parsed = parseJson(value, 'MODEL_PRICES is not JSON; expected {"model": {"input": 0.5, "output": 1.5}}')
  if (!isRecordOf(parsed, isPrice)) {
    throw invalid('MODEL_PRICES: expected {"model": {"input": USD, "output": USD}} per million tokens')
  }
  return new Map(Object.entries(parsed))
}

const isArgv = (value: unknown): value is [string, ...string[]] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= 100 &&
  value.every(part => typeof part === 'string' && !part.includes('\0')) &&
  isAbsolute(String(value[0]))

/** The programs of `DEPLOY_COMMANDS`, by project in small letters. @throws {FaultlineError} CONFIG_INVALID */
export function parseDeployCommands(value: string | undefined): Map<string, readonly string[]> {
  if (value === undefined) return new Map()
  const form = '{"project": ["/path/of/a/program", "argument"]}'
  const parsed = parseJson(value, `DEPLOY_COMMANDS is not JSON; expected ${form}`)
  if (!isRecordOf(parsed, isArgv)) {
    throw invalid(
      `DEPLOY_COMMANDS: expected ${form}: for each project a list of texts that begins with an absolute path`,
    )
  }
  return new Map(Object.entries(parsed).map(([project, argv]) => [project.toLowerCase(), argv]))
}

const MAX_CONTEXT_TOKENS = 1_000_000_000

const isContextSize = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_CONTEXT_TOKENS

/** Tokens of request and reply together, by model. @throws {FaultlineError} CONFIG_INVALID */
export function parseContexts(value: string | undefined): Map<string, number> {
  if (value === undefined) return new Map()
  const parsed = parseJson(value, 'MODEL_CONTEXTS is not JSON; expected {"model": 128000}')
  if (!isRecordOf(parsed, isContextSize)) {
    throw invalid('MODEL_CONTEXTS: expected {"model": TOKENS} with whole numbers above 0')
  }
  return new Map(Object.entries(parsed))
}

const isHeaderValue = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(value)

/** Values are secrets: errors do not repeat them. */
export function parseHeaders(name: string, value: string | undefined): Record<string, string> {
  if (value === undefined) return {}
  const parsed = parseJson(value, `${name} is not JSON; expected {"name": "value"}`)
  if (
    !isRecordOf(parsed, isHeaderValue) ||
    !Object.keys(parsed).every(header => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(header))
  ) {
    throw invalid(`${name}: expected {"name": "value"} with names and values of HTTP headers`)
  }
  return parsed
}

/** An absolute folder, `~` being that of the user. @throws {FaultlineError} CONFIG_INVALID */
export function localFolder(path: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
  if (!isAbsolute(expanded)) throw invalid(`ALLOW_LOCAL_REPOS=${JSON.stringify(path)}: expected absolute folders`)
  return expanded
}
