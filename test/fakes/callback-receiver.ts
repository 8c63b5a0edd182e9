import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** How one request is answered: a status, or whatever a function does. */
export type Answer = number | ((res: ServerResponse) => void)

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

interface CallbackReceiver extends AsyncDisposable {
  port: number
  /** `http://127.0.0.1:PORT/hook` */
  url: string
  received: Received[]
  /** The n-th request (1-based) once it has arrived whole. */
  waitFor(n: number): Promise<Received>
}

/** A server on loopback that keeps what is posted to it, and answers from a script; with 204 when that is used up. */
export async function startCallbackReceiver(...answers: Answer[]): Promise<CallbackReceiver> {
  const received: Received[] = []
  const waiting = new Map<number, PromiseWithResolvers<Received>>()
  const server = createServer(async (req, res) => {
    const one = { path: req.url ?? '', headers: req.headers, body: await buffer(req) }
    received.push(one)
    waiting.get(received.length)?.resolve(one)
    const answer = answers.shift() ?? 204
    if (typeof answer === 'number') res.writeHead(answer).end()
    else answer(res)
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async waitFor(n) {
      const there = received[n - 1]
      if (there !== undefined) return there
      const waiter = waiting.get(n) ?? Promise.withResolvers<Received>()
      waiting.set(n, waiter)
      return waiter.promise
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>(resolve => {
        server.close(() => resolve())
      })
      server.closeAllConnections()
      await closed
    },
  }
}
