import type { OpenAI } from 'openai'
import { CallFailure, errorIn200, failureFrom, ReplyTooLargeError } from './call-failure.ts'

/** One answer of a model. `usage` is null when the server gave none. */
export interface ChatReply {
  text: string
  finishReason: string
  usage: TokenCounts | null
}

export interface TokenCounts { promptTokens: number, completionTokens: number }

interface ChatCall {
  openai: OpenAI
  apiKey: string | null
  body: OpenAI.ChatCompletionCreateParamsNonStreaming
  signal: AbortSignal
}

/**
 * One plain request.
 *
 * @throws {CallFailure} It failed, or the reply is no answer: not JSON, an error inside a 200, no choices, empty.
 */
export async function askPlain ({ openai, apiKey, body, signal }: ChatCall): Promise<ChatReply> {
  const reply: unknown = await known(apiKey, () => openai.chat.completions.create(body, { signal }))
  if (!isObject(reply)) throw new CallFailure('bad_reply', 'the reply was not JSON')
  if (isError(reply.error)) throw errorIn200(reply.error, apiKey)
  const choice = firstChoice(reply)
  const message = choice?.message
  if (choice === null || !isObject(message)) throw new CallFailure('bad_reply', 'the reply held no choices')
  // A whole JSON document cannot be cut off, so a server that leaves the reason out is believed here, unlike in a stream.
  return checked({ text: textOf(message.content), finishReason: nameOf(choice.finish_reason) ?? 'stop', usage: countsOf(reply.usage) })
}

interface StreamLimits {
  /** Longest silence: before the first token, and between two. */
  tokenTimeoutMs: number
  maxReplyBytes: number
}

/**
 * One streamed request.
 *
 * @param onToken - Gets each piece of the text. What it throws ends the request and comes out as it is.
 * @throws {CallFailure} As `askPlain`; and the stream fell silent, grew beyond the cap, or ended without a finish_reason.
 */
export async function askStreamed ({ openai, apiKey, body, signal }: ChatCall, limits: StreamLimits, onToken: (text: string) => void): Promise<ChatReply> {
  using silence = new Silence(limits.tokenTimeoutMs)
  const either = AbortSignal.any([signal, silence.signal])
  const answer = { text: '', bytes: 0, choices: 0, finishReason: null as string | null, usage: null as TokenCounts | null }
  try {
    const stream = await known(apiKey, () => openai.chat.completions.create({ ...body, stream: true, stream_options: { include_usage: true } }, { signal: either }))
    for await (const chunk of eventsOf(stream, apiKey, () => answer.finishReason !== null)) {
      if (isError(chunk.error)) throw errorIn200(chunk.error, apiKey)
      answer.usage = countsOf(chunk.usage) ?? answer.usage
      const choice = firstChoice(chunk)
      if (choice === null) continue
      answer.choices += 1
      if (isObject(choice.delta)) {
        if (hasOutput(choice.delta)) silence.broken()
        const text = textOf(choice.delta.content)
        answer.bytes += Buffer.byteLength(text)
        if (answer.bytes > limits.maxReplyBytes) throw new ReplyTooLargeError(limits.maxReplyBytes)
        answer.text += text
        if (text !== '') onToken(text)
      }
      answer.finishReason = nameOf(choice.finish_reason) ?? answer.finishReason
    }
  } catch (error) {
    if (silence.signal.aborted) throw silence.failure()
    throw error
  }
  // The library ends an aborted stream as if it were complete; the finish_reason tells.
  if (silence.signal.aborted && answer.finishReason === null) throw silence.failure()
  if (answer.choices === 0) throw new CallFailure('bad_reply', 'the stream held no choices')
  if (answer.finishReason === null) throw new CallFailure('unavailable', 'the stream ended before the answer was complete')
  return checked({ text: answer.text, finishReason: answer.finishReason, usage: answer.usage })
}

/** A clock that fires when nothing was heard for too long. */
class Silence {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #limitMs: number

  constructor (limitMs: number) {
    this.#limitMs = limitMs
    this.#timer = setTimeout(() => this.#controller.abort(this.failure()), limitMs)
  }

  get signal (): AbortSignal { return this.#controller.signal }
  broken (): void { this.#timer.refresh() }
  failure (): CallFailure { return new CallFailure('unavailable', `no token within ${this.#limitMs / 1000} s`) }
  [Symbol.dispose] (): void { clearTimeout(this.#timer) }
}

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const isError = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== ''

const nameOf = (value: unknown): string | null => typeof value === 'string' && value !== '' ? value.slice(0, 64) : null

/** Runs a call of the library and says in our words what failed. */
async function known<T> (apiKey: string | null, call: () => PromiseLike<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw failureFrom(error, apiKey, Date.now()) ?? error
  }
}

/** The events of a stream; only failures of the source are translated, not what the consumer of the events throws. */
async function * eventsOf (stream: AsyncIterable<unknown>, apiKey: string | null, isComplete: () => boolean): AsyncGenerator<Fields> {
  const source = stream[Symbol.asyncIterator]()
  try {
    while (true) {
      let next: IteratorResult<unknown>
      try {
        next = await source.next()
      } catch (error) {
        if (isComplete()) return // what broke after the finish_reason was only the usage
        throw failureFrom(error, apiKey, Date.now()) ?? error
      }
      if (next.done === true) return
      if (!isObject(next.value)) throw new CallFailure('bad_reply', 'the stream held something else than objects')
      yield next.value
    }
  } finally {
    await source.return?.()
  }
}

function firstChoice (reply: Fields): Fields | null {
  const first: unknown = Array.isArray(reply.choices) ? reply.choices[0] : undefined
  return isObject(first) ? first : null
}

/** Whether a piece of a stream carries anything of the model, be it text or thoughts; the role alone does not. */
function hasOutput (delta: Fields): boolean {
  return Object.entries(delta).some(([name, value]) => name !== 'role' && value !== null && value !== '' && value !== undefined)
}

/** The text of a message; some servers send it in parts. */
function textOf (content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => isObject(part) && typeof part.text === 'string' ? part.text : '').join('')
}

function countsOf (usage: unknown): TokenCounts | null {
  if (!isObject(usage)) return null
  const [promptTokens, completionTokens] = [usage.prompt_tokens, usage.completion_tokens]
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** An answer without a word is none, whatever reason the server gives; thoughts alone that reach the output limit would do so again. */
function checked (reply: ChatReply): ChatReply {
  const { text, finishReason } = reply
  if (finishReason === 'error') throw new CallFailure('unavailable', 'the model stopped with an error')
  if (text.trim() !== '') return reply
  if (finishReason === 'length') throw new CallFailure('bad_reply', 'the reply was empty when it reached the output limit', { mayPass: false })
  throw new CallFailure('bad_reply', 'the reply was empty')
}
