import type { Usage } from '../../core/job.ts'

/** Tokens of one request as a server counts them. */
export interface TokenCounts {
  promptTokens: number
  completionTokens: number
}

/** USD per million tokens. */
interface ModelPrice {
  input: number
  output: number
}
/** Prices by model name. */
export type ModelPrices = ReadonlyMap<string, ModelPrice>

const microsOf = ({ promptTokens, completionTokens }: TokenCounts, { input, output }: ModelPrice): number =>
  promptTokens * input + completionTokens * output

/** Adds up what one call costs: all its requests, including useless ones. */
export class Bill {
  readonly #prices: ModelPrices
  #llmCalls = 0
  #promptTokens = 0
  #completionTokens = 0
  /** Millionths of USD: whole for whole prices, so that adding them loses nothing. */
  #micros: number | null = null

  constructor(prices: ModelPrices) {
    this.#prices = prices
  }

  /** Counts a request that goes out. */
  request(): void {
    this.#llmCalls += 1
  }

  add(model: string, counts: TokenCounts): void {
    this.#promptTokens += counts.promptTokens
    this.#completionTokens += counts.completionTokens
    const price = this.#prices.get(model)
    if (price !== undefined) this.#micros = (this.#micros ?? 0) + microsOf(counts, price)
  }

  get usage(): Usage {
    return {
      llmCalls: this.#llmCalls,
      promptTokens: this.#promptTokens,
      completionTokens: this.#completionTokens,
      usd: this.#micros === null ? null : this.#micros / 1e6,
    }
  }
}
