/** The path of the URL at which others reach the server, without a slash at its end; empty where it has none. */
export function pathPrefixOf(publicUrl: string | null): string {
  return publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')
}

/**
 * The path of a request as the routes know it. A proxy may have taken the prefix away or not, and a client that asks
 * here directly may follow a `Location`, which has it.
 */
export function withoutPrefix(url: string, prefix: string): string {
  if (prefix === '' || !url.startsWith(prefix)) return url
  const rest = url.slice(prefix.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}
