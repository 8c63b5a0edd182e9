import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * What a proxy does with the bytes of a client: `pass` them on, `swallow` them as a network that was cut without a
 * word, or lose the client at its next COMMIT, which the server gets late (`late-commit`) or never (`no-commit`).
 */
type ProxyMode = 'pass' | 'swallow' | 'late-commit' | 'no-commit'

/** A TCP proxy before a PostgreSQL server. */
interface TcpProxy {
  readonly port: number
  /** The port of the server that new clients get to; those of another one before are swallowed. */
  to: number
  mode: ProxyMode
  /** How late a late COMMIT is. */
  lateMs: number
  /** How many COMMITs it delivered late or lost. */
  losses: number
  close(): Promise<void>
}

const ANY_COMMIT = /\bCOMMIT\b/

/** Passes the bytes of one client on, as the mode says. */
function relay(client: Socket, upstream: Socket, state: Pick<TcpProxy, 'to' | 'mode' | 'lateMs' | 'losses'>): void {
  let isCut = false
  const { to } = state
  const isSilent = () => state.mode === 'swallow' || state.to !== to
  client.on('data', chunk => {
    if (isCut || isSilent()) return
    const isLost = state.mode !== 'pass' && ANY_COMMIT.test(chunk.toString('latin1'))
    if (!isLost) {
      upstream.write(chunk)
      return
    }
    isCut = true
    state.losses++
    client.destroy()
    if (state.mode === 'no-commit') upstream.destroy()
    else delay(state.lateMs).then(() => upstream.end(chunk))
  })
  upstream.on('data', chunk => {
    if (!isSilent()) client.write(chunk)
  })
  client.on('close', () => {
    if (!isCut) upstream.destroy()
  })
  upstream.on('close', () => {
    if (!isSilent()) client.destroy()
  })
}

/** Starts a proxy on a free port of loopback. */
export async function startTcpProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer()
  const proxy: TcpProxy = {
    port: 0,
    to,
    mode: 'pass',
    lateMs: 300,
    losses: 0,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
  server.on('connection', (client: Socket) => {
    const upstream = connect(proxy.to, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}) // both ends see that it is closed
      socket.on('close', () => sockets.delete(socket))
    }
    relay(client, upstream, proxy)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(proxy, { port: (server.address() as AddressInfo).port })
}
