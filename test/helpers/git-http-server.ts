import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** How the server behaves; a test may change it between calls. */
export interface GitHttpBehaviour {
  /** Basic credentials `user:password` without which everything is 401. */
  credentials?: string
  /** Answer every request with this status, and with `location` when it is a redirect. */
  status?: number
  location?: string
  /** Speak protocol version 0, whose servers give out no commits by their id. */
  oldProtocol?: boolean
  /** Begin to send a pack and then send nothing more. */
  stall?: boolean
  /** Told of a request to push; none is answered while this is set. */
  hold?: (() => void) | undefined
  /** Told of a push that git has carried out; none is answered while this is set. */
  swallow?: (() => void) | undefined
  /** Answer the listing of refs with this text instead of asking git. */
  refs?: Buffer
}

export interface GitHttpServer {
  /** `http://127.0.0.1:PORT`; repositories are the folders below the root. */
  url: string
  port: number
  behaviour: GitHttpBehaviour
  requests: Array<{ method: string; path: string; authorization: string | undefined; gitCommand: string | null }>
  /** Resolves when a pack has begun that will never end. */
  stalled: Promise<void>
  close(): Promise<void>
}

interface GitRequest {
  body: Buffer
  /** `ls-refs` or `fetch`, in protocol version 2. */
  gitCommand: string | null
}

async function readRequest(request: IncomingMessage): Promise<GitRequest> {
  const raw = await buffer(request)
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
  return { body, gitCommand: /command=([a-z-]+)/.exec(body.toString('latin1', 0, 200))?.[1] ?? null }
}

/** What `git http-backend` answers, its headers and the bytes behind them. */
async function askBackend(
  root: string,
  request: IncomingMessage,
  { body, oldProtocol }: { body: Buffer; oldProtocol: boolean },
): Promise<{ status: number; headers: string[][]; content: Buffer }> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const gitProtocol = String(request.headers['git-protocol'] ?? '')
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
      ...(oldProtocol ? {} : { GIT_PROTOCOL: gitProtocol }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  backend.stdin.on('error', () => {}).end(body)
  const output = await buffer(backend.stdout)
  const end = output.indexOf('\r\n\r\n')
  const headers = output
    .toString('latin1', 0, end)
    .split('\r\n')
    .map(line => line.split(': ', 2))
  const status = Number(headers.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200)
  return { status, headers: headers.filter(([name]) => name !== 'Status'), content: output.subarray(end + 4) }
}

/** Answers in place of git, where the behaviour says so. @returns whether it did. */
function answersItself(
  { credentials, status, location, refs, hold }: GitHttpBehaviour,
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (hold !== undefined && url?.includes('git-receive-pack') === true) {
    hold()
  } else if (status !== undefined) {
    response.writeHead(status, location === undefined ? {} : { location }).end()
  } else if (
    credentials !== undefined &&
    headers.authorization !== `Basic ${Buffer.from(credentials).toString('base64')}`
  ) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  } else if (refs !== undefined && method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end(refs)
  } else {
    return false
  }
  return true
}

/** A real smart-HTTP git server on loopback, around `git http-backend`. */
export async function startGitHttpServer(root: string, behaviour: GitHttpBehaviour = {}): Promise<GitHttpServer> {
  const stall = Promise.withResolvers<void>()
  const requests: GitHttpServer['requests'] = []
  const state = { behaviour }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { body, gitCommand } = await readRequest(request)
    const { method = '', url = '', headers: sent } = request
    requests.push({ method, path: url, authorization: sent.authorization, gitCommand })
    const { oldProtocol = false } = state.behaviour
    if (answersItself(state.behaviour, request, response)) return
    const { status, headers, content } = await askBackend(root, request, { body, oldProtocol })
    if (state.behaviour.swallow !== undefined && method === 'POST' && url.endsWith('/git-receive-pack')) {
      state.behaviour.swallow()
      return
    }
    response.writeHead(status, Object.fromEntries(headers) as Record<string, string>)
    if (state.behaviour.stall !== true || gitCommand !== 'fetch') {
      response.end(content)
      return
    }
    response.write(content.subarray(0, Math.floor(content.length / 2)), () => stall.resolve())
  }

  const httpServer = createServer((request, response) => {
    handle(request, response).catch(error => response.destroy(error))
  })
  httpServer.listen(0, '127.0.0.1')
  await once(httpServer, 'listening')
  const { port } = httpServer.address() as AddressInfo
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    stalled: stall.promise,
    async close() {
      httpServer.closeAllConnections()
      httpServer.close()
      await once(httpServer, 'close')
    },
  })
}
