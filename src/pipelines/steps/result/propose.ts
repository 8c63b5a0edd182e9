import type { RejectedHunk, Verification } from '../../../contract/generation-results.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import { deliver, NOT_DELIVERED, type DeliverDeps, type Delivery } from './deliver.ts'
import type { Outcome } from './outcome.ts'
import { review } from './review.ts'

/** Changes that a model made, for a person to decide about. */
export interface Proposal extends Omit<Delivery, 'at'> {
  /** The project that they are committed to; null for files that were sent. */
  at: Delivery['at'] | null
  outcome: Outcome
  rejected: RejectedHunk[]
  /** How often the model was asked again. */
  refinements: number
  whether: 'ask' | 'auto'
  verification?: Verification
  /** Tells the job's progress. */
  enter: (phase: 'review_changes' | 'commit', message: string) => void
}

/**
 * Asks a person about the changes unless nobody is to be asked, and commits what was not rejected.
 *
 * @returns The fields of the job's result that say what came of the changes; those of rejected ones name no file.
 * @throws {FaultlineError} As `deliver`.
 */
export async function propose(
  job: JobContext,
  deps: DeliverDeps,
  { at, outcome, rejected, refinements, whether, verification, enter, ...delivery }: Proposal,
) {
  enter('review_changes', `${verification === undefined ? '' : `${verification}: `}waiting for a decision`)
  const decision = await review(job, { diff: outcome.diff, rejected, whether, verification })
  const isRejected = decision === 'reject'
  const isCommitted = at !== null && !isRejected && outcome.diff !== ''
  if (isCommitted) enter('commit', 'committing the changes')
  return {
    ...outcome,
    ...(isRejected ? { files: [], deleted: [] } : {}),
    baseCommit: delivery.base.commit,
    complete: rejected.length === 0,
    rejectedHunks: rejected,
    refinements,
    ...(isCommitted ? await deliver(job, deps, { at, ...delivery }) : NOT_DELIVERED),
    decision,
  }
}
