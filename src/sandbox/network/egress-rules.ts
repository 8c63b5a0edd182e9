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

/**
 * Why a run can reach none of its registries, by their names and addresses alone; null where it can, or where there is
 * none. A package manager that is refused by a proxy may wait for minutes before it says so.
 */
export async function whyUnreachable(rules: EgressRules): Promise<string | null> {
  const refusals = await Promise.all(
    rules.registries.map(async entry => {
      const [host, port = 443] = splitPort(entry)
      try {
        await allowedAddress({ host, port, isTls: true }, rules)
        return null
      } catch (error) {
        if (error instanceof EgressRefused) return error.message
        throw error
      }
    }),
  )
  const said = refusals.filter(refusal => refusal !== null)
  return said.length === 0 || said.length < refusals.length ? null : [...new Set(said)].join('; ')
}
