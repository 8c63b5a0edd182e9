import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Agent, request as send, type Dispatcher } from 'undici'
import { isObject } from '../../core/is-object.ts'
import { createServer } from '../../core/node-http.ts'
import type { Usage } from '../../core/job.ts'
import type { Redacted } from '../redaction/redacted.ts'

/** The configured server of models. */
interface ModelServer {
  baseUrl: string
  apiKey: string | null
  headers: Readonly<Record<string, string>>
  timeoutMs: number
}

/** A way for one program to the configured server of models. */
export interface ModelProxyOptions {
  server: ModelServer
  /** Below it lies the socket. */
  folder: string
  /** A text without its secrets: what programs send comes from repositories. */
  redact: (text: string) => Redacted
  /** Why no further call may be made, in a sentence; null where one may. */
  whyNot: () => string | null
  /**
   * Gets what a call cost, as far as the server tells, and how many secrets were replaced in what it sent; of each call
   * before `close` is done.
   */
  onUsage: (usage: Usage, redactions: number) => void
}

/** A proxy that listens. */
export interface ModelProxy {
  socket: string
  /** How many calls went through. */
  calls: () => number
  close(): Promise<void>
}

/** Why a request is not passed on. */
interface Refused {
  status: number
  message: string
}

const SOCKET = 'model.sock'
const MAX_REQUEST_BYTES = 4 * 1024 * 1024
const MAX_REPLY_BYTES = 16 * 1024 * 1024
const MAX_CALLS = 200
/** What a coder asks for; nothing else of the server is there. */
const ROUTES: ReadonlyMap<string, 'GET' | 'POST'> = new Map([
  ['/v1/chat/completions', 'POST'],
  ['/chat/completions', 'POST'],
  ['/v1/models', 'GET'],
  ['/models', 'GET'],
])

function answer(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = JSON.stringify({ error: { message, type: 'faultline', code: status } })
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body)
}

async function bodyOf(message: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of message as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MAX_REQUEST_BYTES) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/**
 * A question as it is sent on: every text in it without secrets, and a stream with its usage, which is not told unless
 * it is asked for. Null for what is no object, or nested endlessly.
 */
function question(text: string, redact: (text: string) => Redacted): Redacted | null {
  let count = 0
  function clean(value: string): string {
    const redacted = redact(value)
    count += redacted.count
    return redacted.text
  }
  try {
    const body: unknown = JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'string' ? clean(value) : value,
    )
    if (!isObject(body)) return null
    const options = isObject(body.stream_options) ? body.stream_options : {}
    const more = body.stream === true ? { stream_options: { ...options, include_usage: true } } : {}
    return { text: JSON.stringify({ ...body, ...more }), count }
  } catch {
    return null
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

const countOf = (value: unknown): number => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0)

/** What an answer says that it cost: of a stream the last piece that says it. */
function usageIn(text: string): Usage {
  const pieces = text.startsWith('{')
    ? [text]
    : text.split('\n').flatMap(line => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []))
  const told = pieces.map(parsed).findLast(value => isObject(value) && isObject(value.usage))
  const usage = isObject(told) && isObject(told.usage) ? told.usage : {}
  return {
    llmCalls: 1,
    promptTokens: countOf(usage.prompt_tokens),
    completionTokens: countOf(usage.completion_tokens),
    usd: null,
  }
}

/**
 * Opens a socket by which one program reaches the configured server of models, and nothing else: two of its routes,
 * with the server's key put in here, so that the program never sees it. What it sends goes without secrets; redirects
 * are not followed.
 */
export async function startModelProxy({
  server: { baseUrl, apiKey, headers, timeoutMs },
  folder: parent,
  redact,
  whyNot,
  onUsage,
}: ModelProxyOptions): Promise<ModelProxy> {
  let calls = 0
  const ownHeaders = {
    'user-agent': 'faultline',
    ...headers,
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  const closing = new AbortController()
  const dispatcher = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_REPLY_BYTES,
    pipelining: 0,
  })

  /** What a program wants to be asked, without secrets; null for a list of models. */
  async function questionIn(message: IncomingMessage): Promise<Redacted | null | Refused> {
    if (message.method === 'GET') return null
    const text = await bodyOf(message)
    if (text === null) return { status: 413, message: 'The body is too large.' }
    const asked = question(text, redact)
    if (asked === null) return { status: 400, message: 'The body is no JSON object.' }
    const why = calls >= MAX_CALLS ? `A program may call the model ${MAX_CALLS} times.` : whyNot()
    if (why !== null) return { status: 402, message: why }
    calls++
    return asked
  }

  const withoutKey = (text: string): string =>
    redact(apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, '[REDACTED]')).text

  /** Sends an answer on as it comes, and keeps what came. An error is sent whole: servers quote the key in some. */
  async function pass(
    { statusCode, headers: told, body: reply }: Dispatcher.ResponseData,
    response: ServerResponse,
    pieces: Buffer[],
  ): Promise<void> {
    const type = told['content-type']
    const isError = statusCode >= 400
    response.writeHead(statusCode, { 'content-type': typeof type === 'string' ? type : 'application/json' })
    for await (const piece of reply as AsyncIterable<Buffer>) {
      pieces.push(piece)
      if (!isError) response.write(piece)
    }
    response.end(isError ? withoutKey(Buffer.concat(pieces).toString()) : undefined)
  }

  async function forward(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (message.url ?? '').split('?')
    const method = ROUTES.get(path)
    if (method === undefined || method !== message.method) {
      answer(response, 404, 'Only chat completions and the list of models are here.')
      return
    }
    const asked = await questionIn(message)
    if (asked !== null && 'status' in asked) {
      answer(response, asked.status, asked.message)
      return
    }
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const pieces: Buffer[] = []
    try {
      const sent = await send(`${baseUrl}${path.replace(/^\/v1/, '')}`, {
        dispatcher,
        method,
        signal: AbortSignal.any([closing.signal, gone.signal]),
        body: asked?.text ?? null,
        headers: { ...ownHeaders, ...(asked === null ? {} : { 'content-type': 'application/json' }) },
      })
      if (sent.statusCode >= 300 && sent.statusCode < 400) {
        sent.body.dump().catch(() => {})
        answer(response, 502, 'The model server answered with another address, and redirects are not followed.')
        return
      }
      await pass(sent, response, pieces)
    } finally {
      if (asked !== null) onUsage(usageIn(Buffer.concat(pieces).toString()), asked.count) // broken off, too
    }
  }

  const running = new Set<Promise<void>>()
  const http = createServer({ headersTimeout: 10_000, requestTimeout: 0 }, (message, response) => {
    const done = forward(message, response)
      .catch(() => answer(response, 502, 'The model server did not answer.'))
      .finally(() => running.delete(done))
    running.add(done)
  })
  const folder = join(parent, '.run', randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o711 })
  {
    // the name of a socket has at most 107 characters, however long that of its folder is
    await using handle = await open(folder)
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject).listen(`/proc/self/fd/${handle.fd}/${SOCKET}`, resolve)
    })
  }
  await chmod(join(folder, SOCKET), 0o666) // for who finds its folder, whose name nobody can guess
  return {
    socket: join(folder, SOCKET),
    calls: () => calls,
    async close() {
      closing.abort()
      http.closeAllConnections()
      await new Promise(resolve => http.close(resolve))
      await Promise.all(running)
      await dispatcher.destroy()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
