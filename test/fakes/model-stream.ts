import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { finishReasonOf, PROVIDER_ERROR, tokensOf, TOOL_CALL, wireCalls, type Reply } from './model-reply.ts'

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

/** What a stream without an end repeats. */
const ENDLESS = {
  text: { content: 'word '.repeat(20) },
  thoughts: { reasoning_content: 'hm '.repeat(20) },
  nothing: {},
}

function sendEndless(res: ServerResponse, head: object, endless: NonNullable<Reply['endless']>): Promise<void> {
  if (endless === 'comments') return writeForEver(res, ': still at work\n\n', QUIET_MS)
  const choices = [{ index: 0, delta: ENDLESS[endless], finish_reason: null }]
  return writeForEver(res, `data: ${JSON.stringify({ ...head, choices })}\n\n`, endless === 'nothing' ? QUIET_MS : 0)
}

/** The events of one reply. */
class EventStream {
  readonly #res: ServerResponse
  readonly #head: object

  constructor(res: ServerResponse, head: object) {
    this.#res = res
    this.#head = head
  }

  send(body: object): void {
    this.#res.write(`data: ${JSON.stringify({ ...this.#head, object: 'chat.completion.chunk', ...body })}\n\n`)
  }

  delta(content: object, finishReason: string | null = null): void {
    this.send({ choices: [{ index: 0, delta: content, finish_reason: finishReason }] })
  }

  /** Destroys the socket once what was written has left, or the client would never see the tokens before the cut. */
  cut(): void {
    this.#res.write(': cut\n\n', () => this.#res.destroy())
  }

  fail(): void {
    this.#res.end(`data: ${JSON.stringify({ error: PROVIDER_ERROR })}\n\n`)
  }

  end(last = 'data: [DONE]\n\n'): void {
    this.#res.end(last)
  }
}

/** Ends the stream as the reply says, where it does so at this place: hangs, cuts it off or reports an error. */
function breaksOff(stream: EventStream, reply: Reply, isHere: (at: number | undefined) => boolean): boolean {
  if (isHere(reply.hangAfter)) return true
  if (isHere(reply.cutAfter)) stream.cut()
  else if (isHere(reply.errorAfter)) stream.fail()
  else return false
  return true
}

/** Each call in pieces: its name first, then its arguments in two halves. */
function sendCalls(stream: EventStream, reply: Reply): void {
  for (const [index, call] of wireCalls(reply).entries()) {
    const { name, arguments: given } = call.function
    if (reply.looseCalls === true) {
      stream.delta({ tool_calls: [{ ...call, id: `loose_${index}` }] })
      continue
    }
    const half = given.length >> 1
    stream.delta({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] })
    for (const part of [given.slice(0, half), given.slice(half)]) {
      stream.delta({ tool_calls: [{ index, function: { arguments: part } }] })
    }
  }
}

/** Says how and at what cost the reply ended, as far as this server says so. */
function finish(stream: EventStream, reply: Reply, usage: object | null): void {
  if (!reply.noFinish) {
    stream.delta({}, finishReasonOf(reply))
    if (reply.cutAfterFinish) return stream.cut()
    if (usage !== null) stream.send({ choices: [], usage })
  }
  stream.end(reply.noFinish || reply.noDone ? '' : 'data: [DONE]\n\n')
}

/** Sends a reply word by word. */
export async function sendStream(res: ServerResponse, reply: Reply, { head, text, usage }: Streamed): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...reply.headers })
  const stream = new EventStream(res, head)
  res.write(': scripted\n\n')
  if (reply.emptyChoices) {
    stream.send({ choices: [] })
    stream.end()
    return
  }
  stream.delta({ role: 'assistant', content: '' })
  if (reply.endless !== undefined) return sendEndless(res, head, reply.endless)
  if (reply.reasoning !== undefined) stream.delta({ reasoning_content: reply.reasoning })
  for (const [i, token] of tokensOf(text).entries()) {
    if (breaksOff(stream, reply, at => at === i)) return
    if (i === 1) await reply.slowTokensUntil
    if (reply.pauseMs !== undefined) await delay(reply.pauseMs)
    stream.delta({ content: token })
  }
  if (breaksOff(stream, reply, at => at !== undefined)) return
  if (reply.toolCall === true) stream.delta({ tool_calls: [{ index: 0, ...TOOL_CALL }] })
  sendCalls(stream, reply)
  finish(stream, reply, usage)
}
