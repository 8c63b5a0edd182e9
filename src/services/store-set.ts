import type { JobsOptions } from '../jobs/jobs.ts'
import type { JobStore } from '../jobs/store/job-store.ts'
import type { CiRuns } from '../resolutions/ci-runs.ts'
import type { ResolutionStore } from '../resolutions/resolution-store.ts'

/** What is stored in tables. */
export interface Stores {
  jobs: JobStore
  resolutions: ResolutionStore
  ciRuns: CiRuns
  /**
   * How jobs are handed out among several nodes, how these hear of them, and what this one is called; nothing for one
   * that works alone.
   */
  jobSharing: Pick<JobsOptions, 'handOut' | 'newsLine'> & { node?: string }
}
