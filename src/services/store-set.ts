import type { JobsOptions } from '../jobs/jobs.ts'
import type { JobStore } from '../jobs/store/job-store.ts'
import type { CiRuns } from '../resolutions/ci-runs.ts'
import type { ResolutionStore } from '../resolutions/resolution-store.ts'

/** What is stored in tables. */
export interface Stores {
  jobs: JobStore
  resolutions: ResolutionStore
  ciRuns: CiRuns
  /** How jobs are handed out among several nodes, and how these hear of them; nothing for one that works alone. */
  jobSharing: Pick<JobsOptions, 'handOut' | 'newsLine'>
}
