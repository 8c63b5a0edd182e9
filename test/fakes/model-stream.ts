import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { PROVIDER_ERROR, tokensOf, TOOL_CALL, type Reply } from './model-reply.ts'

interface Streamed {
  head: object
  text: string
  usage: object | null
}

/** Between events that say nothing. */
const QUIET_MS = 10

/** Until the client leaves; waits for it to read, so that memory stays flat. */
export async function writeForEver(res: ServerResponse, text: string, pauseMs = 0): Promise<void> {
  while (!res.destroyed) {
    if (!res.write(text)) await Promise.race([once(res, 'drain'), once(res, 'close')])
    await (pauseMs > 0
      ? delay(pauseMs)
      : new Promise(resolve => {
          setImmediate(resolve)
        })) // the client lives in this process
  }
}

/** Sends a reply word by word. */
export async function sendStream(res: ServerResponse, reply: Reply, { head, text, usage }: Streamed): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...reply.headers })
  const send = (body: object) => {
    res.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...body })}\n\n`)
  }
  const delta = (content: object, finishReason: string | null = null) => {
    send({ choices: [{ index: 0, delta: content, finish_reason: finishReason }] })
  }
  // The socket is destroyed once what was written has left, or the client would never see the tokens before the cut.
  const cut = () => {
    res.write(': cut\n\n', () => res.destroy())
  }

  const fail = () => {
    res.end(`data: ${JSON.stringify({ error: PROVIDER_ERROR })}\n\n`)
  }

  res.write(': scripted\n\n')
  if (reply.emptyChoices) {
    send({ choices: [] })
    res.end('data: [DONE]\n\n')
    return
  }
  delta({ role: 'assistant', content: '' })
  if (reply.endless !== undefined) {
    if (reply.endless === 'comments') return writeForEver(res, ': still at work\n\n', QUIET_MS)
    const content = {
      text: { content: 'word '.repeat(20) },
      thoughts: { reasoning_content: 'hm '.repeat(20) },
      nothing: {},
    }[reply.endless]
    return writeForEver(
      res,
      `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: content, finish_reason: null }] })}\n\n`,
      reply.endless === 'nothing' ? QUIET_MS : 0,
    )
  }
  if (reply.reasoning !== undefined) delta({ reasoning_content: reply.reasoning })
  for (const [i, token] of tokensOf(text).entries()) {
    if (reply.hangAfter === i) return
    if (reply.cutAfter === i) return cut()
    if (reply.errorAfter === i) return fail()
    if (i === 1) await reply.slowTokensUntil
    if (reply.pauseMs !== undefined) await delay(reply.pauseMs)
    delta({ content: token })
  }
  if (reply.hangAfter !== undefined) return
  if (reply.cutAfter !== undefined) return cut()
  if (reply.errorAfter !== undefined) return fail()
  if (reply.toolCall === true) delta({ tool_calls: [{ index: 0, ...TOOL_CALL }] })
  if (!reply.noFinish) {
    delta({}, reply.finishReason ?? 'stop')
    if (reply.cutAfterFinish) return cut()
    if (usage !== null) send({ choices: [], usage })
  }
  res.end(reply.noFinish || reply.noDone ? '' : 'data: [DONE]\n\n')
}
