import { request as requestHttps } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import { request as requestHttp } from '../../core/node-http.ts'
import { showUrl, type RepositoryUrl } from './repository-url.ts'

const TIMEOUT_MS = 5_000

function readable(location: string, base: URL): string | null {
  if (!URL.canParse(location, base.href)) return null
  const target = new URL(location, base)
  if (target.protocol !== 'https:' && target.protocol !== 'http:') return null
  return showUrl(`${target.protocol}//${target.host}${target.pathname.replace(/\/info\/refs$/, '')}`)
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map(address => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, options, callback) => {
    const [first = { address: '', family: 4 }] = found
    if (options.all === true) callback(null, found)
    else callback(null, first.address, first.family)
  }
}

/**
 * Where a server redirects a repository to, for the message only: nothing is followed, no credential is sent, and the
 * connection goes to the checked addresses. Null when the server does not say.
 */
export async function redirectTarget(
  remote: RepositoryUrl,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<string | null> {
  const request = remote.kind === 'https' ? requestHttps : requestHttp
  const url = new URL(`${remote.url}/info/refs?service=git-upload-pack`)
  const location = await new Promise<string | undefined>((resolve, reject) => {
    const options = {
      headers: { 'user-agent': 'git/faultline' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      agent: false,
      ...(addresses.length === 0 ? {} : { lookup: pinnedLookup(addresses) }),
    }
    request(url, options, response => {
      resolve(response.headers.location)
      response.destroy()
    })
      .on('error', reject)
      .end()
  }).catch(() => undefined)
  signal.throwIfAborted()
  return location === undefined ? null : readable(location, url)
}
