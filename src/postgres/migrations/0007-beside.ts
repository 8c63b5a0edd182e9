import type { Migration } from './migration.ts'

/** Jobs that one node alone is to run, since what they make stays on its disk; and jobs that end their processes. */
export const BESIDE: Migration = {
  name: 'jobs of one node, jobs that end their processes',
  sql: `
    ALTER TABLE jobs
      ADD COLUMN runs_on text,
      ADD COLUMN has_begun boolean NOT NULL DEFAULT false,
      ADD COLUMN lost_attempts int[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN jobs.runs_on IS 'the node that is to run it; null for any, also once that node is gone';
    COMMENT ON COLUMN jobs.has_begun IS 'whether the end of the process that runs it now counts as one over the job';
    COMMENT ON COLUMN jobs.lost_attempts IS 'attempts whose process ended over the job, since it finished a step';
  `,
}
