import { isAddress, isPrivateName, isPublicAddress } from '../core/address.ts'
import { FaultlineError } from '../core/errors.ts'

/** Ports below 1024 other than these belong to services that speak something else. */
const WEB_PORTS = new Set([80, 443])

/** Name or address without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').toLowerCase()

/** The error for a URL whose host is not public. */
export function addressRefused(host: string, field = 'callback_url'): FaultlineError {
  return new FaultlineError(
    'ADDRESS_REFUSED',
    `${field} names ${JSON.stringify(host.slice(0, 253))}, which is not a public address.`,
    'Use a public address, or set ALLOW_PRIVATE_HOSTS=true on the server.',
  )
}

/** Whether a host is not a public one, as far as its name or address tells. */
const isPrivate = (host: string): boolean => (isAddress(host) ? !isPublicAddress(host) : isPrivateName(host))

/**
 * Checks where a client wants an answer sent, as far as that goes without a name server: scheme, credentials, port,
 * host.
 *
 * @param options.field - What messages call it.
 * @throws {FaultlineError} VALIDATION_FAILED; ADDRESS_REFUSED for a host of this machine or of a private network.
 */
export function checkCallbackUrl(
  text: string,
  { allowPrivateHosts, field = 'callback_url' }: { allowPrivateHosts: boolean; field?: string },
): URL {
  const refuse = (reason: string, fix?: string): FaultlineError =>
    new FaultlineError('VALIDATION_FAILED', `${field} ${reason}.`, fix)
  const url = URL.canParse(text) ? new URL(text) : null
  const schemes = allowPrivateHosts ? ['https:', 'http:'] : ['https:']
  if (url === null || !schemes.includes(url.protocol)) {
    throw refuse(
      'is not an https URL',
      allowPrivateHosts
        ? undefined
        : 'Use https://; http:// and private addresses need ALLOW_PRIVATE_HOSTS=true on the server.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('holds a user name or a password', 'Leave it out: the message is signed.')
  }
  const port = url.port === '' ? null : Number(url.port)
  if (port !== null && port < 1024 && !WEB_PORTS.has(port)) {
    throw refuse(`names port ${port}`, 'Use 443, or a port from 1024 up.')
  }
  const host = hostOf(url)
  if (!allowPrivateHosts && isPrivate(host)) {
    throw addressRefused(host, field)
  }
  return url
}
