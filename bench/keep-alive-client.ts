import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** The answer as it came: a client that reads it would take processor time that the servers need. */
interface RawAnswer {
  status: number
  body: Buffer
}

/** A client of several connections that stay open. */
export interface KeepAliveClient {
  readonly connections: number
  /** @param connection - Each has an address of its own: there is a bound for each client. */
  post(url: string, body: string, connection?: number, headers?: Record<string, string>): Promise<RawAnswer>
  close(): void
}

export function createKeepAliveClient(connections: number): KeepAliveClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })

  function send(url: string, body: string, connection: number, headers: Record<string, string>): Promise<RawAnswer> {
    const answered = Promise.withResolvers<RawAnswer>()
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        localAddress: `127.0.1.${connection + 1}`,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
      },
      answer => {
        buffer(answer).then(body => answered.resolve({ status: answer.statusCode ?? 0, body }), answered.reject)
      },
    )
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // a server closes what was idle for a while, at any time
      const isStale = sent.reusedSocket && error.code === 'ECONNRESET'
      if (isStale) answered.resolve(send(url, body, connection, headers))
      else answered.reject(error)
    })
    sent.end(body)
    return answered.promise
  }

  return {
    connections,
    post: (url, body, connection = 0, headers = {}) => send(url, body, connection, headers),
    close() {
      agent.destroy()
    },
  }
}
