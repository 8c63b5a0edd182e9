import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isForgeKind, type ForgeKind } from '../core/forge-kind.ts'
import { invalid, list } from './values.ts'

/** What a host of `FORGES` is. */
export interface ForgeSetting {
  kind: ForgeKind
  /** Where its API is, without a slash at the end; null: where software of that kind has it. */
  apiUrl: string | null
}

/** A GitHub App: who it is, and what it signs with. */
export interface GithubApp {
  id: string
  key: KeyObject
}

const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

function apiUrlFrom(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') return null
  return url.username === '' && url.password === '' ? url.href.replace(/\/$/, '') : null
}

/** One item of `FORGES`, `host=kind` or `host=kind@URL`; null for anything else. */
export function readForge(item: string): { host: string; setting: ForgeSetting } | null {
  const [, host = '', kind = '', , api] = /^([^=]+)=([a-z]+)(@(.+))?$/i.exec(item) ?? []
  const name = host.trim().toLowerCase()
  const word = kind.toLowerCase()
  if (!HOST.test(name) || !isForgeKind(word)) return null
  const apiUrl = api === undefined ? null : apiUrlFrom(api.trim())
  if (api !== undefined && apiUrl === null) return null
  return { host: name, setting: { kind: word, apiUrl } }
}

/** The forges of `FORGES`, by host. */
export function parseForges(value: string | undefined): Map<string, ForgeSetting> {
  const forges = new Map<string, ForgeSetting>()
  for (const item of list(value)) {
    const read = readForge(item)
    if (read !== null) forges.set(read.host, read.setting)
  }
  return forges
}

/** The text of a key: itself, its line breaks perhaps written as `\n`, or that of its file. */
function keyText(given: string, pathBelow: (path: string) => string): string {
  if (given.startsWith('-----BEGIN')) return given.replaceAll('\\n', '\n')
  try {
    return readFileSync(pathBelow(given), 'utf8')
  } catch (error) {
    throw invalid(`GITHUB_APP_KEY: its file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`)
  }
}

function rsaKey(text: string): KeyObject {
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // said below, without the key
  }
  throw invalid('GITHUB_APP_KEY: expected the RSA key that GitHub gives out, as PEM or as the path of its file')
}

/** The configured GitHub App; null for none. @throws {FaultlineError} CONFIG_INVALID, without the key. */
export function readGithubApp(
  { id, key }: { id: string | undefined; key: string | undefined },
  pathBelow: (path: string) => string,
): GithubApp | null {
  if (id === undefined && key === undefined) return null
  if (id === undefined) throw invalid('GITHUB_APP_KEY is set, and GITHUB_APP_ID is not')
  if (key === undefined) throw invalid('GITHUB_APP_ID is set, and GITHUB_APP_KEY is not')
  return { id, key: rsaKey(keyText(key, pathBelow)) }
}
