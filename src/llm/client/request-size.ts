import { ModelError } from '../../core/errors.ts'

interface Sized {
  content: string
}

/** The context sizes of models, and how to count tokens. */
export interface SizeLimits {
  /** Tokens of request and reply together, by model. Models that are not named are not checked before sending. */
  contexts: ReadonlyMap<string, number>
  countTokens: (text: string) => number
}

/** The tokens that a server puts around each message, and before the reply. */
const TOKENS_PER_MESSAGE = 4
const TOKENS_BEFORE_REPLY = 3
/** A reply with less room than this is not worth asking for. */
const MIN_REPLY_TOKENS = 1024
/** Other models have other tokens than our tokenizer: a lowered output limit leaves this part of the request free. */
const SPARE_PART = 0.1

/**
 * Tokens of a text. A text without blanks (or with nothing else) for hundreds of characters is counted in pieces,
 * because one very long word costs the square of its length.
 */
export function textTokens(text: string, countTokens: SizeLimits['countTokens']): number {
  return countTokens(text.replace(/\S{100}|\s{100}/g, run => `${run}${run.trim() === '' ? 'x' : ' '}`))
}

/** Tokens of a request by our tokenizer; those of other models may differ by a fifth. Linear. */
export function tokensOf(messages: readonly Sized[], countTokens: SizeLimits['countTokens']): number {
  return messages.reduce(
    (sum, { content }) => sum + textTokens(content, countTokens) + TOKENS_PER_MESSAGE,
    TOKENS_BEFORE_REPLY,
  )
}

/** The models that a request fits, and the output limit for it. */
interface Fitting {
  model: string
  /** Room for the reply: the configured limit, or less where the context has less room. */
  outputTokens: number
}

/**
 * The models, in order, whose context has room for the request and a reply of 1,024 tokens (or of `outputTokens`, when
 * that is less).
 *
 * @throws {ModelError} LLM_REQUEST_TOO_LARGE, with the sizes, when none is left. Nothing was sent then.
 */
export function fittingModels(
  models: readonly string[],
  messages: readonly Sized[],
  outputTokens: number,
  { contexts, countTokens }: SizeLimits,
): [Fitting, ...Fitting[]] {
  const checked = models.some(model => contexts.has(model))
  const tokens = checked ? tokensOf(messages, countTokens) : 0
  const needed = tokens + Math.min(outputTokens, MIN_REPLY_TOKENS)
  const [first, ...rest] = models
    .filter(model => needed <= (contexts.get(model) ?? Infinity))
    .map(model => {
      const room = (contexts.get(model) ?? Infinity) - tokens
      const spare = Math.min(Math.ceil(tokens * SPARE_PART), Math.max(0, room - MIN_REPLY_TOKENS))
      return { model, outputTokens: Math.min(outputTokens, room - spare) }
    })
  if (first !== undefined) return [first, ...rest]
  const sizes = models.map(model => `${model} has ${contexts.get(model) ?? 0}`).join(', ')
  const largest = Math.max(...models.map(model => contexts.get(model) ?? 0))
  throw new ModelError(
    'LLM_REQUEST_TOO_LARGE',
    `The request has ${tokens} tokens and its reply needs room for ${needed - tokens}, ` +
      `but the context of ${sizes}. Nothing was sent.`,
    {
      usage: { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null },
      fix:
        `Send at least ${needed - largest} tokens less ` +
        '(max_context_tokens for a stack trace; fewer or smaller files for an edit), ' +
        'name a model with a larger context, or correct MODEL_CONTEXTS.',
    },
  )
}
