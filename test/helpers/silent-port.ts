import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A port that takes connections and says nothing. */
export async function silentPort(t: Test): Promise<{ port: number; sockets: Socket[] }> {
  const server = createServer().listen(0, '127.0.0.1')
  const sockets: Socket[] = []
  server.on('connection', socket => {
    sockets.push(socket.resume())
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  return { port: typeof address === 'object' && address !== null ? address.port : 0, sockets }
}
