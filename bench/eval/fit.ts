// Weights that make what was right most likely, found by Newton's steps on one weight after the other.

/** A choice among alternatives of which some were right. Their probabilities are the softmax of weights × features. */
export interface Choice {
  alternatives: ReadonlyArray<ArrayLike<number>>
  /** The alternatives that were right, by position; at least one. */
  right: readonly number[]
  /** How much the choice counts. */
  share: number
}

export interface Parameter {
  name: string
  /** What is known of the weight without the choices. */
  expected: number
  least: number
}

export interface Fit {
  weights: number[]
  /** By weight, how exactly the choices alone tell it, all others fixed; infinite where they tell nothing. */
  standardErrors: number[]
  /** The log-likelihood of the choices, without what is expected of the weights. */
  logLikelihood: number
}

interface Derivatives {
  slope: number
  curvature: number
}

const MAX_ROUNDS = 20_000
const MAX_STEP = 1
const STILL = 1e-6

/** Shares of 1 of some alternatives, by their sums; of all when none are chosen. */
function softmax(sums: ArrayLike<number>, chosen: readonly number[]): { shares: number[]; logTotal: number } {
  const best = chosen.reduce((most, i) => Math.max(most, sums[i] ?? 0), -Infinity)
  const raised = chosen.map(i => Math.exp((sums[i] ?? 0) - best))
  const total = raised.reduce((sum, value) => sum + value, 0)
  return { shares: raised.map(value => value / total), logTotal: best + Math.log(total) }
}

class Likelihood {
  readonly #choices: readonly Choice[]
  readonly #all: number[][]
  readonly #sums: Float64Array[]

  constructor(choices: readonly Choice[], weights: readonly number[]) {
    this.#choices = choices
    this.#all = choices.map(({ alternatives }) => [...alternatives.keys()])
    this.#sums = choices.map(({ alternatives }) =>
      Float64Array.from(alternatives, features =>
        weights.reduce((sum, weight, i) => sum + weight * (features[i] ?? 0), 0),
      ),
    )
  }

  log(): number {
    return this.#choices.reduce((sum, { right, share }, at) => {
      const sums = this.#sums[at] ?? []
      return sum + share * (softmax(sums, right).logTotal - softmax(sums, this.#all[at] ?? []).logTotal)
    }, 0)
  }

  /** How the logarithm changes with one weight: the mean of its feature among the right ones against all. */
  along(weight: number): Derivatives {
    const derivatives = { slope: 0, curvature: 0 }
    for (const [at, { alternatives, right, share }] of this.#choices.entries()) {
      const moments = (chosen: readonly number[]): { mean: number; variance: number } => {
        const { shares } = softmax(this.#sums[at] ?? [], chosen)
        const values = chosen.map(i => alternatives[i]?.[weight] ?? 0)
        const mean = values.reduce((sum, value, i) => sum + value * (shares[i] ?? 0), 0)
        return { mean, variance: values.reduce((sum, value, i) => sum + (value - mean) ** 2 * (shares[i] ?? 0), 0) }
      }
      const [ofRight, ofAll] = [moments(right), moments(this.#all[at] ?? [])]
      derivatives.slope += share * (ofRight.mean - ofAll.mean)
      derivatives.curvature += share * (ofRight.variance - ofAll.variance)
    }
    return derivatives
  }

  move(weight: number, by: number): void {
    for (const [at, { alternatives }] of this.#choices.entries()) {
      const sums = this.#sums[at]
      for (const [i, features] of alternatives.entries()) {
        if (sums !== undefined) sums[i] = (sums[i] ?? 0) + by * (features[weight] ?? 0)
      }
    }
  }
}

/** The log-likelihood of choices under given weights, in the order of the features. */
export const logLikelihood = (choices: readonly Choice[], weights: readonly number[]): number =>
  new Likelihood(choices, weights).log()

/**
 * Maximises the log-likelihood less the sum of ((weight - expected) / spread)² / 2. Starts from zero, so what comes out
 * is found and not kept; the same choices give the same weights.
 *
 * @param spread - How far a weight usually is from what is expected of it.
 * @throws When it does not come to rest.
 */
export function fit(choices: readonly Choice[], parameters: readonly Parameter[], { spread }: { spread: number }): Fit {
  const weights = parameters.map(({ least }) => Math.max(0, least))
  const likelihood = new Likelihood(choices, weights)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let most = 0
    for (const [i, { expected, least }] of parameters.entries()) {
      const weight = weights[i] ?? 0
      const { slope, curvature } = likelihood.along(i)
      // Where several alternatives are right the likelihood may be convex: then the expectation alone bounds the step.
      const step = (slope - (weight - expected) / spread ** 2) / (1 / spread ** 2 - Math.min(0, curvature))
      const next = Math.max(least, weight + Math.max(-MAX_STEP, Math.min(MAX_STEP, step)))
      likelihood.move(i, next - weight)
      weights[i] = next
      most = Math.max(most, Math.abs(next - weight))
    }
    if (most < STILL) {
      const standardErrors = parameters.map((_, i) => 1 / Math.sqrt(Math.max(0, -likelihood.along(i).curvature)))
      return { weights, standardErrors, logLikelihood: likelihood.log() }
    }
  }
  throw new Error(`The weights did not come to rest in ${MAX_ROUNDS} rounds.`)
}

/**
 * What twice the gain in log-likelihood of so many freed weights stays below in 95 of 100 draws, if the weights were
 * right before: the quantile of χ² after Wilson and Hilferty.
 */
export const gainBound = (weights: number): number =>
  weights * (1 - 2 / (9 * weights) + 1.645 * Math.sqrt(2 / (9 * weights))) ** 3
