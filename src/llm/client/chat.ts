import type { OpenAI } from 'openai'
import { NO_FINISH_REASON, replyEndOf } from '../../core/finish-reason.ts'
import type { TokenCounts } from './bill.ts'
import { CallFailure, errorIn200, failureFrom, ReplyTooLargeError } from './call-failure.ts'
import { countsOf, firstChoice, isError, hasFields, nameOf, outputOf, textOf, type Fields } from './reply-parts.ts'
import { Silence, type SilenceLimits } from './silence.ts'
import { ToolCalls, type ToolCall } from '../tools/tool-calls.ts'

/** One answer of a model. */
export interface ChatReply {
  text: string
  finishReason: string
  /** What the model asks for, where tools were offered. */
  toolCalls?: ToolCall[]
}

/** What came of one request so far, which determines its cost whatever becomes of it. */
export interface Heard {
  /** The tokens as the server counts them; null until it says. */
  usage: TokenCounts | null
  /** What the model wrote: text, thoughts and tool calls. */
  output: string
}

interface ChatCall {
  openai: OpenAI
  /** Texts that failures must not contain. */
  secrets: readonly string[]
  body: OpenAI.ChatCompletionCreateParamsNonStreaming
  signal: AbortSignal
  /** Filled in as the answer comes. */
  heard: Heard
  /** As `CompletionRequest.takesCut`. */
  takesCut?: boolean
}

/** What counts as an answer. */
interface Taken {
  takesCut: boolean
  /** Whether a call of a tool does. */
  takesCalls: boolean
}

const takenBy = ({ body, takesCut = false }: Pick<ChatCall, 'body' | 'takesCut'>): Taken => ({
  takesCut,
  takesCalls: body.tools !== undefined,
})

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * Refuses an answer without a word, whatever reason the server gives. Thoughts alone that reach the output limit would
 * do so again.
 */
function checked({ calls, ...reply }: ChatReply & { calls: ToolCalls }, { takesCut, takesCalls }: Taken): ChatReply {
  const { text, finishReason } = reply
  if (finishReason === 'error') {
    throw new CallFailure('unavailable', 'the model stopped with an error', { mayCost: true })
  }
  const toolCalls = calls.all
  if (takesCalls && toolCalls.length > 0) return { ...reply, toolCalls }
  if (text.trim() !== '' || (takesCut && replyEndOf(finishReason) === 'filtered')) return reply
  if (finishReason === 'length') {
    throw new CallFailure('bad_reply', 'the reply was empty when it reached the output limit', {
      mayPass: false,
      mayCost: true,
    })
  }
  throw new CallFailure(
    'bad_reply',
    finishReason === 'tool_calls' ? 'the reply was a call of a tool, and none was offered' : 'the reply was empty',
    { mayCost: true },
  )
}

/** The answer in a complete reply. One that the server did not declare to be JSON arrives as text. */
function readWhole(body: unknown, call: Omit<ChatCall, 'openai' | 'signal'>): ChatReply {
  const { secrets, heard } = call
  const reply = typeof body === 'string' ? jsonIn(body) : body
  if (!hasFields(reply)) throw new CallFailure('bad_reply', 'the reply was not JSON')
  if (isError(reply.error)) throw errorIn200(reply.error, secrets)
  heard.usage = countsOf(reply.usage)
  const choice = firstChoice(reply)
  const message = choice?.message
  if (choice === null || !hasFields(message)) throw new CallFailure('bad_reply', 'the reply held no choices')
  heard.output = outputOf(message)
  // A whole JSON document cannot be cut off, so a server that leaves the reason out is believed here, unlike in a
  // stream.
  const calls = new ToolCalls()
  calls.addWhole(message.tool_calls)
  const finishReason = nameOf(choice.finish_reason) ?? 'stop'
  return checked({ text: textOf(message.content), finishReason, calls }, takenBy(call))
}

/** Runs a call of the library and translates its failures. */
async function known<T>(secrets: readonly string[], call: () => PromiseLike<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw failureFrom(error, secrets, Date.now()) ?? error
  }
}

