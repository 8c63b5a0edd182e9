import type { ForgeKind } from '../core/forge-kind.ts'

/** A repository of a remote, as far as it says where its forge is. */
export interface ForgeRemote {
  scheme: 'https' | 'http' | 'ssh'
  /** Name or address without brackets. */
  host: string
  /** Null for the usual one of the scheme. */
  port: number | null
  /** Without `.git` and slashes around it. */
  path: string
}

/** A forge's address and kind. */
export interface ForgePlace {
  kind: ForgeKind
  /** As `FORGES` and `GIT_TOKENS` name it: with its port, where that is not the usual one. */
  host: string
  /** Where its pages are, without a slash at the end. */
  webUrl: string
  /** Where its API is, without a slash at the end. */
  apiUrl: string
}

const KNOWN: ReadonlyMap<string, { kind: ForgeKind; apiUrl: string }> = new Map([
  ['github.com', { kind: 'github', apiUrl: 'https://api.github.com' }],
  ['gitlab.com', { kind: 'gitlab', apiUrl: 'https://gitlab.com/api/v4' }],
  ['bitbucket.org', { kind: 'bitbucket', apiUrl: 'https://api.bitbucket.org/2.0' }],
  ['codeberg.org', { kind: 'gitea', apiUrl: 'https://codeberg.org/api/v1' }],
  ['gitea.com', { kind: 'gitea', apiUrl: 'https://gitea.com/api/v1' }],
])
/** Names under which they take SSH on the port of HTTPS. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['ssh.github.com', 'github.com'],
  ['altssh.gitlab.com', 'gitlab.com'],
  ['altssh.bitbucket.org', 'bitbucket.org'],
])
const API_PATH: Readonly<Record<ForgeKind, string>> = {
  github: '/api/v3',
  gitlab: '/api/v4',
  gitea: '/api/v1',
  bitbucket: '/2.0',
}

/**
 * The forge of a remote: by the name of its host, or as the operator says; null for one that nobody has named.
 *
 * @param configured - Kind and address of the API by host, or by host and port.
 */
export function whichForge(
  { scheme, host: written, port }: Omit<ForgeRemote, 'path'>,
  configured: ReadonlyMap<string, { kind: ForgeKind; apiUrl: string | null }>,
): ForgePlace | null {
  const name = ALIASES.get(written) ?? written
  const bare = name.includes(':') ? `[${name}]` : name
  // the port of SSH says nothing about pages
  const host = port === null || scheme === 'ssh' ? bare : `${bare}:${port}`
  const webUrl = `${scheme === 'http' ? 'http' : 'https'}://${host}`
  const setting = configured.get(host) ?? configured.get(bare)
  if (setting !== undefined) {
    return { kind: setting.kind, host, webUrl, apiUrl: setting.apiUrl ?? `${webUrl}${API_PATH[setting.kind]}` }
  }
  const known = scheme === 'http' ? undefined : KNOWN.get(host)
  return known === undefined ? null : { ...known, host, webUrl }
}
