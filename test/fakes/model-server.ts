import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { base64Of, vectorOf } from './text-vectors.ts'

/** One answer of the scripted server. The first property that is set decides what happens. */
export interface Reply {
  /** A normal answer; streamed word by word when the request asks for a stream. */
  text?: string
  finishReason?: string
  /** Null leaves the usage out, as some servers do. Default: counted in words. */
  usage?: { prompt_tokens: number, completion_tokens: number } | null
  /** In a stream: what the model thinks before the text, as `reasoning_content`. */
  reasoning?: string
  /** An HTTP error; the body is JSON unless it is a string. */
  status?: number
  body?: unknown
  headers?: Record<string, string>
  /** Takes the request and never answers. */
  hang?: boolean
  /** Closes the socket before any byte of an answer. */
  refuse?: boolean
  /** With `text`: breaks the connection after that many tokens (a plain answer: in the middle of its JSON). */
  cutAfter?: number
  /** With `text`: falls silent after that many tokens (a plain answer: in the middle of its JSON); the connection stays open. */
  hangAfter?: number
  /** With `text`, streamed: the first token at once, the rest when the promise settles. */
  slowTokensUntil?: Promise<unknown>
  /** With `text`, streamed: milliseconds before each token. Only for tests of time limits. */
  pauseMs?: number
  /** Goes on until the client leaves: with a long text, with thoughts, or with events that hold nothing. */
  endless?: 'text' | 'thoughts' | 'nothing'
  /** What a server without it says to a request with a response_format; one without is answered as usual. */
  refusesFormat?: { status: number, message: string }
  /** With `text`, streamed: breaks the connection right after the finish_reason. */
  cutAfterFinish?: boolean
  /** With `text`, streamed: a clean end with a finish_reason but without `[DONE]`. */
  noDone?: boolean
  /** With `text`, streamed: a clean end with neither a finish_reason nor `[DONE]`. */
  noFinish?: boolean
  malformed?: 'json' | 'sse' | 'html'
  /** `200` with an error object instead of choices. True: a usual one. */
  errorIn200?: boolean | { message: string, code?: number | string }
  emptyChoices?: boolean
  /** For embeddings: these vectors as they stand, instead of the ones made from the texts. */
  vectors?: number[][]
  /** For embeddings: the right vectors in reverse order, each with its index. */
  reversed?: boolean
  /** For embeddings: the answer comes when the promise settles. */
  heldUntil?: Promise<unknown>
}

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
  otherwise?: Reply
  /** Length of vectors when the request does not say. */
  dimensions?: number
  models?: string[]
}

export interface ModelServer extends AsyncDisposable {
  /** Ends in `/v1`. */
  baseUrl: string
  requests: RecordedRequest[]
  /** Adds answers to the chat script. */
  push (...replies: Reply[]): void
  pushEmbeddings (...replies: Reply[]): void
  /** The n-th request (1-based) once it has arrived with its whole body. */
  waitForRequest (n: number): Promise<RecordedRequest>
  close (): Promise<void>
}

const USED_UP: Reply = { status: 400, body: { error: { message: 'The script of the model server is used up.' } } }

/**
 * A server on loopback that speaks the OpenAI protocol (chat completions plain and streamed, embeddings, models) and
 * answers from a script. It keeps every request, so that a test can say how many there were and what was in them.
 */
