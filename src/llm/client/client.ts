import { ModelError, ToolsRefusedError, type ErrorCode } from '../../core/errors.ts'
import type { Usage } from '../../core/job.ts'
import { Bill, type ModelPrices } from './bill.ts'
import { CallFailure } from './call-failure.ts'
import { askPlain, askStreamed, type ChatReply, type Heard } from './chat.ts'
import { JsonFormats, type JsonSchema } from '../json/json-format.ts'
import { modelErrorFrom } from './model-error.ts'
import { createOpenAiClient, secretsOf, type ModelServerAddress } from './openai-client.ts'
import { costOf } from './request-cost.ts'
import { fittingModels, tokensOf, type SizeLimits } from './request-size.ts'
import { GaveUpError, tryModels, type RetryOptions } from './retry.ts'
import { sizedMessage, wireMessage, withoutSecrets, type ChatMessage } from './messages.ts'
import { toolFields, type ToolCall, type ToolDefinition } from '../tools/tool-calls.ts'
import { ToolSupport } from '../tools/tool-support.ts'

export type { ChatMessage } from './messages.ts'

/** The messages as they left, and the model they went to. */
export interface SentMessages {
  /** The model that is asked first. */
  model: string
  messages: ChatMessage[]
  /** Number of secrets that were replaced in them. */
  redactions: number
}

/** One question to the model, with what the caller wants to hear meanwhile. */
export interface CompletionRequest {
  messages: ChatMessage[]
  /** Asked first, in place of the configured one; the fallback models stay. */
  model?: string
  temperature?: number
  /** Caps the answer where the configured limit is higher. */
  maxOutputTokens?: number
  /** Makes the server hold the reply to a schema, where it can; `completeJson` also checks the reply. */
  json?: JsonSchema
  /** What the model may ask for; then its reply may be calls in place of words, or both. */
  tools?: readonly ToolDefinition[]
  /** `none`: the tools are named, as a dialogue with calls of them needs, and the model is to answer without. */
  toolChoice?: 'auto' | 'none'
  /** Says that this asks again, without tools, what was refused with them: when it is answered, that is remembered. */
  afterToolsRefused?: boolean
  /**
   * Takes a reply that ended early as far as it goes, for callers that ask for the rest: one whose stream ended without
   * a finish_reason (`finishReason` is `none` then), and one without a word that a filter held back. Without it both
   * are failures, and asked for again.
   */
  takesCut?: boolean
  /** Called once with the messages as they leave, before the first request. */
  onSend?: (sent: SentMessages) => void
  /** Called once with what the call cost, however it ended: an aborted call, too, costs what the model did before. */
  onSpent?: (usage: Usage) => void
  /** Ends the request at once; `complete` then throws the signal's reason. */
  signal?: AbortSignal
  /** Asks for a stream, and gets each piece of the text as it arrives. */
  onToken?: (text: string) => void
  /**
   * Called when the answer starts again after a try failed that had given tokens: drop what `onToken` gave so far.
   * Without it the pieces of a failed try and of the next one cannot be told apart; `Completion.text` is always that of
   * the last try alone.
   */
  onRestart?: () => void
}

/** The model's answer, and what it cost. */
export interface Completion {
  text: string
  /** The model that answered: a fallback, when the first ones failed. */
  model: string
  /** The cost of all requests, failed ones included; see `costOf`. `usd` is null without a price for the model. */
  usage: Usage
  /** False when the server did not count the tokens of this answer, so that `usage` is our estimate. */
  usageReported: boolean
  /** In the server's words: `stop`, `length` (cut at the output limit), `content_filter` … */
  finishReason: string
  /** What the model asks for; left out where it asks for nothing. Nothing of it has been checked. */
  toolCalls?: ToolCall[]
  /** Number of requests that were sent, failed ones included. */
  attempts: number
  /** Number of secrets that were replaced in the messages before they left. */
  redactions: number
}

