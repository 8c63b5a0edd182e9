import { lookup } from 'node:dns/promises'
import { isAddress, isPublicAddress } from '../../core/address.ts'

/** A refused connection; the message is for the program that wanted it. */
export class EgressRefused extends Error {}

/** Where programs may connect to. */
export interface EgressRules {
  registries: readonly string[]
  allowPrivateHosts: boolean
  /** Resolves a name to all its addresses; default: the system's resolver. */
  resolveHost?: (host: string) => Promise<string[]>
}

/** Host and port of a connection. */
export interface Target {
  host: string
  port: number
  isTls: boolean
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

/** Reads `host:port` as in CONNECT; null for anything else. */
export function targetOf(authority: string): Target | null {
  const url = URL.canParse(`https://${authority}`) ? new URL(`https://${authority}`) : null
  if (
    url === null ||
    url.username !== '' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    !/:\d{1,5}$/.test(authority)
  ) {
    return null
  }
  return { host: bare(url.hostname), port: url.port === '' ? 443 : Number(url.port), isTls: true }
}

function splitPort(entry: string): [string, number?] {
  const [, host = entry, port] = /^(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? []
  return port === undefined || (host.includes(':') && !host.endsWith(']'))
    ? [bare(entry.toLowerCase())]
    : [bare(host.toLowerCase()), Number(port)]
}

const resolveBySystem = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/**
 * The address to connect to: resolved here and nowhere again.
 *
 * @throws {EgressRefused} The host is not on the list, or not a public one.
 */
export async function allowedAddress(
  target: Target,
  { registries, allowPrivateHosts, resolveHost = resolveBySystem }: EgressRules,
): Promise<string> {
  const { host, port, isTls } = target
  if (!isTls && !allowPrivateHosts) throw new EgressRefused('plain HTTP is not allowed; use https')
  const usual = isTls ? 443 : 80
  const isListed = registries.some(entry => {
    const [name, ownPort = usual] = splitPort(entry)
    return name === host && ownPort === port
  })
  if (!isListed) throw new EgressRefused(`${host}:${port} is not one of the package registries that may be reached`)
  const addresses = isAddress(host) ? [host] : await resolveHost(host).catch(() => [])
  const [first] = addresses
  if (first === undefined || !addresses.every(isAddress)) throw new EgressRefused(`${host} cannot be resolved`)
  if (!allowPrivateHosts && !addresses.every(isPublicAddress)) {
    throw new EgressRefused(`${host} is not a public address`)
  } // one of them would do for an attacker
  return first
}
