import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { createServer, request as httpRequest } from '../../core/node-http.ts'
import { openFileLimit } from '../../core/open-files.ts'
import { PROXY_PORT } from './registries.ts'
import { allowedAddress, EgressRefused, targetOf, type EgressRules, type Target } from './egress-rules.ts'

/** Runs in the jail: gives programs a port of loopback that leads to the proxy's socket. Prints `u` when it listens. */
export const BRIDGE = `import { createServer, connect } from 'node:net'
createServer({ allowHalfOpen: true }, near => {
  const far = connect({ path: '/run/egress.sock', allowHalfOpen: true })
  for (const [from, to] of [[near, far], [far, near]]) from.on('error', () => to.destroy()).pipe(to)
}).listen(${PROXY_PORT}, '127.0.0.1', () => process.stdout.write('u'))
`

/** What a registry proxy lets through. */
interface RegistryProxyOptions extends EgressRules {
  workspacesDir: string
  /** Called for each connection; never with a path. */
  onConnection?: (host: string, allowed: boolean) => void
  /** Limit of all connections together, both ways. */
  maxBytes?: number
  idleMs?: number
}

/** A running proxy and its socket. */
interface RegistryProxy {
  socket: string
  close(): Promise<void>
}

const MAX_BYTES = 500 * 1024 * 1024
const IDLE_MS = 30_000
const CONNECT_LIMIT_MS = 10_000
const MAX_CONNECTIONS = 64
/** Files that this process may have open for each connection of a run: two are open for it, and two runs go on. */
const FILES_A_CONNECTION = 16
/** Headers that concern only one connection and are not passed on. */
const HOP_BY_HOP = new Set([
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
])

const SOCKET = 'egress.sock'

/**
 * Listens on a socket in a folder. The name of a socket has at most 107 characters, however long that of its folder is.
 */
async function listenIn(folder: string, listen: (path: string) => Promise<void>): Promise<void> {
  await using handle = await open(folder)
  await listen(`/proc/self/fd/${handle.fd}/${SOCKET}`)
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${reason}\n`)
}

/**
 * The way out of one run: an HTTP proxy on a socket of its own that connects only to listed hosts, by the address that
 * it has checked, until it has carried `maxBytes`. It ends with the run.
 */
export async function startRegistryProxy({
  workspacesDir,
  onConnection = () => {},
  maxBytes = MAX_BYTES,
  idleMs = IDLE_MS,
  ...rules
}: RegistryProxyOptions): Promise<RegistryProxy> {
  let carried = 0
  const open = new Set<Duplex>()
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 0 })
  server.maxConnections = Math.min(MAX_CONNECTIONS, Math.floor(openFileLimit() / FILES_A_CONNECTION))

  const count = (socket: Duplex) =>
    socket.on('data', (chunk: Buffer) => {
      carried += chunk.length
      if (carried > maxBytes) for (const one of open) one.destroy()
    })
  const watch = (socket: Socket) => {
    open.add(socket)
    socket
      .setTimeout(idleMs, () => socket.destroy())
      .on('error', () => socket.destroy())
      .on('close', () => open.delete(socket))
    return socket
  }

  async function addressOf(target: Target): Promise<string> {
    if (carried > maxBytes) throw new EgressRefused('this run has loaded as much as it may')
    try {
      const address = await allowedAddress(target, rules)
      onConnection(target.host, true)
      return address
    } catch (error) {
      onConnection(target.host, false)
      throw error
    }
  }

  async function tunnel(authority: string, near: Socket, head: Buffer): Promise<void> {
    const target = targetOf(authority)
    if (target === null) throw new EgressRefused('CONNECT needs host:port')
    const far = watch(
      connect({ host: await addressOf(target), port: target.port, allowHalfOpen: true, timeout: CONNECT_LIMIT_MS }),
    )
    far.once('connect', () => {
      far.setTimeout(idleMs)
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      far.write(head)
      count(near).pipe(far)
      count(far).pipe(near)
    })
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
  }

  async function forward(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(message.url ?? '')
    if (url === null || url.protocol !== 'http:' || url.username !== '') {
      throw new EgressRefused('a proxy needs a whole http:// URL')
    }
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const address = await addressOf({ host, port: url.port === '' ? 80 : Number(url.port), isTls: false })
    const headers = Object.fromEntries(Object.entries(message.headers).filter(([name]) => !HOP_BY_HOP.has(name)))
    const sent = httpRequest({
      host: address,
      port: url.port,
      method: message.method,
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host },
      agent: false,
    })
    sent
      .on('socket', socket => count(watch(socket)))
      .on('response', answer => {
        response.writeHead(
          answer.statusCode ?? 502,
          Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.has(name))),
        )
        answer.on('error', () => response.destroy()).pipe(response)
      })
      .on('error', () => refuse(response, 502, 'the registry does not answer'))
    response.on('close', () => sent.destroy())
    message.pipe(sent)
  }

  server.on('connection', watch)
  server.on('connect', (message, near: Socket, head) => {
    near.on('error', () => near.destroy())
    tunnel(message.url ?? '', near, head).catch((error: Error) => {
      const body = `${error.message}\n`
      const head = [
        'HTTP/1.1 403 Forbidden',
        'content-type: text/plain',
        'connection: close',
        `content-length: ${Buffer.byteLength(body)}`,
      ]
      near.end(`${head.join('\r\n')}\r\n\r\n${body}`)
    })
  })
  server.on('request', (message, response) => {
    forward(message, response).catch((error: Error) => refuse(response, 403, error.message))
  })

  const folder = join(workspacesDir, '.run', randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o711 })
  await listenIn(
    folder,
    path =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(path, resolve)
      }),
  )
  await chmod(join(folder, SOCKET), 0o666) // who finds its folder, whose name nobody can guess
  return {
    socket: join(folder, SOCKET),
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise(resolve => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
