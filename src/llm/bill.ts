import type { Usage } from '../core/job.ts'

export interface TokenCounts { promptTokens: number, completionTokens: number }

/** USD per million tokens. */
export interface ModelPrice { input: number, output: number }
export type ModelPrices = ReadonlyMap<string, ModelPrice>

/** Adds up what one call costs: every reply that the server counted, also such as were of no use. */
export class Bill {
  readonly #prices: ModelPrices
  #llmCalls = 0
  #promptTokens = 0
  #completionTokens = 0
  #usd: number | null = null

  constructor (prices: ModelPrices) {
    this.#prices = prices
  }

  /** A request goes out. */
  request (): void {
    this.#llmCalls += 1
  }

  add (model: string, counts: TokenCounts): void {
    this.#promptTokens += counts.promptTokens
    this.#completionTokens += counts.completionTokens
    const usd = costOf(counts, this.#prices.get(model))
    if (usd !== null) this.#usd = (this.#usd ?? 0) + usd
  }

  get usage (): Usage {
    return { llmCalls: this.#llmCalls, promptTokens: this.#promptTokens, completionTokens: this.#completionTokens, usd: this.#usd }
  }
}

/** In USD; null without a price. */
export function costOf ({ promptTokens, completionTokens }: TokenCounts, price: ModelPrice | undefined): number | null {
  return price === undefined ? null : (promptTokens * price.input + completionTokens * price.output) / 1e6
}
