import type { Test } from 'tap'
import type { ForgeKind } from '../../src/core/forge-kind.ts'
import type { Forge } from '../../src/forges/forge.ts'
import { openForge, type CallOptions } from '../../src/forges/open-forge.ts'
import { startForgeServer, type ForgeServer } from './forge-server.ts'

export const SIGNAL = new AbortController().signal
/** The word of an earlier request. */
export const WORD = 'faultline-fault-0123456789abcdef'

/** A client of a server on loopback that waits for nothing long. */
export async function forgeOf(
  t: Test,
  kind: ForgeKind,
  { token = 'the-token', ...calls }: Partial<CallOptions> & { token?: string } = {},
): Promise<{ forge: Forge; server: ForgeServer }> {
  const server = await startForgeServer(t, kind)
  const place = { kind, host: 'git.example.com', webUrl: server.url, apiUrl: server.apiUrl }
  const options = { allowPrivateHosts: true, delaysMs: [1, 1, 1], ...calls }
  return { forge: openForge(place, { path: 'acme/shop', token }, options), server }
}
