import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A reverse proxy on loopback that has a server below a path. */
interface PrefixProxy extends AsyncDisposable {
  /** Where the server is reached through it. */
  publicUrl: string
  /** Names the server, once it listens. */
  pointTo(port: number): void
}

/** Takes the prefix away before it asks the server, as nginx and Caddy are told to in docs/deploy.md; `keeps`: not. */
export async function startPrefixProxy(prefix: string, { keeps = false } = {}): Promise<PrefixProxy> {
  let target = 0
  const proxy = createServer((incoming, answer) => {
    const { url = '', method, headers } = incoming
    if (!url.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end('not below the prefix')
      return
    }
    const path = keeps ? url : url.slice(prefix.length)
    const asked = request({ host: '127.0.0.1', port: target, path, method, headers }, received => {
      answer.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(answer)
    })
    asked.on('error', () => answer.destroy())
    answer.on('close', () => asked.destroy())
    incoming.pipe(asked)
  })
  await new Promise<void>(resolve => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
  const { port } = proxy.address() as AddressInfo
  return {
    publicUrl: `http://127.0.0.1:${port}${prefix}`,
    pointTo(server) {
      target = server
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>(resolve => {
        proxy.close(() => resolve())
      })
      proxy.closeAllConnections()
      await closed
    },
  }
}
