import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

// Answers to a cloud's guests only, although its range is public: Azure's wire server.
const HOST_ONLY = new Set(['168.63.129.16'])

// Names that never mean a public server; `metadata` resolves inside some clouds through the search domain.
const PRIVATE_NAMES = new Set(['localhost', 'ip6-localhost', 'ip6-loopback', 'broadcasthost', 'metadata'])
const PRIVATE_SUFFIXES = ['.localhost', '.localdomain', '.local', '.internal', '.home.arpa', '.intranet', '.lan']

function parseAddress(host: string): Address | null {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare)
  if (bare.includes('%') || !ipaddr.IPv6.isValid(bare)) return null
  return ipaddr.IPv6.parse(bare)
}

/** Whether a string is an address in its usual notation, not a name; IPv6 with or without brackets. */
export function isAddress(host: string): boolean {
  return parseAddress(host) !== null
}

function isPublicIPv4(address: Address): boolean {
  return address.range() === 'unicast' && !HOST_ONLY.has(address.toString())
}

function fromWords(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
}

/** The IPv4 address that a network would deliver this IPv6 address to, or null. */
function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const { parts } = address
  const [a = 0, b = 0, c = 0] = parts
  if (a === 0x2002) return fromWords(b, c) // 6to4
  // NAT64: what DNS64 answers for a public name
  if (a === 0x64 && b === 0xff9b && c === 0) return fromWords(parts[6] ?? 0, parts[7] ?? 0)
  return null
}

/**
 * Whether an address may be contacted for a user: global unicast, and so is the IPv4 address that it embeds (mapped,
 * NAT64, 6to4). Loopback, private, link-local, metadata, documentation and reserved ranges are not; neither is anything
 * that is no address.
 */
export function isPublicAddress(host: string): boolean {
  const address = parseAddress(host)
  if (address === null) return false
  if (address.kind() === 'ipv4') return isPublicIPv4(address)
  const embedded = embeddedIPv4(address as ipaddr.IPv6)
  if (embedded !== null) return isPublicIPv4(embedded)
  const [first = 0] = (address as ipaddr.IPv6).parts
  // what IANA gives out; ::a.b.c.d and others are not in it
  return address.range() === 'unicast' && first >= 0x2000 && first <= 0x3fff
}

/** Whether a name stands for this machine or its own network whatever the resolver says. Give it in lower case. */
export function isPrivateName(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  return PRIVATE_NAMES.has(name) || PRIVATE_SUFFIXES.some(suffix => name.endsWith(suffix))
}
