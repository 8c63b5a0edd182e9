import type { ServerResponse } from 'node:http'
import { finishReasonOf, PROVIDER_ERROR, tokensOf, TOOL_CALL, wireCalls, type Reply } from './model-reply.ts'
import { sendStream, writeForEver } from './model-stream.ts'

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}

/** Sends what is no answer of a model; false when the reply is a normal one. */
export function sendFault(res: ServerResponse, reply: Reply, streamed: boolean): boolean {
  if (reply.hang) return true
  if (reply.refuse) {
    res.destroy()
    return true
  }
  if (reply.status !== undefined) {
    if (typeof reply.body !== 'string' && !Buffer.isBuffer(reply.body)) {
      sendJson(
        res,
        reply.status,
        reply.body ?? { error: { message: `Scripted status ${reply.status}` } },
        reply.headers,
      )
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
      html: ['text/html', '<!doctype html><title>Sign in</title><p>Please sign in to the proxy.</p>'],
    }[reply.malformed] as [string, string]
    res.writeHead(200, { 'content-type': type })
    res.end(body)
    return true
  }
  if (reply.errorIn200) {
    const error = reply.errorIn200 === true ? PROVIDER_ERROR : reply.errorIn200
    if (streamed) {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.end(`data: ${JSON.stringify({ error })}\n\n`)
    } else sendJson(res, 200, { error })
    return true
  }
  return false
}

function includesUsage(request: Record<string, unknown>): boolean {
  const streamOptions = request.stream_options as { include_usage?: boolean } | undefined
  return streamOptions?.include_usage === true
}

function usageOf(reply: Reply, request: Record<string, unknown>, text: string): object | null {
  if (reply.usage === null) return null
  const messages = JSON.stringify(request.messages ?? [])
  const usage = reply.usage ?? {
    prompt_tokens: tokensOf(messages).length,
    completion_tokens: tokensOf(text).length,
  }
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens }
}

/** The answer in one piece. */
function wholeOf(reply: Reply, { head, text, usage }: { head: object; text: string; usage: object | null }): string {
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
    ...(reply.toolCall === true ? { tool_calls: [TOOL_CALL] } : {}),
    ...(reply.toolCalls === undefined ? {} : { tool_calls: wireCalls(reply) }),
  }
  const choice = { index: 0, message, finish_reason: finishReasonOf(reply), logprobs: null }
  return JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: reply.emptyChoices ? [] : [choice],
    ...(usage === null ? {} : { usage }),
    ...(reply.errorAfter === undefined ? {} : { error: PROVIDER_ERROR }),
  })
}

/** Answers a request for a completion as the reply says. */
export async function sendChat(res: ServerResponse, reply: Reply, request: Record<string, unknown>): Promise<void> {
  const streamed = request.stream === true && reply.ignoresStream !== true
  if (reply.refusesFormat !== undefined && request.response_format !== undefined) {
    return sendJson(res, reply.refusesFormat.status, { error: reply.refusesFormat })
  }
  if (reply.refusesTools !== undefined && request.tools !== undefined) {
    return sendJson(res, reply.refusesTools.status, { error: reply.refusesTools })
  }
  if (sendFault(res, reply, streamed)) return
  const text = reply.text ?? ''
  const usage = usageOf(reply, request, text)
  const head = { id: 'chatcmpl-scripted', created: 0, model: request.model }
  if (streamed) return sendStream(res, reply, { head, text, usage: includesUsage(request) ? usage : null })

  const whole = wholeOf(reply, { head, text, usage })
  res.writeHead(200, { 'content-type': 'application/json', ...reply.headers })
  const isWhole = reply.endless === undefined && reply.hangAfter === undefined && reply.cutAfter === undefined
  if (isWhole) {
    res.end(whole)
    return
  }
  res.write(whole.slice(0, whole.length >> 1), () => {
    if (reply.cutAfter !== undefined) res.destroy()
  })
  if (reply.endless !== undefined) await writeForEver(res, 'word '.repeat(200))
}
