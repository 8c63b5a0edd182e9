import { withoutSecrets, type ChatMessage } from './client.ts'
import type { ModelPrices } from './bill.ts'
import { tokensOf } from './request-size.ts'

/** The answer to `dry_run`. */
export interface Estimate {
  /** As they would be sent: without secrets. */
  messages: ChatMessage[]
  /** Of the messages, as our tokenizer counts them. */
  tokens: number
  /** What sending them costs; the reply comes on top. Null without a model or without a price for it. */
  usd: number | null
}

interface EstimateOptions {
  /** The configured one; null without any. */
  model: string | null
  prices: ModelPrices
  countTokens: (text: string) => number
}

export type EstimateMessages = (messages: readonly ChatMessage[], model?: string) => Estimate

/** What asking would take, for every pipeline's `dry_run`. Calls nothing; needs no model. */
export function createEstimate({ model: configured, prices, countTokens }: EstimateOptions): EstimateMessages {
  return (messages, model = configured ?? undefined) => {
    const { clean } = withoutSecrets(messages)
    const tokens = clean.length === 0 ? 0 : tokensOf(clean, countTokens)
    const price = model === undefined ? undefined : prices.get(model)
    return { messages: clean, tokens, usd: price === undefined ? null : (tokens * price.input) / 1e6 }
  }
}
