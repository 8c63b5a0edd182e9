import type { Migration } from './migration.ts'

/** Jobs that one node alone is to run, since what they make stays on its disk. */
export const BESIDE: Migration = {
  name: 'jobs of one node',
  sql: `
    ALTER TABLE jobs ADD COLUMN runs_on text;
    COMMENT ON COLUMN jobs.runs_on IS 'the node that is to run it; null for any, also once that node is gone';
  `,
}
