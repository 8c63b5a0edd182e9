import type { JobsOptions } from '../../src/jobs/jobs.ts'

/** Limits of jobs that tests rarely reach. */
export const JOBS_LIMITS = {
  concurrency: 2,
  queueLimit: 100,
  retentionDays: 30,
  retentionBytes: 1e9,
  replyTimeoutDays: 7,
  knowsPrices: false,
} satisfies Partial<JobsOptions>
