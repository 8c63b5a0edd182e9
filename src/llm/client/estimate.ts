import type { DryRunAnswer } from '../../contract/dry-run.ts'
import { withoutSecrets, type PlainMessage } from './messages.ts'
import type { ModelPrices } from './bill.ts'
import { tokensOf } from './request-size.ts'

interface EstimateOptions {
  /** The configured one; null without any. */
  model: string | null
  prices: ModelPrices
  countTokens: (text: string) => number
}

/** Estimates what asking with some messages would take. */
export type EstimateMessages = (messages: readonly PlainMessage[], model?: string) => DryRunAnswer

/** Estimates requests for the `dry_run` of every pipeline. Calls nothing; needs no model. */
export function createEstimate({ model: configured, prices, countTokens }: EstimateOptions): EstimateMessages {
  return (messages, model = configured ?? undefined) => {
    const { clean } = withoutSecrets(messages)
    const tokens = clean.length === 0 ? 0 : tokensOf(clean, countTokens)
    const price = model === undefined ? undefined : prices.get(model)
    return { messages: clean, tokens, usd: price === undefined ? null : (tokens * price.input) / 1e6 }
  }
}
