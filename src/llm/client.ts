import { ModelError } from '../core/errors.ts'
import type { Usage } from '../core/job.ts'
import { askPlain, askStreamed, type ChatReply, type TokenCounts } from './chat.ts'
import { createOpenAiClient, type ModelServerAddress } from './openai-client.ts'
import { redact } from './redact.ts'
import { GaveUpError, tryModels, type RetryOptions } from './retry.ts'

export interface ChatMessage { role: 'system' | 'user' | 'assistant', content: string }

export interface CompletionRequest {
  messages: ChatMessage[]
  /** Asked first instead of the configured one; the fallback models stay. */
  model?: string
  temperature?: number
  /** Ends the request at once; `complete` then throws the signal's reason. */
  signal?: AbortSignal
  /** Asks for a stream, and gets each piece of the text as it comes. */
  onToken?: (text: string) => void
  /**
   * The answer starts again from nothing, after a try that had given tokens failed: drop what `onToken` gave so far. Without it the pieces
   * of a failed try and of the next one cannot be told apart; `Completion.text` is always the last try's alone.
   */
  onRestart?: () => void
}

export interface Completion {
  text: string
  /** The model that was asked for this answer: a fallback, when the first ones failed. */
  model: string
  /** `llmCalls` counts failed requests, too; the tokens are those of the answer. `usd` is null without a price for the model or without token counts. */
  usage: Usage
  /** False when the server did not count: the tokens in `usage` are then 0. */
  usageReported: boolean
  /** As the server says it: `stop`, `length` (cut at the output limit), `content_filter` … */
  finishReason: string
  /** Requests that were sent, failed ones included. */
  attempts: number
  /** Secrets that were replaced in the messages before they left. */
  redactions: number
}

export interface Llm {
  readonly model: string
  /**
   * Asks the model. Failed requests are repeated and fallback models tried as `tryModels` says; secrets in the messages never leave.
   *
   * @throws {ModelError} LLM_REJECTED (the server refuses this request), LLM_BAD_REPLY (answers that are none),
   * LLM_UNAVAILABLE (no answer); the message names the attempts and what the server said.
   * @throws The signal's reason after an abort.
   */
  complete (request: CompletionRequest): Promise<Completion>
}

export interface LlmOptions extends ModelServerAddress, Omit<RetryOptions, 'timeoutMs'> {
  model: string
  /** Asked in turn when the model does not answer. */
  fallbackModels?: readonly string[]
  maxOutputTokens?: number
  /** For one model, all its tries and waits. */
  timeoutMs?: number
  connectTimeoutMs?: number
  /** Streams only: longest silence before the first token and between two. */
  tokenTimeoutMs?: number
  maxReplyBytes?: number
  /** USD per million tokens, by model. */
  prices?: ReadonlyMap<string, { input: number, output: number }>
}

export function createLlm (options: LlmOptions): Llm {
  const { model, fallbackModels = [], maxOutputTokens = 16_384, timeoutMs = 300_000, tokenTimeoutMs = 60_000, maxReplyBytes = 8 << 20, apiKey } = options
  const openai = createOpenAiClient(options, { connectTimeoutMs: options.connectTimeoutMs ?? 10_000, timeoutMs, maxReplyBytes })
  const outputLimit = outputLimitFor(options.baseUrl, maxOutputTokens)

  return {
    model,
    async complete ({ messages, model: asked = model, temperature, signal, onToken, onRestart }) {
      const { clean, redactions } = withoutSecrets(messages)
      let heard = false
      const hear = (text: string) => {
        heard = true
        onToken?.(text)
      }
      const ask = async ({ model, signal }: { model: string, signal: AbortSignal }): Promise<ChatReply> => {
        if (heard) onRestart?.()
        heard = false
        const body = { model, messages: clean, ...outputLimit, ...(temperature === undefined ? {} : { temperature }) }
        const call = { openai, apiKey, body, signal }
        return onToken === undefined ? askPlain(call) : askStreamed(call, { tokenTimeoutMs, maxReplyBytes }, hear)
      }
      const models: [string, ...string[]] = [asked, ...fallbackModels.filter(name => name !== asked)]
      const { value, model: answered, attempts } = await tryModels(models, ask, { ...options, timeoutMs, signal }).catch(error => {
        throw error instanceof GaveUpError ? asModelError(error) : error
      })
      return {
        text: value.text,
        model: answered,
        usage: usageOf(value.usage, attempts, options.prices?.get(answered)),
        usageReported: value.usage !== null,
        finishReason: value.finishReason,
        attempts,
        redactions
      }
    }
  }
}

/** OpenAI's own newer models refuse `max_tokens`; most other servers know nothing else. */
function outputLimitFor (baseUrl: string, tokens: number): { max_tokens: number } | { max_completion_tokens: number } {
  return new URL(baseUrl).hostname === 'api.openai.com' ? { max_completion_tokens: tokens } : { max_tokens: tokens }
}

/** The one gate for outgoing text. */
function withoutSecrets (messages: ChatMessage[]): { clean: ChatMessage[], redactions: number } {
  let redactions = 0
  const clean = messages.map(({ role, content }) => {
    const { text, count } = redact(content)
    redactions += count
    return { role, content: text }
  })
  return { clean, redactions }
}

function usageOf (counts: TokenCounts | null, llmCalls: number, price: { input: number, output: number } | undefined): Usage {
  const { promptTokens, completionTokens } = counts ?? { promptTokens: 0, completionTokens: 0 }
  const usd = price === undefined || counts === null ? null : (promptTokens * price.input + completionTokens * price.output) / 1e6
  return { llmCalls, promptTokens, completionTokens, usd }
}

function asModelError ({ last, attempts, model }: GaveUpError): ModelError {
  const details = { llmCalls: attempts, cause: last }
  if (last.kind === 'rejected') {
    return new ModelError('LLM_REJECTED', `The model server refused the request to ${model}: ${last.message}.`, { ...details, fix: fixFor(last.status) })
  }
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  if (last.kind === 'bad_reply') {
    return new ModelError('LLM_BAD_REPLY', `The model gave no usable answer after ${times}: ${last.message}.`,
      { ...details, fix: 'Check LLM_BASE_URL, LLM_MODEL and LLM_MAX_OUTPUT_TOKENS, or ask with "mode": "context".' })
  }
  return new ModelError('LLM_UNAVAILABLE', `The model did not answer after ${times}: ${last.message}.`, { ...details, fix: 'Check LLM_BASE_URL, or ask with "mode": "context".' })
}

function fixFor (status: number | null): string {
  if (status === 401 || status === 403) return 'Check LLM_API_KEY.'
  if (status === 404) return 'Check LLM_MODEL and LLM_BASE_URL (most end in /v1).'
  if (status !== null && status < 400) return 'LLM_BASE_URL redirects; set it to the final address.'
  return 'Ask for less (max_context_tokens, LLM_MAX_OUTPUT_TOKENS), or ask with "mode": "context".'
}
