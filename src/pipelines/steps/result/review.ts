import type { RejectedHunk, Verification } from '../../../contract/generation-results.ts'
import type { Decision } from '../../../core/job.ts'
import type { JobContext } from '../../../jobs/job-context.ts'

/** What is to be decided about, and by whom. */
interface ReviewOptions {
  diff: string
  /** What the model says of the changes; '' for nothing. */
  explanation: string
  rejected: readonly RejectedHunk[]
  whether: 'ask' | 'auto'
  /** What runs of a command say of the changes. */
  verification?: Verification
  /** How often the model can be asked again. */
  refinementsLeft: number
}

/** What a person says to a diff; null when nobody is to be asked. */
export async function review(
  job: JobContext,
  { diff, explanation, rejected, whether, verification, refinementsLeft }: ReviewOptions,
): Promise<Decision | null> {
  if (whether === 'auto' || diff === '') return null
  return job.ask('review_changes', {
    kind: 'review_changes',
    ...(explanation === '' ? {} : { explanation }),
    diff,
    rejectedHunks: [...rejected],
    verification,
    refinementsLeft,
  })
}
