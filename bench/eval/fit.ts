// Fits weights that make the right alternatives most likely, by Newton steps on one weight after the other.

/** A choice between alternatives, some of them right. Their probabilities are the softmax of weights × features. */
export interface Choice {
  alternatives: ReadonlyArray<ArrayLike<number>>
  /** The alternatives that were right, by position; at least one. */
  right: readonly number[]
  /** How much the choice counts, 1 for a whole one. */
  share: number
}

/** A weight to be fitted. */
export interface Parameter {
  name: string
  /** The value that is expected without the choices. */
  expected: number
  least: number
}

/** The result of a fit; weights and errors are in the order of the parameters. */
interface Fit {
  weights: number[]
  /** How exactly the choices alone tell each weight, all others fixed; infinite where they tell nothing. */
  standardErrors: number[]
  /** The log-likelihood of the choices, without the cost of departing from expected values. */
  logLikelihood: number
}

interface Derivatives {
  slope: number
  curvature: number
}

const MAX_ROUNDS = 20_000
const MAX_STEP = 1
const STILL = 1e-6

/** The softmax of the sums of the chosen alternatives, and the logarithm of the total. */
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

  /** Derivatives of the log-likelihood by one weight: its feature's mean among right alternatives less that of all. */
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
 * Maximises the log-likelihood less the sum of ((weight - expected) / spread)² / 2. It starts from zero, not from the
 * expected values. The same choices give the same weights.
 *
 * @param spread - How far a weight usually is from its expected value.
 * @throws When it does not converge.
 */
export function fit(choices: readonly Choice[], parameters: readonly Parameter[], { spread }: { spread: number }): Fit {
  const weights = parameters.map(({ least }) => Math.max(0, least))
  const likelihood = new Likelihood(choices, weights)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let most = 0
    for (const [i, { expected, least }] of parameters.entries()) {
      const weight = weights[i] ?? 0
      const { slope, curvature } = likelihood.along(i)
      // With several right alternatives the likelihood may be convex; then only the expected value bounds the step.
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
  throw new Error(`The weights did not converge in ${MAX_ROUNDS} rounds.`)
}

/**
 * The bound that twice the gain in log-likelihood keeps below in 95 of 100 draws when so many weights are freed that
 * were right before: the quantile of χ² after Wilson and Hilferty.
 */
export const gainBound = (weights: number): number =>
  weights * (1 - 2 / (9 * weights) + 1.645 * Math.sqrt(2 / (9 * weights))) ** 3
