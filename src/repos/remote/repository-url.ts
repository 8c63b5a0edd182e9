import { isAddress, isPrivateName, isPublicAddress } from '../../core/address.ts'
import { FaultlineError } from '../../core/errors.ts'
import { projectNameFrom } from '../../core/project.ts'
import { isOfOneScript } from './host-scripts.ts'
import { findLocalRepository } from './local-repository.ts'

const MAX_URL_CHARS = 2_048
const MAX_SHOWN_CHARS = 120
// `https:/host` is a typing error, not a host
const SCHEMES = new Set(['https', 'http', 'ssh', 'git', 'ftp', 'ftps', 'ext', 'fd', 'data'])

/** A checked remote. Only such a value reaches git. */
export interface RepositoryUrl {
  kind: 'https' | 'http' | 'ssh' | 'local'
  /** The normalised URL without credentials: what git gets, and what clients see. */
  url: string
  /** Equal for two spellings of one remote; clones are recognised by it. */
  identity: string
  /** Name or address without brackets, in lower case; null for a local repository. */
  host: string | null
  port: number | null
  /** Real path of a local repository, else null. */
  path: string | null
  /** Name for the clone's folder, made from the last segment of the path. */
  repository: string
}

/** Which remotes an operator allows. */
export interface UrlPolicy {
  /** Folders below which a local repository may lie; empty refuses all of them. */
  allowLocalRepos: readonly string[]
  /** Allows URLs with loopback, private and link-local hosts, and `http://`. */
  allowPrivateHosts: boolean
}

interface Remote {
  kind: 'https' | 'http' | 'ssh'
  user: string | null
  host: string
  port: number | null
  /** Still percent-encoded for https; begins with `/` unless `scp`. */
  path: string
  /** Whether it is `host:path`, whose path is relative to the account's home. */
  scp: boolean
}

