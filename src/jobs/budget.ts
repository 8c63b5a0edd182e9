import { FaultlineError } from '../core/errors.ts'
import type { Budget, Job, Json, Spent, Usage } from '../core/job.ts'

/** What was spent. Seconds are rounded up to a tenth, so that even a limit below a tenth is reached. */
export function spentOf(usage: Usage, activeMs: number): Spent {
  return {
    tokens: usage.promptTokens + usage.completionTokens,
    seconds: Math.ceil(activeMs / 100) / 10,
    usd: usage.usd,
  }
}

/** Whether nothing more may be spent. */
export function isExhausted(spent: Spent, { tokens, seconds, usd }: Budget): boolean {
  return (
    (tokens !== undefined && spent.tokens >= tokens) ||
    (seconds !== undefined && spent.seconds >= seconds) ||
    (usd !== undefined && (spent.usd ?? 0) >= usd)
  )
}

/**
 * @throws {FaultlineError} WRONG_REPLY when a job that waits for a higher budget could not make one more call with this
 * one.
 */
export function checkRaised({ id, request }: Pick<Job, 'id' | 'request'>, budget: Budget): void {
  if (request?.kind !== 'budget' || !isExhausted(request.spent, budget)) return
  throw new FaultlineError(
    'WRONG_REPLY',
    `The job ${id} has spent ${JSON.stringify(request.spent)}; ` +
      `a budget of ${JSON.stringify(budget)} is used up already.`,
    'Send {"budget": {…}} with limits above what was spent, or POST /jobs/{id}/cancel.',
  )
}

/**
 * The budget in the body of a job; null without one. The route's schema has checked its shape.
 *
 * @throws {FaultlineError} VALIDATION_FAILED for a limit in USD where no prices are known: it could not be kept.
 */
export function budgetOf(given: Json | undefined, knowsPrices: boolean): Budget | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null
  const budget: Budget = given
  if (budget.usd !== undefined && !knowsPrices) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'budget.usd cannot be kept: no prices are known.',
      'Set MODEL_PRICES, or limit tokens.',
    )
  }
  return Object.keys(budget).length === 0 ? null : budget
}