export async function startModelServer (options: ModelServerOptions = {}): Promise<ModelServer> {
  const chat = [...options.chat ?? []]
  const embeddings = [...options.embeddings ?? []]
  const requests: RecordedRequest[] = []
  const waiting = new Map<number, PromiseWithResolvers<RecordedRequest>>()

  const server = createServer(async (req, res) => {
    const { promise: hungUp, resolve } = Promise.withResolvers<boolean>()
    res.once('close', () => resolve(!res.writableFinished))
    const text = await readBody(req)
    const recorded: RecordedRequest = {
      method: req.method ?? '', path: req.url ?? '', headers: req.headers, body: text === '' ? null : JSON.parse(text), hungUp
    }
    requests.push(recorded)
    waiting.get(requests.length)?.resolve(recorded)
    await answer(recorded, res)
  })

  async function answer ({ method, path, body }: RecordedRequest, res: ServerResponse): Promise<void> {
    const route = `${method} ${new URL(path, 'http://fake').pathname}`
    if (route === 'POST /v1/chat/completions') return sendChat(res, chat.shift() ?? options.otherwise ?? USED_UP, body ?? {})
    if (route === 'POST /v1/embeddings') return sendEmbeddings(res, embeddings.shift() ?? {}, body ?? {}, options.dimensions ?? 8)
    if (route === 'GET /v1/models') {
      const data = (options.models ?? ['scripted']).map(id => ({ id, object: 'model', created: 0, owned_by: 'test' }))
      return sendJson(res, 200, { object: 'list', data })
    }
    sendJson(res, 404, { error: { message: `No route ${route}`, code: 'not_found' } })
  }

  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  const { port } = server.address() as AddressInfo

  async function close (): Promise<void> {
    if (!server.listening) return
    const closed = new Promise<void>(resolve => { server.close(() => resolve()) })
    server.closeAllConnections()
    await closed
  }

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    push: (...replies) => { chat.push(...replies) },
    pushEmbeddings: (...replies) => { embeddings.push(...replies) },
    async waitForRequest (n) {
      const there = requests[n - 1]
      if (there) return there
      const waiter = waiting.get(n) ?? Promise.withResolvers<RecordedRequest>()
      waiting.set(n, waiter)
      return waiter.promise
    },
    close,
    [Symbol.asyncDispose]: close
  }
}

async function readBody (req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

function sendJson (res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}

/** Sends what is no answer of a model; false when the reply is a normal one. */
function sendFault (res: ServerResponse, reply: Reply, streamed: boolean): boolean {
  if (reply.hang) return true
  if (reply.refuse) {
    res.destroy()
    return true
  }
  if (reply.status !== undefined) {
    if (typeof reply.body !== 'string') {
      sendJson(res, reply.status, reply.body ?? { error: { message: `Scripted status ${reply.status}` } }, reply.headers)
    } else {
      res.writeHead(reply.status, { 'content-type': 'text/plain', ...reply.headers })
      res.end(reply.body)
    }
    return true
  }
  if (reply.malformed) {
    const [type, body] = {
      json: ['application/json', '{"id": "x", "choices": [{"index": 0, "mess'],
      sse: ['text/event-stream', 'data: {"id": "x", "choices": [{"ind\n\ndata: [DONE]\n\n'],
      html: ['text/html', '<!doctype html><title>Sign in</title><p>Please sign in to the proxy.</p>']
    }[reply.malformed] as [string, string]
    res.writeHead(200, { 'content-type': type })
    res.end(body)
    return true
  }
  if (reply.errorIn200) {
    const error = reply.errorIn200 === true ? { message: 'Provider returned error', code: 502 } : reply.errorIn200
    if (streamed) {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.end(`data: ${JSON.stringify({ error })}\n\n`)
    } else sendJson(res, 200, { error })
    return true
  }
  return false
}

async function sendChat (res: ServerResponse, reply: Reply, request: Record<string, unknown>): Promise<void> {
  const streamed = request.stream === true
  if (reply.refusesFormat !== undefined && request.response_format !== undefined) return sendJson(res, reply.refusesFormat.status, { error: reply.refusesFormat })
  if (sendFault(res, reply, streamed)) return
  const text = reply.text ?? ''
  const usage = usageOf(reply, request, text)
  const head = { id: 'chatcmpl-scripted', created: 0, model: request.model }
  if (streamed) return sendStream(res, reply, { head, text, usage: includesUsage(request) ? usage : null })

  const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: reply.finishReason ?? 'stop', logprobs: null }
  const whole = JSON.stringify({
    ...head, object: 'chat.completion', choices: reply.emptyChoices ? [] : [choice], ...(usage === null ? {} : { usage })
  })
  res.writeHead(200, { 'content-type': 'application/json', ...reply.headers })
  const isWhole = reply.endless === undefined && reply.hangAfter === undefined && reply.cutAfter === undefined
  if (isWhole) {
    res.end(whole)
    return
  }
  res.write(whole.slice(0, whole.length >> 1), () => { if (reply.cutAfter !== undefined) res.destroy() })
  if (reply.endless !== undefined) await writeForEver(res, 'word '.repeat(200))
}

