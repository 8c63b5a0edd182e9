import type { RejectedHunk, Verification } from '../../../contract/generation-results.ts'
import type { JobContext } from '../../../jobs/job-context.ts'

/** What is to be decided about, and by whom. */
interface ReviewOptions {
  diff: string
  rejected: readonly RejectedHunk[]
  whether: 'ask' | 'auto'
  /** What runs of a command say of the changes. */
  verification?: Verification
}

/** What a person says to a diff; null when nobody is to be asked. */
export async function review(
  job: JobContext,
  { diff, rejected, whether, verification }: ReviewOptions,
): Promise<'approve' | 'reject' | null> {
  if (whether === 'auto' || diff === '') return null
  const { decision } = await job.ask('review_changes', {
    kind: 'review_changes',
    diff,
    rejectedHunks: [...rejected],
    verification,
  })
  return decision
}
