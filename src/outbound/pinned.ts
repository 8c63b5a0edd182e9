import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isAddress, isPublicAddress } from '../core/address.ts'

/** Resolves a host to all of its addresses. */
export type ResolveHost = (host: string) => Promise<string[]>

/** Which addresses may be connected to. */
export interface AddressPolicy {
  allowPrivateHosts: boolean
  /** Default: the system's resolver. */
  resolveHost?: ResolveHost
  /** The error for a host with an address that is not public. */
  refused: (host: string) => Error
}

const resolveBySystem: ResolveHost = async host =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/** Connects to the addresses that were checked, whatever the name resolves to by then. */
export function pinnedTo(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host, options, callback) => {
    const [first] = pinned
    if (options.all === true) callback(null, pinned)
    else callback(null, first?.address ?? '', first?.family)
  }
}

async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    work.catch(() => {}) // the loser of the race
  }
}

/**
 * All addresses of a host, to be pinned.
 *
 * @throws {Error} The host cannot be resolved; what `refused` makes; the signal's reason.
 */
export async function checkedAddresses(
  host: string,
  { allowPrivateHosts, resolveHost = resolveBySystem, refused }: AddressPolicy,
  signal: AbortSignal,
): Promise<string[]> {
  const addresses = isAddress(host) ? [host] : await abortable(resolveHost(host), signal)
  if (addresses.length === 0 || !addresses.every(isAddress)) throw new Error(`the host ${host} cannot be resolved`)
  // one of them would do for an attacker
  if (!allowPrivateHosts && !addresses.every(isPublicAddress)) throw refused(host)
  return addresses
}

/** The reason of a failed request, as text; failed connections often have no message of their own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof AggregateError || error.message === '') {
    return `it cannot be reached (${code ?? 'no connection'})`
  }
  return error.message
}