/** How one call of `complete` ended, for metrics. */
export interface CallRecord {
  /** The model that answered, or the one asked first. */
  model: string
  outcome: 'ok' | 'cancelled' | ErrorCode
  usage: Usage
  /** Requests beyond the first. */
  retries: number
  durationMs: number
}

/** The configured models behind one function. */
export interface Llm {
  readonly model: string
  /**
   * Asks the model. Failed requests are retried and fallback models tried as `tryModels` says; secrets in the messages
   * never leave.
   *
   * @throws {ModelError} LLM_REQUEST_TOO_LARGE (it exceeds the context of every model), LLM_REJECTED (the server
   * refuses this request), LLM_BAD_REPLY (the replies are no answers), LLM_UNAVAILABLE (no reply); the message names
   * the attempts and what the server said.
   * @throws {ToolsRefusedError} Tools were offered, and as far as can be told the server takes none for the model. That
   * is remembered: the next time nothing is sent.
   * @throws The signal's reason after an abort.
   */
  complete(request: CompletionRequest): Promise<Completion>
}

/** The model server and the limits of calls. */
export interface LlmOptions extends ModelServerAddress, Omit<RetryOptions, 'timeoutMs'> {
  model: string
  /** Asked in turn when the model does not answer. */
  fallbackModels?: readonly string[]
  maxOutputTokens?: number
  /** Limit for one model: all its tries and waits. */
  timeoutMs?: number
  connectTimeoutMs?: number
  /** For streams: the limit from the request to its first token. */
  firstTokenTimeoutMs?: number
  /** For streams: the longest silence between two tokens. */
  tokenTimeoutMs?: number
  maxReplyBytes?: number
  prices?: ModelPrices
  /**
   * Without it no request is measured before it is sent, and tokens that servers do not count are estimated as four
   * characters each.
   */
  sizes?: SizeLimits
  /** Called once for each call of `complete`. */
  onCall?: (call: CallRecord) => void
}

const NO_LIMITS: SizeLimits = { contexts: new Map(), countTokens: text => Math.ceil(text.length / 4) }

/** OpenAI's own newer models refuse `max_tokens`; most other servers know nothing else. */
function outputLimit(baseUrl: string, tokens: number): { max_tokens: number } | { max_completion_tokens: number } {
  return new URL(baseUrl).hostname === 'api.openai.com' ? { max_completion_tokens: tokens } : { max_tokens: tokens }
}

/** The outcome of a failed call for metrics. */
function outcomeOf(error: unknown, signal: AbortSignal | undefined): CallRecord['outcome'] {
  if (error instanceof ModelError) return error.code
  return signal?.aborted === true ? 'cancelled' : 'INTERNAL'
}

