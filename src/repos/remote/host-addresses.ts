import { lookup } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { isAddress, isPublicAddress } from '../../core/address.ts'
import { FaultlineError } from '../../core/errors.ts'
import { addressRefused } from './repository-url.ts'

const MAX_PINNED = 8

/** Resolves a host to all of its addresses, IPv4 and IPv6. Rejects when there are none. */
export type ResolveHost = (host: string) => Promise<string[]>

/** The system's resolver, which git itself would use, /etc/hosts included. */
export const resolveBySystem: ResolveHost = async host =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

function unresolved(host: string, cause: unknown): FaultlineError {
  return new FaultlineError(
    'REPOSITORY_UNREACHABLE',
    `The host "${host}" cannot be resolved.`,
    'Check the URL and the name server.',
    { cause },
  )
}

async function withinTime<T>(work: Promise<T>, timeoutMs: number, signal: AbortSignal | undefined): Promise<T> {
  const done = new AbortController()
  const limit = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal])
  const late = wait(timeoutMs, undefined, { signal: limit, ref: false }).then(() => {
    throw new Error('the resolver took too long')
  })
  late.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
    work.catch(() => {}) // the loser of the race
  }
}

/**
 * The addresses that may be connected to for this host, to be pinned. Empty for a host that is an address itself. One
 * private address among them refuses the host: whoever controls the name could make git use just that one.
 *
 * @throws {FaultlineError} ADDRESS_REFUSED; REPOSITORY_UNREACHABLE when the name cannot be resolved within the time.
 */
export async function checkedAddresses(
  host: string,
  {
    resolveHost,
    allowPrivateHosts,
    timeoutMs,
    signal,
  }: {
    resolveHost: ResolveHost
    allowPrivateHosts: boolean
    timeoutMs: number
    signal?: AbortSignal
  },
): Promise<string[]> {
  if (isAddress(host)) return []
  const addresses = await withinTime(resolveHost(host), timeoutMs, signal).catch(cause => {
    signal?.throwIfAborted()
    throw unresolved(host, cause)
  })
  if (addresses.length === 0 || !addresses.every(isAddress)) throw unresolved(host, undefined)
  if (!allowPrivateHosts && !addresses.every(isPublicAddress)) throw addressRefused(host)
  return addresses.slice(0, MAX_PINNED)
}
