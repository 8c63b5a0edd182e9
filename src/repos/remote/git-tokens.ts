import type { RepositoryUrl } from './repository-url.ts'

const USUAL_PORT = { https: 443, http: 80 } as const

/**
 * The key of a remote in GIT_TOKENS: `host` for HTTPS on port 443, `host:port` for another port. Plain HTTP shows the
 * token to everybody on the way, so it has to be asked for: `http://host:port`. Null for a remote that takes no token.
 */
export function tokenKey({ kind, host, port }: RepositoryUrl): string | null {
  if ((kind !== 'https' && kind !== 'http') || host === null) return null
  const scheme = kind === 'http' ? 'http://' : ''
  const shownHost = host.includes(':') ? `[${host}]` : host
  const shownPort = port === USUAL_PORT[kind] ? '' : `:${port}`
  return `${scheme}${shownHost}${shownPort}`
}

/** The operator's token for a remote. The default port may also be written out. */
export function tokenFor(remote: RepositoryUrl, tokens: ReadonlyMap<string, string>): string | null {
  const key = tokenKey(remote)
  if (key === null) return null
  return tokens.get(key) ?? tokens.get(`${key}:${remote.port}`) ?? null
}
