import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { CHILD_ENV } from '../helpers/child-env.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

/** The present version of the protocol, and the one before, whose clients begin with `initialize`. */
export const VERSIONS = { '2026-07-28': 'auto', '2025-11-25': 'legacy' } as const
/** One of the versions. */
export type Version = keyof typeof VERSIONS

interface ConnectOptions {
  key?: string
  version?: Version
}

async function connectOver(t: Test, transport: Transport, version: Version): Promise<Client> {
  const client = new Client(
    { name: 'faultline-test', version: '1.0.0' },
    { versionNegotiation: { mode: VERSIONS[version] } },
  )
  t.teardown(() => client.close())
  await client.connect(transport)
  return client
}

/** The official client, connected over HTTP. */
export function connect(t: Test, url: string, { key, version = '2026-07-28' }: ConnectOptions = {}): Promise<Client> {
  const headers = key === undefined ? undefined : { authorization: `Bearer ${key}` }
  return connectOver(t, new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }), version)
}

interface StdioOptions {
  args: string[]
  home: string
  env?: Record<string, string>
  version?: Version
}

/** The official client with a `faultline mcp` of its own. */
export function connectStdio(t: Test, { args, home, env = {}, version = '2026-07-28' }: StdioOptions): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', ...args],
    cwd: home,
    env: { ...CHILD_ENV, HOME: home, ...env },
    stderr: 'ignore',
  })
  return connectOver(t, transport, version)
}

/** The text of an answer. */
export const textOf = ({ content }: { content?: unknown }): string =>
  (content as Array<{ text?: string }>).map(part => part.text ?? '').join('\n')
