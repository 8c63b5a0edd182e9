import type { RejectedHunk } from '../../../contract/generation-results.ts'
import type { Guard } from '../../../contract/guards.ts'
import type { ChangedTests, Verification, VerifiedRun } from '../../../contract/verification.ts'
import type { Decision } from '../../../core/job.ts'
import type { JobContext } from '../../../jobs/job-context.ts'

/** What was found out about changes before a person decides. */
export interface ReviewedChecks {
  /** What runs of a command say of the changes. */
  verification?: Verification
  verificationReason?: string | null
  runs?: VerifiedRun[]
  tests?: ChangedTests
  /** Places of the changes that only hide a failure; left out where nobody looked for them. */
  guards?: Guard[]
  /** What speaks against the changes although they pass: the fewer the better among several candidates. */
  warnings?: number
}

/** What is to be decided about, and by whom. */
interface ReviewOptions {
  diff: string
  /** What the model says of the changes; '' for nothing. */
  explanation: string
  rejected: readonly RejectedHunk[]
  whether: 'ask' | 'auto'
  checks: ReviewedChecks
  /** How often the model can be asked again. */
  refinementsLeft: number
}

/** What of the checks a person is shown; what there is nothing of is left out. */
function reviewed({ verification, verificationReason, runs = [], tests, guards }: ReviewedChecks) {
  const hasTests = tests !== undefined && Object.values(tests).some(ids => ids.length > 0)
  return {
    verification,
    ...(verificationReason == null ? {} : { verificationReason }),
    ...(runs.length === 0 ? {} : { runs }),
    ...(hasTests ? { tests } : {}),
    ...(guards === undefined ? {} : { guards }),
  }
}

/** What a person says to a diff; null when nobody is to be asked. */
export async function review(
  job: JobContext,
  { diff, explanation, rejected, whether, checks, refinementsLeft }: ReviewOptions,
): Promise<Decision | null> {
  if (whether === 'auto' || diff === '') return null
  return job.ask('review_changes', {
    kind: 'review_changes',
    ...(explanation === '' ? {} : { explanation }),
    diff,
    rejectedHunks: [...rejected],
    ...reviewed(checks),
    refinementsLeft,
  })
}
