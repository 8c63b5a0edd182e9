import type { OpenAI } from 'openai'
import type { TokenCounts } from './bill.ts'
import { CallFailure, errorIn200, failureFrom, ReplyTooLargeError } from './call-failure.ts'

/** One answer of a model. `usage` is null when the server gave none. */
export interface ChatReply {
  text: string
  finishReason: string
  usage: TokenCounts | null
}

interface ChatCall {
  openai: OpenAI
  /** Must not come out in what failures say. */
  secrets: readonly string[]
  body: OpenAI.ChatCompletionCreateParamsNonStreaming
  signal: AbortSignal
}

/**
 * One plain request.
 *
 * @throws {CallFailure} It failed, or the reply is no answer: not JSON, an error inside a 200, no choices, empty.
 */
export async function askPlain ({ openai, secrets, body, signal }: ChatCall): Promise<ChatReply> {
  const reply: unknown = await known(secrets, () => openai.chat.completions.create(body, { signal }))
  if (!isObject(reply)) throw new CallFailure('bad_reply', 'the reply was not JSON')
  if (isError(reply.error)) throw errorIn200(reply.error, secrets)
  const choice = firstChoice(reply)
  const message = choice?.message
  if (choice === null || !isObject(message)) throw new CallFailure('bad_reply', 'the reply held no choices')
  // A whole JSON document cannot be cut off, so a server that leaves the reason out is believed here, unlike in a stream.
  return checked({ text: textOf(message.content), finishReason: nameOf(choice.finish_reason) ?? 'stop', usage: countsOf(reply.usage) })
}

interface StreamLimits {
  /** From the request to the first token, which reading a long prompt precedes. */
  firstTokenTimeoutMs: number
  /** Longest silence between two tokens. */
  tokenTimeoutMs: number
  /** Of text and thoughts together. */
  maxReplyBytes: number
}

/**
 * One streamed request.
 *
 * @param onToken - Gets each piece of the text. What it throws ends the request and comes out as it is.
 * @throws {CallFailure} As `askPlain`; and the stream fell silent, grew beyond the cap, or ended without a finish_reason.
 */
export async function askStreamed ({ openai, secrets, body, signal }: ChatCall, limits: StreamLimits, onToken: (text: string) => void): Promise<ChatReply> {
  using silence = new Silence(limits)
  const either = AbortSignal.any([signal, silence.signal])
  const answer = { text: '', bytes: 0, choices: 0, finishReason: null as string | null, usage: null as TokenCounts | null }
  try {
    const stream = await known(secrets, () => openai.chat.completions.create({ ...body, stream: true, stream_options: { include_usage: true } }, { signal: either }))
    for await (const chunk of eventsOf(stream, secrets, () => answer.finishReason !== null)) {
      if (isError(chunk.error)) throw errorIn200(chunk.error, secrets)
      answer.usage = countsOf(chunk.usage) ?? answer.usage
      const choice = firstChoice(chunk)
      if (choice === null) continue
      answer.choices += 1
      if (isObject(choice.delta)) {
        const outputBytes = bytesOfOutput(choice.delta)
        if (outputBytes > 0) silence.broken()
        answer.bytes += outputBytes
        const text = textOf(choice.delta.content)
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
  readonly #limits: StreamLimits
  #timer: NodeJS.Timeout
  #heard = false

  constructor (limits: StreamLimits) {
    this.#limits = limits
    this.#timer = setTimeout(this.#fire, limits.firstTokenTimeoutMs)
  }

  readonly #fire = (): void => this.#controller.abort(this.failure())

  get signal (): AbortSignal { return this.#controller.signal }

  broken (): void {
    if (this.#heard) {
      this.#timer.refresh()
      return
    }
    this.#heard = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#fire, this.#limits.tokenTimeoutMs)
  }

  failure (): CallFailure {
    const { firstTokenTimeoutMs, tokenTimeoutMs } = this.#limits
    return new CallFailure('unavailable', this.#heard ? `no further token within ${tokenTimeoutMs / 1000} s` : `no token within ${firstTokenTimeoutMs / 1000} s`)
  }

  [Symbol.dispose] (): void { clearTimeout(this.#timer) }
}

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const isError = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== ''

const nameOf = (value: unknown): string | null => typeof value === 'string' && value !== '' ? value.slice(0, 64) : null

/** Runs a call of the library and says in our words what failed. */
async function known<T> (secrets: readonly string[], call: () => PromiseLike<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw failureFrom(error, secrets, Date.now()) ?? error
  }
}

/** The events of a stream; only failures of the source are translated, not what the consumer of the events throws. */
async function * eventsOf (stream: AsyncIterable<unknown>, secrets: readonly string[], isComplete: () => boolean): AsyncGenerator<Fields> {
  const source = stream[Symbol.asyncIterator]()
  try {
    while (true) {
      let next: IteratorResult<unknown>
      try {
        next = await source.next()
      } catch (error) {
        if (isComplete()) return // what broke after the finish_reason was only the usage
        throw failureFrom(error, secrets, Date.now()) ?? error
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

/** What a piece of a stream carries of the model, be it text or thoughts; the role alone is nothing. */
function bytesOfOutput (delta: Fields): number {
  return Object.entries(delta).reduce((sum, [name, value]) => {
    if (name === 'role' || value === null || value === undefined || value === '') return sum
    return sum + Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
  }, 0)
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
  const { text, finishReason, usage } = reply
  if (finishReason === 'error') throw new CallFailure('unavailable', 'the model stopped with an error', { usage })
  if (text.trim() !== '') return reply
  if (finishReason === 'length') throw new CallFailure('bad_reply', 'the reply was empty when it reached the output limit', { mayPass: false, usage })
  throw new CallFailure('bad_reply', 'the reply was empty', { usage })
}