/**
 * Sends one plain request.
 *
 * @throws {CallFailure} It failed, or the reply is no answer: not JSON, an error inside a 200, no choices, empty.
 */
export async function askPlain(call: ChatCall): Promise<ChatReply> {
  const { openai, secrets, body, signal } = call
  return readWhole(await known(secrets, () => openai.chat.completions.create(body, { signal })), call)
}

interface StreamLimits extends SilenceLimits {
  /** Limit of text and thoughts together. */
  maxReplyBytes: number
}

/**
 * The events of a stream. Only failures of the source are translated, not those thrown by the consumer of the events.
 */
async function* eventsOf(
  stream: AsyncIterable<unknown>,
  secrets: readonly string[],
  isComplete: () => boolean,
): AsyncGenerator<Fields> {
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
      if (!hasFields(next.value)) throw new CallFailure('bad_reply', 'the stream held something else than objects')
      yield next.value
    }
  } finally {
    await source.return?.()
  }
}

interface StreamedAnswer {
  text: string
  calls: ToolCalls
  bytes: number
  choices: number
  finishReason: string | null
}

function completed({ text, calls, choices, finishReason }: StreamedAnswer, taken: Taken): ChatReply {
  if (choices === 0) throw new CallFailure('bad_reply', 'the stream held no choices')
  if (finishReason === null) {
    if (taken.takesCut && text.trim() !== '') return { text, finishReason: NO_FINISH_REASON }
    throw new CallFailure('unavailable', 'the stream ended before the answer was complete', { mayCost: true })
  }
  return checked({ text, finishReason, calls }, taken)
}

/**
 * Sends one streamed request. A server that answers with one complete document instead is understood.
 *
 * @param onToken - Gets each piece of the text. What it throws ends the request and is rethrown.
 * @throws {CallFailure} As `askPlain`; and the stream fell silent, exceeded the cap, or ended without a finish_reason.
 */
export async function askStreamed(
  call: ChatCall,
  limits: StreamLimits,
  onToken: (text: string) => void,
): Promise<ChatReply> {
  const { openai, secrets, body, signal, heard } = call
  using silence = new Silence(limits)
  const either = AbortSignal.any([signal, silence.signal])
  const answer: StreamedAnswer = { text: '', calls: new ToolCalls(), bytes: 0, choices: 0, finishReason: null }
  const takeDelta = (delta: Fields): void => {
    const output = outputOf(delta)
    if (output !== '') silence.tokenArrived()
    heard.output += output
    answer.bytes += Buffer.byteLength(output)
    if (answer.bytes > limits.maxReplyBytes) throw new ReplyTooLargeError(limits.maxReplyBytes)
    answer.calls.addPieces(delta.tool_calls)
    const text = textOf(delta.content)
    answer.text += text
    if (text !== '') onToken(text)
  }
  try {
    const { data: stream, response } = await known(secrets, () =>
      openai.chat.completions
        .create({ ...body, stream: true, stream_options: { include_usage: true } }, { signal: either })
        .withResponse(),
    )
    if (response.headers.get('content-type')?.startsWith('application/json') === true) {
      const whole = readWhole(await known(secrets, () => response.json()), call)
      if (whole.text !== '') onToken(whole.text)
      return whole
    }
    for await (const chunk of eventsOf(stream, secrets, () => answer.finishReason !== null)) {
      if (isError(chunk.error)) throw errorIn200(chunk.error, secrets)
      heard.usage = countsOf(chunk.usage) ?? heard.usage
      const choice = firstChoice(chunk)
      if (choice === null) continue
      answer.choices += 1
      if (hasFields(choice.delta)) takeDelta(choice.delta)
      answer.finishReason = nameOf(choice.finish_reason) ?? answer.finishReason
    }
  } catch (error) {
    if (silence.signal.aborted) throw silence.failure()
    throw error
  }
  // The library ends an aborted stream as if it were complete; the finish_reason tells.
  if (silence.signal.aborted && answer.finishReason === null) throw silence.failure()
  // Nor is a stream that we ended a reply that its server cut off.
  const taken = takenBy(call)
  return completed(answer, { ...taken, takesCut: taken.takesCut && !signal.aborted })
}