/** A URL for a message: shortened, escaped, and without anything that may be a credential. */
export function showUrl(text: string): string {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.exec(text)?.[0] ?? ''
  const at = text.lastIndexOf('@')
  const visible = (at < 0 ? text : `${scheme}***${text.slice(at)}`).replace(/[?#].*/s, '?…')
  const cut = visible.length > MAX_SHOWN_CHARS ? `${visible.slice(0, MAX_SHOWN_CHARS)}…` : visible
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, c => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
}

function refuse(
  text: string,
  reason: string,
  fix = 'Use https://host/owner/repository, ssh://user@host/path or user@host:path.',
): FaultlineError {
  return new FaultlineError(
    'BAD_REPOSITORY_URL',
    `The repository URL ${text === '' ? '' : `"${showUrl(text)}" `}${reason}.`,
    fix,
  )
}

function decodePercent(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

function localPathOf(text: string): string | null {
  if (text.startsWith('/')) return text
  if (!/^file:/i.test(text)) return null
  const path = /^file:\/\/(\/.*)$/i.exec(text)?.[1]
  if (path === undefined || /[?#]/.test(path)) {
    throw refuse(text, 'is no file URL with an absolute path', 'Use file:///absolute/path or /absolute/path.')
  }
  const decoded = decodePercent(path)
  if (decoded === null || /[\p{C}\\]/u.test(decoded)) throw refuse(text, 'has a malformed path')
  return decoded
}

async function localRemote(path: string, policy: UrlPolicy): Promise<RepositoryUrl> {
  const found = await findLocalRepository(path, policy.allowLocalRepos)
  const segments = found.path.split('/').filter(segment => segment !== '' && segment !== '.git')
  const repository = projectNameFrom((segments.at(-1) ?? '').replace(/\.git$/i, ''))
  if (repository === null) throw refuse(path, 'ends in nothing that could name a repository')
  return { kind: 'local', url: found.url, identity: found.url, host: null, port: null, path: found.path, repository }
}

/**
 * Host and port as every part of the system will read them: WHATWG rules unfold 0x7f.1, 2130706433, ①②⑦.⓪.⓪.① and the
 * like.
 */
function parseAuthority(text: string, authority: string): { host: string; port: number | null } {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]%@/\\?#]+)(?::([0-9]{1,5}))?$/.exec(authority)
  const written = match?.[1]
  if (written === undefined || written.startsWith('-') || written.startsWith('.')) {
    throw refuse(text, 'has no host, or one that is not allowed')
  }
  let host: string
  try {
    host = new URL(`https://${written}/`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  } catch {
    throw refuse(text, 'has a host that is not allowed')
  }
  const isName = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/.test(host)
  if (host.length > 253 || (!isName && !isAddress(host))) throw refuse(text, 'has a host that is not allowed')
  if (!isOfOneScript(host)) {
    throw refuse(
      text,
      `names the host "${host}", which mixes letters of several scripts to look like another`,
      'Type the name of the host anew.',
    )
  }
  return { host, port: match?.[2] === undefined ? null : Number(match[2]) }
}

function parseHttp(text: string, scheme: 'https' | 'http', rest: string): Remote {
  if (/[?#]/.test(rest)) throw refuse(text, 'has a query or a fragment')
  const slash = rest.indexOf('/')
  const authority = slash < 0 ? rest : rest.slice(0, slash)
  if (authority.includes('@')) {
    throw refuse(
      text,
      'holds a user name or a password',
      'Leave it out and set GIT_TOKENS=host=token on the server: credentials in URLs end up in logs.',
    )
  }
  const { host, port } = parseAuthority(text, authority)
  return { kind: scheme, user: null, host, port, path: slash < 0 ? '' : rest.slice(slash), scp: false }
}

function splitUser(text: string, authority: string): { user: string | null; authority: string } {
  const at = authority.lastIndexOf('@')
  if (at < 0) return { user: null, authority }
  const user = authority.slice(0, at)
  if (user.includes(':')) {
    throw refuse(text, 'holds a password', 'Leave it out: SSH uses the keys of the account that runs the server.')
  }
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(user)) throw refuse(text, 'has a user name that is not allowed')
  return { user, authority: authority.slice(at + 1) }
}

function parseSsh(text: string, rest: string): Remote {
  if (/[?#%]/.test(rest)) throw refuse(text, 'has a query, a fragment or a percent sign')
  const slash = rest.indexOf('/')
  if (slash < 0) throw refuse(text, 'has no path')
  const { user, authority } = splitUser(text, rest.slice(0, slash))
  return { kind: 'ssh', user, ...parseAuthority(text, authority), path: rest.slice(slash), scp: false }
}

function parseWithScheme(text: string, scheme: string, policy: UrlPolicy): Remote {
  const rest = text.slice(scheme.length + 3)
  if (scheme === 'https' || scheme === 'http') {
    if (scheme === 'http' && !policy.allowPrivateHosts) {
      throw refuse(text, 'is not encrypted', 'Use https://, or set ALLOW_PRIVATE_HOSTS=true for servers of your own.')
    }
    return parseHttp(text, scheme, rest)
  }
  if (scheme === 'ssh' || scheme === 'git+ssh' || scheme === 'ssh+git') return parseSsh(text, rest)
  throw refuse(text, `uses the scheme "${scheme.slice(0, 32)}", which is not allowed`)
}

/** `user@host:path`: a text without a scheme and with a colon before the first slash. */
function parseScpLike(text: string): Remote {
  const match = /^([^/[\]]+|[^/[\]]*\[[0-9A-Fa-f:.]+\]):([^]*)/.exec(
    text.includes('/') || text.includes(':') ? text : '',
  )
  const before = match?.[1]
  const path = match?.[2]
  if (before === undefined || path === undefined) {
    throw refuse(text, 'is neither a URL, nor user@host:path, nor an absolute path')
  }
  if (path.startsWith(':') || SCHEMES.has(before.toLowerCase()) || /[?#%]/.test(text)) {
    throw refuse(text, 'is no user@host:path')
  }
  const { user, authority } = splitUser(text, before)
  const { host, port } = parseAuthority(text, authority)
  if (port !== null) throw refuse(text, 'is no user@host:path')
  return { kind: 'ssh', user, host, port: null, path, scp: true }
}

/** The error for a host that is, or resolves to, anything but a public address. */
export function addressRefused(host: string): FaultlineError {
  return new FaultlineError(
    'ADDRESS_REFUSED',
    `The host "${host}" is not a public address.`,
    'Set ALLOW_PRIVATE_HOSTS=true to let the server reach loopback and private networks.',
  )
}

function checkHost({ host }: Remote, policy: UrlPolicy): void {
  if (policy.allowPrivateHosts) return
  if (isAddress(host) ? !isPublicAddress(host) : isPrivateName(host)) throw addressRefused(host)
}

const DEFAULT_PORT = { https: 443, http: 80, ssh: 22 } as const

function checkPort(remote: Remote, text: string): void {
  const port = remote.port ?? DEFAULT_PORT[remote.kind]
  const allowed =
    port === 443 || port === 22 || (port === 80 && remote.kind === 'http') || (port >= 1024 && port <= 65_535)
  if (!allowed) throw refuse(text, `names the port ${port}`, 'Allowed are 443, 22 and 1024 to 65535.')
}

/**
 * A name may begin with a hyphen. What looks like an option with a value is refused everywhere, and any hyphen at the
 * place where a path begins for ssh: a server may hand that to a program without the slash before it.
 */
function mayBeOption(segment: string, { kind }: Remote, at: number): boolean {
  return segment.startsWith('-') && ((kind === 'ssh' && at === 0) || !/^-[\p{L}\p{N}\p{M}._-]+$/u.test(segment))
}

/** The path's segments as they will be read, or an error. */
function checkPath(remote: Remote, text: string): string[] {
  const decoded = decodePercent(remote.path)
  // A decoded separator, dot or percent sign would mean one thing here and another to the server.
  if (decoded === null || /%(?:2[ef5]|5c|3[af]|23|40)/i.test(remote.path)) {
    throw refuse(text, 'has a path with percent-encoding that is not allowed')
  }
  const segments = decoded.replace(/\/$/, '').replace(/^\//, '').split('/')
  for (const [at, segment] of segments.entries()) {
    if (segment === '') throw refuse(text, 'has an empty path or an empty part of it')
    if (segment === '.' || segment === '..' || mayBeOption(segment, remote, at)) {
      throw refuse(text, 'has a path with a part that is not allowed')
    }
    if (!/^[\p{L}\p{N}\p{M}._~+,=@ -]+$/u.test(segment)) {
      throw refuse(text, 'has a path with a character that is not allowed')
    }
    if (remote.kind === 'ssh' && segment.includes(' ')) throw refuse(text, 'has a path with white space')
  }
  return segments
}

function toRepositoryUrl(remote: Remote, segments: string[], text: string): RepositoryUrl {
  const repository = projectNameFrom((segments.at(-1) ?? '').replace(/\.git$/i, ''))
  if (repository === null) throw refuse(text, 'ends in nothing that could name a repository')
  const { kind, host, user, scp } = remote
  const port = remote.port === null || remote.port === DEFAULT_PORT[kind] ? null : remote.port
  const shownHost = host.includes(':') ? `[${host}]` : host
  const at = `${user === null ? '' : `${user}@`}${shownHost}`
  const path = kind === 'ssh' ? remote.path.replace(/\/$/, '') : `/${segments.map(encodeURI).join('/')}`
  const shownPort = port === null ? '' : `:${port}`
  const url = scp ? `${at}:${path}` : `${kind}://${at}${shownPort}${path}`
  const realPort = port ?? DEFAULT_PORT[kind]
  const fullPath = scp && !path.startsWith('/') ? `/~/${path}` : path
  const identity = `${kind}://${at}:${realPort}${fullPath}`.replace(/\.git$/i, '')
  return { kind, url, identity, host, port: realPort, path: null, repository }
}

/**
 * Checks a repository URL against an allow-list of its parts and normalises it. Touches no network; a local path is
 * resolved on the disk.
 *
 * @throws {FaultlineError} BAD_REPOSITORY_URL, LOCAL_REPOSITORY_REFUSED, REPOSITORY_NOT_FOUND (a missing local path),
 * ADDRESS_REFUSED (an address or a name that is private whatever the resolver says). Nothing else.
 */
export async function parseRepositoryUrl(text: string, policy: UrlPolicy): Promise<RepositoryUrl> {
  if (typeof text !== 'string' || text === '') throw refuse('', 'is empty')
  if (text.length > MAX_URL_CHARS) throw refuse(text, `is longer than ${MAX_URL_CHARS} characters`)
  if (text.startsWith('-')) throw refuse(text, 'begins with "-"')
  if (/[\p{C}\\]/u.test(text)) throw refuse(text, 'holds a control character, an invisible character or a backslash')
  const localPath = localPathOf(text)
  if (localPath !== null) return await localRemote(localPath, policy)
  if (/\p{Z}/u.test(text)) throw refuse(text, 'holds white space')

  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase()
  const remote = scheme === undefined ? parseScpLike(text) : parseWithScheme(text, scheme, policy)
  checkHost(remote, policy)
  checkPort(remote, text)
  return toRepositoryUrl(remote, checkPath(remote, text), text)
}
