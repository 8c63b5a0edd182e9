import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'

/**
 * What happens to one request. `status`: it is answered with that, and not passed on. `drop`: the connection breaks,
 * before it is passed on or, with `after`, when the answer is known. `cut`: so many bytes of the answer arrive, then
 * the connection breaks. `flip`: a bit of the answer's body changes, or with `sent` of what was sent. `hang`: no answer
 * comes. `trickle`: a byte each 10 ms.
 */
export type Fault =
  | { kind: 'status'; status: number; retryAfterS?: number; body?: string }
  | { kind: 'drop'; after?: boolean }
  | { kind: 'cut'; bytes: number }
  | { kind: 'flip'; sent?: boolean }
  | { kind: 'hang' }
  | { kind: 'trickle' }

/** A proxy on loopback that passes requests on, except those that it has a fault for. */
export interface FaultyProxy {
  /** Where it listens, as the address of the server behind it. */
  url: string
  /** `GET /path` of each request that came. */
  seen: string[]
  /** Asked for each request; null: passed on as it is. */
  faultOf: (request: { method: string; path: string; number: number }) => Fault | null
  /** The next so many requests have a fault, those after them none. */
  failNext(times: number, fault: Fault): void
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const at = Math.floor(copy.length / 2)
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

interface Passed {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

const DAMAGED = '<Error><Code>XAmzContentSHA256Mismatch</Code><Message>The checksum does not match.</Message></Error>'

/** Whether a body has the checksum that was signed, which not every server for tests looks at. */
const isAsSigned = ({ headers }: IncomingMessage, body: Buffer): boolean =>
  headers['x-amz-content-sha256'] === createHash('sha256').update(body).digest('hex')

async function pass(target: URL, incoming: IncomingMessage, body: Buffer): Promise<Passed> {
  const { method, url, headers } = incoming
  // the name of the host was signed
  const outgoing = request({ hostname: target.hostname, port: target.port, method, path: url, headers })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) }
}

/**
 * Starts a proxy in front of a server, and stops it in the teardown.
 *
 * @param checksBodies - Whether it refuses damaged bodies as S3 does; false for a server that does it itself.
 */
export async function faultyProxy(
  t: Test,
  serverUrl: string,
  { checksBodies = true }: { checksBodies?: boolean } = {},
): Promise<FaultyProxy> {
  const target = new URL(serverUrl)
  const trickling = new Set<NodeJS.Timeout>()

  function trickle(response: ServerResponse, body: Buffer): void {
    let at = 0
    const timer = setInterval(() => {
      if (at < body.length && !response.destroyed) response.write(body.subarray(at, ++at))
      else clearInterval(timer)
    }, 10)
    trickling.add(timer)
  }

  function answer(response: ServerResponse, { status, headers, body }: Passed, fault: Fault | null): void {
    if (fault?.kind === 'drop') {
      response.destroy()
      return
    }
    response.writeHead(status, headers)
    if (fault?.kind === 'cut') response.write(body.subarray(0, fault.bytes), () => response.destroy())
    else if (fault?.kind === 'flip' && fault.sent !== true) response.end(flipped(body))
    else if (fault?.kind === 'trickle') trickle(response, body)
    else response.end(body)
  }

  /** Answers without the server behind; false: it has to be asked. */
  function refuse(response: ServerResponse, fault: Fault | null): boolean {
    if (fault?.kind === 'drop' && fault.after !== true) response.destroy()
    else if (fault?.kind === 'status') {
      const more = fault.retryAfterS === undefined ? {} : { 'retry-after': String(fault.retryAfterS) }
      response.writeHead(fault.status, more).end(fault.body ?? '')
    } else return fault?.kind === 'hang'
    return true
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse, proxy: FaultyProxy): Promise<void> {
    const { method = '', url = '' } = incoming
    const path = url.replace(/\?.*/, '')
    proxy.seen.push(`${method} ${path}`)
    const fault = proxy.faultOf({ method, path, number: proxy.seen.length })
    const body = fault?.kind === 'hang' || fault?.kind === 'drop' ? null : await buffer(incoming)
    if (refuse(response, fault)) return
    const whole = body ?? (await buffer(incoming))
    const sent = fault?.kind === 'flip' && fault.sent === true ? flipped(whole) : whole
    if (checksBodies && sent !== whole && !isAsSigned(incoming, sent)) response.writeHead(400).end(DAMAGED)
    else answer(response, await pass(target, incoming, sent), fault)
  }

  const proxy: FaultyProxy = {
    url: '',
    seen: [],
    faultOf: () => null,
    failNext(times, fault) {
      let left = times
      proxy.faultOf = () => (left-- > 0 ? fault : null)
    },
  }
  const server = createServer((incoming, response) => {
    handle(incoming, response, proxy).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const timer of trickling) clearInterval(timer)
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