interface Streamed { head: object, text: string, usage: object | null }

async function sendStream (res: ServerResponse, reply: Reply, { head, text, usage }: Streamed): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...reply.headers })
  const send = (body: object) => {
    res.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...body })}\n\n`)
  }
  const delta = (content: object, finishReason: string | null = null) => {
    send({ choices: [{ index: 0, delta: content, finish_reason: finishReason }] })
  }
  // The socket is destroyed once what was written has left, or the client would never see the tokens before the cut.
  const cut = () => { res.write(': cut\n\n', () => res.destroy()) }

  res.write(': scripted\n\n')
  if (reply.emptyChoices) {
    send({ choices: [] })
    res.end('data: [DONE]\n\n')
    return
  }
  delta({ role: 'assistant', content: '' })
  if (reply.endless !== undefined) {
    const content = { text: { content: 'word '.repeat(20) }, thoughts: { reasoning_content: 'hm '.repeat(20) }, nothing: {} }[reply.endless]
    return writeForEver(res, `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: content, finish_reason: null }] })}\n\n`)
  }
  if (reply.reasoning !== undefined) delta({ reasoning_content: reply.reasoning })
  for (const [i, token] of tokensOf(text).entries()) {
    if (reply.hangAfter === i) return
    if (reply.cutAfter === i) return cut()
    if (i === 1) await reply.slowTokensUntil
    if (reply.pauseMs !== undefined) await delay(reply.pauseMs)
    delta({ content: token })
  }
  if (reply.hangAfter !== undefined) return
  if (reply.cutAfter !== undefined) return cut()
  if (!reply.noFinish) {
    delta({}, reply.finishReason ?? 'stop')
    if (reply.cutAfterFinish) return cut()
    if (usage !== null) send({ choices: [], usage })
  }
  res.end(reply.noFinish || reply.noDone ? '' : 'data: [DONE]\n\n')
}

/** Until the client leaves; waits for it to read, so that memory stays flat. */
async function writeForEver (res: ServerResponse, text: string): Promise<void> {
  while (!res.destroyed) {
    if (!res.write(text)) await Promise.race([once(res, 'drain'), once(res, 'close')])
    await new Promise(resolve => { setImmediate(resolve) }) // the client lives in this process
  }
}

const tokensOf = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? []

function includesUsage (request: Record<string, unknown>): boolean {
  const streamOptions = request.stream_options as { include_usage?: boolean } | undefined
  return streamOptions?.include_usage === true
}

function usageOf (reply: Reply, request: Record<string, unknown>, text: string): object | null {
  if (reply.usage === null) return null
  const usage = reply.usage ?? {
    prompt_tokens: tokensOf(JSON.stringify(request.messages ?? [])).length, completion_tokens: tokensOf(text).length
  }
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens }
}

async function sendEmbeddings (res: ServerResponse, reply: Reply, request: Record<string, unknown>, defaultDimensions: number): Promise<void> {
  if (sendFault(res, reply, false)) return
  await reply.heldUntil
  const texts = Array.isArray(request.input) ? request.input as string[] : [String(request.input)]
  const dimensions = typeof request.dimensions === 'number' ? request.dimensions : defaultDimensions
  const vectors = reply.vectors ?? texts.map(text => vectorOf(text, dimensions))
  const data = vectors.map((vector, index) => ({
    object: 'embedding', index, embedding: request.encoding_format === 'base64' ? base64Of(vector) : vector
  }))
  if (reply.reversed) data.reverse()
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text).length, 0)
  sendJson(res, 200, { object: 'list', model: request.model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } }, reply.headers)
}