/** A client of the configured models. Calls nothing until it is asked. */
export function createLlm(options: LlmOptions): Llm {
  const {
    model,
    fallbackModels = [],
    maxOutputTokens: configuredLimit = 16_384,
    timeoutMs = 300_000,
    maxReplyBytes = 8 << 20,
    prices = new Map(),
    sizes = NO_LIMITS,
    onCall,
  } = options
  const { firstTokenTimeoutMs = 120_000, tokenTimeoutMs = 60_000, connectTimeoutMs = 10_000 } = options
  const openai = createOpenAiClient(options, { connectTimeoutMs, timeoutMs, maxReplyBytes })
  const secrets = secretsOf(options)
  const formats = new JsonFormats()
  const support = new ToolSupport()

  async function complete(
    {
      messages,
      model: asked = model,
      temperature,
      maxOutputTokens: cap = Infinity,
      json,
      tools,
      toolChoice = 'auto',
      afterToolsRefused = false,
      takesCut,
      signal,
      onSend,
      onToken,
      onRestart,
    }: CompletionRequest,
    bill: Bill,
  ): Promise<Completion> {
    signal?.throwIfAborted()
    const maxOutputTokens = Math.min(configuredLimit, cap)
    const { clean, redactions } = withoutSecrets(messages)
    const offered = toolFields(tools, toolChoice === 'auto')
    const sized = [
      ...clean.map(sizedMessage),
      ...(offered.tools === undefined ? [] : [{ content: JSON.stringify(offered.tools) }]),
    ]
    const fitting = fittingModels(
      [asked, ...fallbackModels.filter(name => name !== asked)],
      sized,
      maxOutputTokens,
      sizes,
    )
    if (offered.tools !== undefined && !support.isOffered(fitting[0].model)) {
      throw new ToolsRefusedError(fitting[0].model, { usage: bill.usage })
    }
    onSend?.({ model: fitting[0].model, messages: clean, redactions })
    const outputTokens = new Map(fitting.map(({ model, outputTokens }) => [model, outputTokens]))
    const format = formats.of(json)
    let promptTokens: number | undefined
    const countPrompt = () => {
      promptTokens ??= tokensOf(sized, sizes.countTokens)
      return promptTokens
    }
    let isHeard = false
    const hear = (text: string) => {
      isHeard = true
      onToken?.(text)
    }

    async function ask({
      model,
      signal,
    }: {
      model: string
      signal: AbortSignal
    }): Promise<ChatReply & Pick<Completion, 'usageReported'>> {
      if (isHeard) onRestart?.()
      isHeard = false
      bill.request()
      const heard: Heard = { usage: null, output: '' }
      const charge = (failure: unknown) => {
        const cost = costOf(heard, {
          failure,
          left: failure !== null && signal.aborted,
          countPrompt,
          countTokens: sizes.countTokens,
        })
        if (cost !== null) bill.add(model, cost)
      }
      const body = {
        model,
        messages: clean.map(wireMessage),
        ...outputLimit(options.baseUrl, outputTokens.get(model) ?? maxOutputTokens),
        ...format.fieldsFor(model),
        ...offered,
        ...(temperature === undefined ? {} : { temperature }),
      }
      const call = { openai, secrets, body, signal, heard, takesCut }
      try {
        const reply =
          onToken === undefined
            ? await askPlain(call)
            : await askStreamed(call, { firstTokenTimeoutMs, tokenTimeoutMs, maxReplyBytes }, hear)
        charge(null)
        format.worked(model)
        if (afterToolsRefused) support.answeredWithout(model)
        return { ...reply, usageReported: heard.usage !== null }
      } catch (error) {
        charge(error)
        if (!(error instanceof CallFailure)) throw error
        if (offered.tools !== undefined && support.isRefusal(model, error, toolChoice === 'auto')) {
          throw new ToolsRefusedError(model, { usage: bill.usage, cause: error })
        }
        throw format.failed(model, error)
      }
    }

    const [first, ...others] = fitting
    const {
      value,
      model: answered,
      attempts,
    } = await tryModels([first.model, ...others.map(({ model }) => model)], ask, {
      ...options,
      timeoutMs,
      signal,
    }).catch(error => {
      throw error instanceof GaveUpError ? modelErrorFrom(error, bill.usage) : error
    })
    return {
      text: value.text,
      model: answered,
      usage: bill.usage,
      usageReported: value.usageReported,
      finishReason: value.finishReason,
      ...(value.toolCalls === undefined ? {} : { toolCalls: value.toolCalls }),
      attempts,
      redactions,
    }
  }

  return {
    model,
    async complete(request) {
      const started = performance.now()
      const bill = new Bill(prices)
      const tell = (outcome: CallRecord['outcome'], answered = request.model ?? model) => {
        const { usage } = bill
        onCall?.({
          model: answered,
          outcome,
          usage,
          retries: Math.max(0, usage.llmCalls - 1),
          durationMs: performance.now() - started,
        })
        request.onSpent?.(usage)
      }
      let completion: Completion
      try {
        completion = await complete(request, bill)
      } catch (error) {
        tell(outcomeOf(error, request.signal))
        throw error
      }
      tell('ok', completion.model)
      return completion
    },
  }
}
