import type { FEATURE_OUTCOMES } from '../contract/feature-names.ts'

/** How a feature ended. */
type FeatureOutcome = (typeof FEATURE_OUTCOMES)[number]

/**
 * The branch of a feature, as it is kept beside its job: enough to abort the feature when its job can do nothing any
 * more. `open` while it is worked on or waits for a person; whatever of an open one is left when its job has ended is
 * to be deleted.
 */
export interface FeatureBranch {
  jobId: string
  projectName: string
  repository: string
  branch: string
  /** The default branch that it is for. */
  baseBranch: string
  /** The commit that it began from; null for one that was claimed before that was kept. */
  baseCommit: string | null
  /** What it holds; null while nothing was committed. */
  commit: string | null
  /** Whether it may be on the remote: set before it is pushed. */
  isPushed: boolean
  /** What the last push that succeeded put there; null before that. */
  pushedCommit: string | null
  /** Of the pull request that shows it; null where there is none. */
  requestNumber: number | null
  state: 'open' | FeatureOutcome
}

/** What changes of it while it is worked on; what is left out stays as it is. */
export type FeatureBranchFields = Partial<
  Pick<FeatureBranch, 'commit' | 'isPushed' | 'pushedCommit' | 'requestNumber' | 'state'>
>
