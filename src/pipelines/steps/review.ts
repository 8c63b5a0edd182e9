import type { RejectedHunk } from '../../core/generation.ts'
import type { JobContext } from '../../jobs/job-context.ts'

/** What a person says to a diff; null when nobody is to be asked. */
export async function review (job: JobContext, { diff, rejected, whether }: { diff: string, rejected: readonly RejectedHunk[], whether: 'ask' | 'auto' }): Promise<'approve' | 'reject' | null> {
  if (whether === 'auto' || diff === '') return null
  const { decision } = await job.ask('review_changes', { kind: 'review_changes', diff, rejectedHunks: [...rejected] })
  return decision
}
