import { FaultlineError } from './errors.ts'

/**
 * The answer to a COMMIT got lost: the transaction was written as a whole or not at all, and which of both has to be
 * asked for.
 */
export class UnknownOutcomeError extends FaultlineError {
  /**
   * Asks the database, also while the lost connection may still commit.
   *
   * @returns What the transaction gave; null when nothing of it was written.
   * @throws {FaultlineError} DATABASE_UNAVAILABLE: it can be asked again.
   */
  readonly settle: () => Promise<{ result: unknown } | null>

  constructor(error: FaultlineError, settle: UnknownOutcomeError['settle']) {
    super(error.code, error.message, error.fix, { cause: error })
    this.settle = settle
  }
}

export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof FaultlineError && error.code === 'DATABASE_UNAVAILABLE'

/**
 * Makes work that can be called again after it failed: when the outcome of the call before is unknown it is asked for
 * first, so that nothing is written twice.
 */
export function repeatable<T>(work: () => Promise<T>): () => Promise<T> {
  let unsettled: UnknownOutcomeError | null = null
  return async () => {
    const outcome = await unsettled?.settle()
    unsettled = null
    if (outcome !== undefined && outcome !== null) return outcome.result as T
    try {
      return await work()
    } catch (error) {
      if (error instanceof UnknownOutcomeError) unsettled = error
      throw error
    }
  }
}
