import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sendChat, sendFault, sendJson } from './model-chat.ts'
import { tokensOf, type Reply } from './model-reply.ts'
import { base64Of, vectorOf } from './text-vectors.ts'

export type { Reply } from './model-reply.ts'

export interface RecordedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The parsed body; null for a request without one. */
  body: Record<string, unknown> | null
  /** Resolves when the exchange is over; true when the client hung up before its end. */
  hungUp: Promise<boolean>
}

interface ModelServerOptions {
  /** Answers to chat requests, in order. After the last: `otherwise`. */
  chat?: Reply[]
  /** Answers to embedding requests, in order. After the last: vectors made from the texts. */
  embeddings?: Reply[]
  /** The answer when the script of chats is used up; by default a 400 that says so, which no client retries. */
  otherwise?: Reply | ((request: Record<string, unknown>) => Reply)
  /** Length of vectors when the request does not say. */
  dimensions?: number
  models?: string[]
}

export interface ModelServer extends AsyncDisposable {
  /** Ends in `/v1`. */
  baseUrl: string
  requests: RecordedRequest[]
  /** Adds answers to the chat script. */
  push(...replies: Reply[]): void
  pushEmbeddings(...replies: Reply[]): void
  /** Answers what comes after the script from now on. */
  answerBy(answer: (request: Record<string, unknown>) => Reply): void
  /** The n-th request (1-based) once it has arrived with its whole body. */
  waitForRequest(n: number): Promise<RecordedRequest>
  close(): Promise<void>
}

const USED_UP: Reply = { status: 400, body: { error: { message: 'The script of the model server is used up.' } } }

async function readBody(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

async function sendEmbeddings(
  res: ServerResponse,
  reply: Reply,
  request: Record<string, unknown>,
  defaultDimensions: number,
): Promise<void> {
  if (sendFault(res, reply, false)) return
  await reply.heldUntil
  const texts = Array.isArray(request.input) ? (request.input as string[]) : [String(request.input)]
  const dimensions = typeof request.dimensions === 'number' ? request.dimensions : defaultDimensions
  const vectors = reply.vectors ?? texts.map(text => vectorOf(text, dimensions))
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: request.encoding_format === 'base64' ? base64Of(vector) : vector,
  }))
  if (reply.reversed) data.reverse()
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text).length, 0)
  sendJson(
    res,
    200,
    { object: 'list', model: request.model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } },
    reply.headers,
  )
}

/**
 * A server on loopback that speaks the OpenAI protocol (chat completions plain and streamed, embeddings, models) and
 * answers from a script. It keeps every request, so that a test can say how many there were and what was in them.
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const chat = [...(options.chat ?? [])]
  const embeddings = [...(options.embeddings ?? [])]
  const requests: RecordedRequest[] = []
  const waiting = new Map<number, PromiseWithResolvers<RecordedRequest>>()

  let after = options.otherwise ?? USED_UP

  function otherwise(request: Record<string, unknown>): Reply {
    return typeof after === 'function' ? after(request) : after
  }

  async function answer({ method, path, body }: RecordedRequest, res: ServerResponse): Promise<void> {
    const route = `${method} ${new URL(path, 'http://fake').pathname}`
    if (/^POST \/v1\/(?:[^/]+\/)?chat\/completions$/.test(route)) {
      const request = body ?? {}
      return sendChat(res, chat.shift() ?? otherwise(request), request)
    }
    if (route === 'POST /v1/embeddings') {
      return sendEmbeddings(res, embeddings.shift() ?? {}, body ?? {}, options.dimensions ?? 8)
    }
    if (route === 'GET /v1/models') {
      const data = (options.models ?? ['scripted']).map(id => ({ id, object: 'model', created: 0, owned_by: 'test' }))
      return sendJson(res, 200, { object: 'list', data })
    }
    sendJson(res, 404, { error: { message: `No route ${route}`, code: 'not_found' } })
  }

  const server = createServer(async (req, res) => {
    const { promise: hungUp, resolve } = Promise.withResolvers<boolean>()
    res.once('close', () => resolve(!res.writableFinished))
    const text = await readBody(req)
    const recorded: RecordedRequest = {
      method: req.method ?? '',
      path: req.url ?? '',
      headers: req.headers,
      body: text === '' ? null : JSON.parse(text),
      hungUp,
    }
    requests.push(recorded)
    waiting.get(requests.length)?.resolve(recorded)
    await answer(recorded, res)
  })

  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  async function close(): Promise<void> {
    if (!server.listening) return
    const closed = new Promise<void>(resolve => {
      server.close(() => resolve())
    })
    server.closeAllConnections()
    await closed
  }

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    push: (...replies) => {
      chat.push(...replies)
    },
    pushEmbeddings: (...replies) => {
      embeddings.push(...replies)
    },
    answerBy(answer) {
      after = answer
    },
    async waitForRequest(n) {
      const there = requests[n - 1]
      if (there) return there
      const waiter = waiting.get(n) ?? Promise.withResolvers<RecordedRequest>()
      waiting.set(n, waiter)
      return waiter.promise
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
